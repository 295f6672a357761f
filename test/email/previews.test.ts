import { previewMails } from '../../scripts/previews/preview-mails.ts';
import { TRANSLATIONS } from '../../src/email/languages.ts';

test('the previews hold every mail in every language, each with its own name', () => {
  const mails = previewMails();
  for (const language of Object.keys(TRANSLATIONS)) {
    for (const template of ['card_update', 'confirm_payment']) {
      const names = mails
        .map(({ name }) => name)
        .filter((name) => name.startsWith(`${template}.${language}.`));
      expect([language, names.length]).toEqual([language, 7]);
    }
  }
  expect(new Set(mails.map(({ name }) => name)).size).toBe(mails.length);
  for (const { html, text } of mails) expect(`${html}${text}`).not.toMatch(/\{\w+\}|undefined|NaN/);
});
