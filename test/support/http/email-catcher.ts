import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface EmailCatcher {
  readonly url: string;
  readonly emails: Email[];
  /** Reply codes for the next recipients, one each; then all are taken. */
  readonly refusals: number[];
  stop(): Promise<void>;
}

/** A real SMTP server on loopback that keeps what it is given. */
export async function startEmailCatcher(): Promise<EmailCatcher> {
  const emails: Email[] = [];
  const refusals: number[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, callback) {
      const responseCode = refusals.shift();
      callback(
        responseCode === undefined
          ? null
          : Object.assign(new Error(`not now, <${address}>`), { responseCode }),
      );
    },
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then((email) => {
          emails.push(email);
          callback();
        }, callback);
      });
    },
  });
  const port = await new Promise<number>((resolve) => {
    const listener = server.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    refusals,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
