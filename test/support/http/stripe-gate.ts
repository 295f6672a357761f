import { createServer, request } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export interface StripeGate {
  readonly url: string;
  /** The next request whose path fits gets lost on its way; resolves when it came. */
  swallow(path: RegExp): Promise<void>;
  /** Requests whose path fits are refused with this message, until the next call. */
  refuse(path: RegExp | undefined, message?: string): void;
  stop(): Promise<void>;
}

/** The network between the plugin and Stripe's sandbox: passes everything on, or loses it. */
export async function startStripeGate(target: string): Promise<StripeGate> {
  let refusing: { path: RegExp; message: string } | undefined;
  let losing: { path: RegExp; arrived: () => void } | undefined;
  const server = createServer((req, res) => {
    if (losing?.path.test(req.url ?? '')) {
      losing.arrived();
      losing = undefined;
      return;
    }
    if (refusing?.path.test(req.url ?? '')) {
      const error = { type: 'invalid_request_error', message: refusing.message, param: 'email' };
      res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    const { method, headers } = req;
    const onward = request(`${target}${req.url}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  return {
    url: await listenOnLoopback(server),
    refuse: (path, message = '') => {
      refusing = path && { path, message };
    },
    swallow: (path) =>
      new Promise((arrived) => {
        losing = { path, arrived };
      }),
    stop: () => closeServer(server),
  };
}
