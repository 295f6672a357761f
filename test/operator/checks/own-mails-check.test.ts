/** What `doctor` says of a folder of own mails. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/config.ts';
import { explainFinding } from '../../../src/operator/checks/describe-finding.ts';
import { checkMail } from '../../../src/operator/checks/other-checks.ts';

const check = async (emailTemplates?: string) => {
  const keys = { stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' };
  const config = loadConfig({ ...keys, ...(emailTemplates === undefined ? {} : { emailTemplates }) }, {});
  return (await checkMail(config)).filter(({ code }) => code === 'own_mails');
};

test('doctor says what is wrong with the folder of own mails, and that it is in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-mails-'));
  writeFileSync(join(folder, 'card_update.txt'), 'Subject: Your card\n\n{link}');
  const [found] = await check(folder);
  expect(found?.state).toBe('problem');
  expect(found && explainFinding(found)).toMatchObject({
    title: 'Your own mails',
    detail: expect.stringContaining('lacks card_update.html'),
    remedy: expect.stringContaining('Fix the files that are named'),
  });
  writeFileSync(join(folder, 'card_update.html'), '<a href="{link}">Your card</a>');
  expect(await check(folder)).toEqual([{ code: 'own_mails', state: 'ok', detail: folder }]);
});

test('doctor says nothing of own mails where there is no folder, and names one that is not there', async () => {
  expect(await check()).toEqual([]);
  expect(await check(join(tmpdir(), 'no-such-folder-of-mails'))).toMatchObject([
    { state: 'problem', detail: expect.stringContaining('cannot be read') },
  ]);
});
