import { createServer, request } from 'node:http';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    swallow: (path) =>
      new Promise((arrived) => {
        losing = { path, arrived };
      }),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
