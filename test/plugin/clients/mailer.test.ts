import { createServer, type Server, type Socket } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { checkMailServer, createHostMailer, createMailer } from '../../../src/plugin/clients/mailer.ts';

const email = {
  to: 'ada@customer.example',
  subject: 'Bitte zahlen – 💳',
  html: '<p>Grüße</p>',
  text: 'Grüße',
  messageId: '<card-update.in_1.1@shop.example>',
  about: { account: 'own', id: 'in_1', customer: 'cus_1', template: 'card_update' },
};
const sender = { from: 'Acme Billing <billing@shop.example>', replyTo: 'help@shop.example' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Received {
  from: string;
  to: string[];
  raw: string;
  isSecure: boolean;
}

/** A mail server on this machine. What it takes is put into `inbox`. */
async function startServer(options: SMTPServerOptions = {}) {
  const inbox: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(Buffer.from(chunk));
      const { mailFrom, rcptTo } = session.envelope;
      inbox.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        raw: Buffer.concat(chunks).toString(),
        isSecure: session.secure,
      });
      done(null, 'queued as 42');
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { inbox, port: portOf(server.server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

function replyWith(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

describe('an email that is taken', () => {
  test('an email that is taken arrives as it was given', async () => {
    const { inbox, port } = await startServer();
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result).toEqual({ kind: 'sent', response: expect.stringContaining('queued as 42') });
    expect(inbox).toHaveLength(1);
    expect(inbox[0]).toMatchObject({ from: 'billing@shop.example', to: ['ada@customer.example'] });
    const parsed = await PostalMime.parse(inbox[0]?.raw ?? '');
    expect(parsed).toMatchObject({
      from: { name: 'Acme Billing', address: 'billing@shop.example' },
      to: [{ address: 'ada@customer.example' }],
      replyTo: [{ address: 'help@shop.example' }],
      subject: email.subject,
      messageId: email.messageId,
    });
    expect(parsed.html?.trim()).toBe(email.html);
    expect(parsed.text?.trim()).toBe(email.text);
    expect(parsed.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    );
    expect(parsed.headers).toContainEqual(
      expect.objectContaining({ key: 'x-auto-response-suppress', value: 'OOF, AutoReply' }),
    );
  });

  test('an email that is taken has the same Message-ID on every try', async () => {
    const { inbox, port } = await startServer();
    const mailer = createMailer({ smtpUrl: `smtp://localhost:${port}`, ...sender });
    await mailer.send(email);
    await mailer.send(email);
    mailer.close();
    const ids = inbox.map(({ raw }) => /^message-id: *(.*)$/im.exec(raw)?.[1]);
    expect(ids).toEqual([email.messageId, email.messageId]);
  });

  test('an email that is taken goes encrypted where the local server can, and with the login', async () => {
    const logins: unknown[] = [];
    const { inbox, port } = await startServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    const smtpUrl = `smtp://us%40er:p%23ss@127.0.0.1:${port}`;
    expect((await createMailer({ smtpUrl, ...sender }).send(email)).kind).toBe('sent');
    expect(inbox[0]?.isSecure).toBe(true);
    expect(logins).toEqual([['us@er', 'p#ss']]);
  });

  test('an email that is taken has no reply address when none is set', async () => {
    const { inbox, port } = await startServer();
    await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: sender.from }).send(email);
    expect(inbox[0]?.raw).not.toMatch(/^reply-to:/im);
  });
});

