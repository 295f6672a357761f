import { createServer, request } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export interface StripeGate {
  readonly url: string;
  /** The next request whose path fits gets lost on its way; resolves when it came. */
  swallow(path: RegExp): Promise<void>;
  stop(): Promise<void>;
}

/** The network between the plugin and Stripe's sandbox: passes everything on, or loses it. */
export async function startStripeGate(target: string): Promise<StripeGate> {
  let losing: { path: RegExp; arrived: () => void } | undefined;
  const server = createServer((req, res) => {
    if (losing?.path.test(req.url ?? '')) {
      losing.arrived();
      losing = undefined;
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
    swallow: (path) =>
      new Promise((arrived) => {
        losing = { path, arrived };
      }),
    stop: () => closeServer(server),
  };
}
