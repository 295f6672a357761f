import { createServer, type Socket } from 'node:net';

export interface ReceivedEmail {
  /** Whom the envelope names. */
  to: string;
  /** The plain-text part. */
  text: string;
}

export interface Mailbox {
  /** Value for SMTP_URL. */
  readonly url: string;
  /** Received emails in order of arrival. */
  readonly emails: readonly ReceivedEmail[];
  stop(): Promise<void>;
}

/**
 * A mail server on loopback where simulated customers read their email: plain SMTP without TLS and login, one line
 * after the other. Small enough to ship, so that the demo runs from the package without a mail server as dependency.
 */
export async function startMailbox(): Promise<Mailbox> {
  const emails: ReceivedEmail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    receive(socket, (email) => emails.push(email));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function receive(socket: Socket, deliver: (email: ReceivedEmail) => void): void {
  const answer = createSession(deliver);
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.write('220 mailbox\r\n');
  socket.on('data', (chunk) => {
    const lines = `${rest}${String(chunk)}`.split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply = answer(line);
      if (reply === undefined) continue;
      if (reply.startsWith('221')) socket.end(`${reply}\r\n`);
      else socket.write(`${reply}\r\n`);
    }
  });
}

/** What a session answers to each line (RFC 5321); undefined for a line of an email's content. */
function createSession(deliver: (email: ReceivedEmail) => void): (line: string) => string | undefined {
  let recipients: string[] = [];
  let content: string[] | undefined;

  function endContent(lines: string[]): string {
    const text = readPlainText(lines.join('\r\n'));
    for (const to of recipients) deliver({ to, text });
    recipients = [];
    content = undefined;
    return '250 kept';
  }

  return (line) => {
    if (content) {
      if (line === '.') return endContent(content);
      // A leading dot was doubled by the sender.
      content.push(line.startsWith('.') ? line.slice(1) : line);
      return undefined;
    }
    const command = line.slice(0, 4).toUpperCase();
    if (command === 'QUIT') return '221 bye';
    if (command === 'RCPT') recipients.push(/<([^<>]*)>/.exec(line)?.[1] ?? '');
    if (command === 'MAIL' || command === 'RSET') recipients = [];
    if (command !== 'DATA') return KNOWN.has(command) ? '250 ok' : '502 not known here';
    content = [];
    return '354 go on';
  };
}

const KNOWN: ReadonlySet<string> = new Set(['EHLO', 'HELO', 'MAIL', 'RCPT', 'RSET', 'NOOP']);

/** The plain-text part of an email as it travels (RFC 2045): as much of the format as our own emails use. */
function readPlainText(source: string): string {
  return findPlainText(source) ?? '';
}

function findPlainText(source: string): string | undefined {
  const end = source.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const headers = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = source.slice(end + 4);
  const boundary = /^content-type:\s*multipart\/.*boundary="?([^";\r\n]+)/im.exec(headers)?.[1];
  if (boundary !== undefined) return findInParts(body, boundary);
  if (!/^content-type:\s*text\/plain/im.test(headers)) return undefined;
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(headers)?.[1]?.toLowerCase();
  return decode(body, encoding);
}

function findInParts(body: string, boundary: string): string | undefined {
  for (const part of body.split(`--${boundary}`).slice(1)) {
    const text = findPlainText(part.replace(/^\r\n/, ''));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The bytes arrive as latin1, one character each; the text is UTF-8. */
function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/(?<![ \t])[ \t]*=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