describe('headers cannot be added', () => {
  test('email headers cannot be added through the subject', async () => {
    const { inbox, port } = await startServer();
    const subject = 'Hello\r\nBcc: eve@example.com\r\n\r\nbody';
    await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send({ ...email, subject });
    const parsed = await PostalMime.parse(inbox[0]?.raw ?? '');
    expect(parsed.bcc ?? []).toEqual([]);
    expect(parsed.text?.trim()).toBe(email.text);
    expect(inbox[0]?.to).toEqual([email.to]);
  });

  test.each(['ada@a.example, eve@b.example', 'ada@a.example\r\nBcc: eve@b.example', '<ada@a.example>', ''])(
    'neither email headers nor recipients can be added through the address %j',
    async (to) => {
      const { inbox, port } = await startServer();
      const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send({
        ...email,
        to,
      });
      expect(inbox.flatMap((received) => received.to)).not.toContain('eve@b.example');
      expect(inbox.map(({ raw }) => raw).join()).not.toMatch(/^bcc:/im);
      if (inbox.length === 0) expect(result.kind).toBe('refused');
    },
  );

  test.each(['a@b.test> <evil@x.test', 'a@b.test>', '"a@b.test" <evil@x.test>', 'a b@c.test', 'a@b@c.test'])(
    'an email to %j is refused, and goes to no address that was made of it',
    async (to) => {
      const { inbox, port } = await startServer();
      const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender });
      expect(await mailer.send({ ...email, to })).toMatchObject({ kind: 'refused' });
      expect(inbox).toEqual([]);
    },
  );

  test.each(["o'neill+tag@sub.example", 'jörg@bücher.example'])('an email to %j goes there', async (to) => {
    const { inbox, port } = await startServer();
    const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender });
    expect(await mailer.send({ ...email, to })).toMatchObject({ kind: 'sent' });
    expect(inbox).toHaveLength(1);
  });
});

describe('an email that is not taken', () => {
  test.each([
    [550, 'refused'],
    [553, 'refused'],
    [451, 'failed'],
    [450, 'failed'],
  ])('an email that gets %d as the answer to its recipient is %s', async (code, kind) => {
    const { port } = await startServer({
      onRcptTo: (_to, _session, done) => done(replyWith(code, 'no mailbox')),
    });
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result).toEqual({ kind, reason: expect.stringContaining(`${code} no mailbox`) });
  });

  test.each([
    [554, 'refused'],
    [452, 'failed'],
  ])('an email that gets %d as the answer to its content is %s', async (code, kind) => {
    const onData: SMTPServerOptions['onData'] = (stream, _session, done) => {
      stream.resume().on('end', () => done(replyWith(code, 'not this')));
    };
    const { port } = await startServer({ onData });
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result).toEqual({ kind, reason: expect.stringContaining(`${code} not this`) });
  });

  test('an email is refused with a reason that does not repeat our link', async () => {
    const link = 'https://shop.example/card-update/v1.payload.signature';
    const onData: SMTPServerOptions['onData'] = (stream, _session, done) => {
      stream.resume().on('end', () => done(replyWith(554, `spam: ${link} is on a list`)));
    };
    const { port } = await startServer({ onData });
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('spam: [hidden] is on a list'),
    });
  });

  test('an email is tried again after 550 to our own address', async () => {
    const { port } = await startServer({
      onMailFrom: (_from, _session, done) => done(replyWith(550, 'not yours')),
    });
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result).toEqual({ kind: 'failed', reason: expect.stringContaining('550 not yours') });
  });

  test('an email is tried again after a wrong login, which the reason does not name', async () => {
    const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
      done(replyWith(535, `no ${username} with ${password}`));
    const { port } = await startServer({ authOptional: false, onAuth });
    const smtpUrl = `smtp://mailuser:hunter2@127.0.0.1:${port}`;
    const result = await createMailer({ smtpUrl, ...sender }).send(email);
    expect(result).toEqual({ kind: 'failed', reason: expect.stringContaining('no [hidden] with [hidden]') });
    expect(await checkMailServer(smtpUrl)).toMatch(/no \[hidden\] with \[hidden\]/);
  });

  test('an email is tried again when the server is gone', async () => {
    const { port } = await startServer();
    for (const stop of stops.splice(0)) await stop();
    const smtpUrl = `smtp://127.0.0.1:${port}`;
    const reason = expect.stringContaining('ECONNREFUSED');
    expect(await createMailer({ smtpUrl, ...sender }).send(email)).toEqual({ kind: 'failed', reason });
    expect(await checkMailServer(smtpUrl)).toEqual(reason);
  });

  test('an email is tried again when the server hangs up', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.on('error', () => undefined).end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => server.close(() => resolve())));
    const port = portOf(server);
    const result = await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result.kind).toBe('failed');
  });
});

