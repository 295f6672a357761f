import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { EMAIL_TEMPLATES, EMAILS, type EmailTemplate } from '../../actions/action-kinds.ts';
import { cleanName } from '../../mails/clean-name.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { defineOperation, previewOf, recordOperation, result } from './operation.ts';

const templates = EMAIL_TEMPLATES as [EmailTemplate, ...EmailTemplate[]];
const parameters = z.object({
  to: z.email('an email address').max(254).describe('Your own address.'),
  template: z.enum(templates).default('card_update').describe('The email.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language tag, such as de')
    .optional()
    .describe('Its language, such as de; by default the one of EMAIL_LANGUAGE.'),
});

/** An email's sample values; its link leads to the plugin's own address, not to a customer's card page. */
const SAMPLE = { amount: 2_900, currency: 'usd', customerName: 'Ada Example', plan: 'Sample plan' } as const;
const LINK_DAYS = 7;

export const sendTestEmail = defineOperation({
  description: 'Send one of the emails with sample values to an address of your own.',
  movesMoney: false,
  parameters,
  result: z.discriminatedUnion('code', [
    result('changed', 'test_email_sent', { to: z.string(), template: z.enum(templates), answer: z.string() }),
    result('refused', 'test_email_not_taken', { to: z.string(), reason: z.string() }),
    result('refused', 'no_mail_server', {}),
  ]),
  run: async ({ database, clock, retry }, asking, { to, template, language }) => {
    const { mailer, config, writeEmail, merchantName, brandColor } = retry();
    if (!mailer) return { outcome: 'refused', code: 'no_mail_server' };
    const [account, customer, about] = [OWN_ACCOUNT, 'cus_test', 'in_test'];
    const name = await merchantName(account);
    const { logoUrl, legalLine, language: usual } = config.emailLook;
    const locale = language ?? usual ?? 'en';
    const email = {
      ...SAMPLE,
      merchantName: name,
      legalLine,
      look: { color: await brandColor(account), logoUrl },
      link: config.publicUrl.href,
      expiresAt: clock.now().plus({ days: LINK_DAYS }),
      zone: config.timeZone,
      locale,
    };
    const words = await writeEmail({ account, about, customer, template, preferredLocales: [locale], email });
    const sent = await mailer.send({
      ...words,
      to,
      subject: `[Test] ${words.subject}`,
      messageId: `<test-${randomUUID()}@${config.publicUrl.hostname}>`,
      about: { account, id: about, customer, template },
      senderName: cleanName(name),
    });
    if (sent.kind !== 'sent')
      return { outcome: 'refused', code: 'test_email_not_taken', to, reason: sent.reason };
    const detail = { recipient: to, template };
    const line = { account, kind: 'operator.tested_email', detail } as const;
    await recordOperation(database, asking, clock.now(), line);
    return { outcome: 'changed', code: 'test_email_sent', to, template, answer: sent.response };
  },
  preview: previewOf(parameters.partial(), async () => ({
    will: () => 'Sends sample values to the address below, marked as a test; no customer receives it',
  })),
  words: {
    test_email_sent: ({ to, template, answer }, { technical }) =>
      `“${EMAILS[template].says}” was sent to ${to}${technical(` (${answer})`)}`,
    test_email_not_taken: ({ to, reason }) => `no email was sent to ${to}: ${reason}`,
    no_mail_server: () => 'no email was sent: set SMTP_URL and EMAIL_FROM first',
  },
  history: { 'operator.tested_email': 'a test email was sent' },
  command: {
    use: 'emails test <to>',
    values: { language: '<tag>', template: '<name>' },
    needs: 'settings',
    examples: [
      'emails test me@shop.example',
      'emails test me@shop.example --template failure_notice --language de',
    ],
  },
  form: {
    about: 'part',
    title: 'Send test email',
    button: 'Send the test',
    asks: [
      { name: 'to', label: 'Your address', as: 'text' },
      {
        name: 'template',
        label: 'Email',
        as: 'choice',
        options: templates.map((one) => [one, EMAILS[one].says]),
      },
    ],
  },
});
