/** What `doctor` says of the sender of the emails, and of a folder of own ones. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFinding } from '../../../../src/plugin/operator/checks/describe-finding.ts';
import { checkEmail } from '../../../../src/plugin/operator/checks/other-checks.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';

const check = async (emailTemplates?: string) => {
  const keys = {
    retryMode: 'advisory' as const,
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
  };
  const config = loadConfig({ ...keys, ...(emailTemplates === undefined ? {} : { emailTemplates }) }, {});
  return (await checkEmail(config)).filter(({ code }) => code === 'own_emails');
};

test('doctor says what is wrong with the folder of own emails, and that it is in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-emails-'));
  writeFileSync(join(folder, 'card_update.txt'), 'Subject: Your card\n\n{link}');
  const [found] = await check(folder);
  expect(found?.state).toBe('problem');
  expect(found && explainFinding(found)).toMatchObject({
    title: 'Your own emails',
    detail: expect.stringContaining('lacks card_update.html'),
    remedy: expect.stringContaining('Fix the files that are named'),
  });
  writeFileSync(join(folder, 'card_update.html'), '<a href="{link}">Your card</a>');
  expect(await check(folder)).toEqual([{ code: 'own_emails', state: 'ok', detail: folder }]);
});

test('doctor says nothing of own emails where there is no folder, and names one that is not there', async () => {
  expect(await check()).toEqual([]);
  expect(await check(join(tmpdir(), 'no-such-folder-of-emails'))).toMatchObject([
    { state: 'problem', detail: expect.stringContaining('cannot be read') },
  ]);
});

test.each([
  ['Acme <no-reply@acme.example>', undefined, 'warning'],
  ['noreply@acme.example', undefined, 'warning'],
  ['donotreply+billing@acme.example', undefined, 'warning'],
  ['no-reply@acme.example', 'help@acme.example', 'ok'],
  ['billing@acme.example', 'noreply@acme.example', 'warning'],
  ['billing@acme.example', undefined, 'ok'],
  ['casino-reply@acme.example', undefined, 'ok'],
])('doctor says of a sender %s with answers to %s: %s', async (emailFrom, emailReplyTo, state) => {
  const keys = {
    retryMode: 'advisory' as const,
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
    linkSecret: 'a-secret-of-more-than-thirty-two-characters',
  };
  const config = loadConfig(
    { ...keys, emailFrom, ...(emailReplyTo === undefined ? {} : { emailReplyTo }) },
    {},
    { sendsEmail: true },
  );
  const found = (await checkEmail(config)).filter(({ code }) => code === 'email_replies');
  expect(found).toEqual([{ code: 'email_replies', state, detail: emailReplyTo ?? emailFrom }]);
});