describe('encryption', () => {
  // 0.0.0.0 reaches this machine but is, by its name, no loopback address.
  test('encryption is required of a mail server elsewhere: without STARTTLS neither login nor email is sent', async () => {
    const logins: unknown[] = [];
    const { inbox, port } = await startServer({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => {
        logins.push(username);
        done(null, { user: username });
      },
    });
    const result = await createMailer({ smtpUrl: `smtp://u:hunter2@0.0.0.0:${port}`, ...sender }).send(email);
    expect(result.kind).toBe('failed');
    expect([inbox, logins]).toEqual([[], []]);
  });

  test('encryption needs a certificate that holds of a mail server elsewhere', async () => {
    const { inbox, port } = await startServer();
    const result = await createMailer({ smtpUrl: `smtp://0.0.0.0:${port}`, ...sender }).send(email);
    expect(result).toEqual({ kind: 'failed', reason: expect.stringMatching(/certificate|self.signed/i) });
    expect(inbox).toEqual([]);
  });

  test('encryption of email from the start is possible', async () => {
    const { inbox, port } = await startServer({ secure: true });
    const result = await createMailer({ smtpUrl: `smtps://127.0.0.1:${port}`, ...sender }).send(email);
    expect(result.kind).toBe('sent');
    expect(inbox[0]?.isSecure).toBe(true);
  });
});

test('the check finds nothing wrong with a server that answers', async () => {
  const { port } = await startServer();
  expect(await checkMailServer(`smtp://127.0.0.1:${port}`)).toBeUndefined();
});

test.each(['smtp//user:hunter2', 'smtp://user:hunter2%zz@mail.example'])(
  'an address that cannot be read is named without being repeated (case %#)',
  (smtpUrl) => {
    expect(() => createMailer({ smtpUrl, ...sender })).toThrow(/^(?!.*hunter2).*SMTP_URL/s);
  },
);

test.each([
  ['billing@shop.example', 'Acme "Best" Tea, Köln', 'Acme "Best" Tea, Köln'],
  ['Acme Billing <billing@shop.example>', 'Another', 'Acme Billing'],
  ['billing@shop.example', undefined, ''],
])('a sender %s of the merchant %s is shown as %s', async (from, senderName, name) => {
  const { inbox, port } = await startServer();
  await createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from }).send({ ...email, senderName });
  const parsed = await PostalMime.parse(inbox[0]?.raw ?? '');
  expect(parsed.from).toEqual({ name, address: 'billing@shop.example' });
});

describe('the sender of the application around', () => {
  const from = { from: sender.from, replyTo: undefined };

  test('the application’s own sender is given the email, its headers and whom it is about', async () => {
    const sent: unknown[] = [];
    const mailer = createHostMailer(async (given) => void sent.push(given), from);
    expect(await mailer.send(email)).toEqual({ kind: 'sent', response: 'taken by sendEmail' });
    expect(sent).toEqual([
      {
        ...email,
        from: sender.from,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' },
      },
    ]);
  });

  test.each([
    ['rejects', async () => Promise.reject(new Error('busy,\n later')), 'failed', 'busy, later'],
    ['refuses', async () => ({ refused: 'on the list of bounces' }), 'refused', 'on the list of bounces'],
    ['is silent', () => new Promise<void>(() => {}), 'failed', 'ETIMEDOUT: no answer within 0.02 seconds'],
  ] as const)('an own sender that %s is a result', async (_what, sendEmail, kind, reason) => {
    const mailer = createHostMailer(sendEmail, from, 20);
    expect(await mailer.send(email)).toEqual({ kind, reason });
  });

  test('an own sender is not given an address that is none', async () => {
    const sent: unknown[] = [];
    const mailer = createHostMailer(async (given) => void sent.push(given), from);
    expect(await mailer.send({ ...email, to: 'a@b.example, c@d.example' })).toMatchObject({
      kind: 'refused',
    });
    expect(sent).toEqual([]);
  });
});
