import { createMailer } from '../../../src/plugin/clients/mailer.ts';
import { type Mailbox, startMailbox } from '../../../src/workbench/sandbox/mailbox.ts';

describe('the mailbox', () => {
  let mailbox: Mailbox;
  beforeEach(async () => {
    mailbox = await startMailbox();
  });
  afterEach(() => mailbox.stop());

  function send(to: string, text: string) {
    const mailer = createMailer({ smtpUrl: mailbox.url, from: 'Shop <billing@shop.example>' });
    return mailer.send({
      to,
      subject: 'Grüße',
      text,
      html: '<p>not read</p>',
      about: { account: 'own', id: 'in_1', customer: 'cus_1', template: 'card_update' },
      messageId: '<1@shop.example>',
    });
  }

  it.each([
    ['an address of its own line', 'Hello,\n\nhttp://127.0.0.1:1/card-update/v1.abc_-=.def\n\nBye\n'],
    ['a line longer than SMTP allows', `See http://127.0.0.1:1/${'x'.repeat(1500)}=3D?a=b\n`],
    ['letters outside of ASCII', '¥3,000 für Søren — 東京\n'],
    ['lines that begin with a dot', '.one\n..two\n.\nend\n'],
  ])("the sandbox's mailbox gives the text that was sent, with %s", async (_, text) => {
    expect(await send('ann@shop.example', text)).toMatchObject({ kind: 'sent' });
    expect(mailbox.emails).toEqual([{ to: 'ann@shop.example', text: expect.any(String) }]);
    expect(mailbox.emails[0]?.text.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
  });

  it("the sandbox's mailbox keeps the emails in the order of their arrival", async () => {
    for (const name of ['a', 'b', 'c']) await send(`${name}@shop.example`, name);
    expect(mailbox.emails.map(({ to }) => to)).toEqual([
      'a@shop.example',
      'b@shop.example',
      'c@shop.example',
    ]);
  });
});
