import { previewEmails } from '../../../scripts/previews/preview-emails.ts';
import { EMAIL_TEMPLATES } from '../../../src/plugin/actions/action-kinds.ts';
import { TRANSLATIONS } from '../../../src/plugin/mails/languages.ts';

test('the previews hold every email in every language, each with its own name', () => {
  const emails = previewEmails();
  for (const language of Object.keys(TRANSLATIONS)) {
    for (const template of EMAIL_TEMPLATES) {
      const names = emails
        .map(({ name }) => name)
        .filter((name) => name.startsWith(`${template}.${language}.`));
      expect([language, template, names.length]).toEqual([
        ...[language, template],
        ['card_update', 'confirm_payment'].includes(template) ? 7 : 3,
      ]);
    }
  }
  expect(new Set(emails.map(({ name }) => name)).size).toBe(emails.length);
  for (const { html, text } of emails) expect(`${html}${text}`).not.toMatch(/\{\w+\}|undefined|NaN/);
});
