/** The network between a client and a server, to be cut without a word: what is sent arrives nowhere, nobody hangs up. */
import { connect, createServer, type Socket } from 'node:net';

export interface Wire {
  /** The server's address, through the wire. */
  readonly url: string;
  /** Of all connections that there are; new ones work. */
  cut(): void;
  stop(): Promise<void>;
}

/** At the address that another wire had, or at a free port. */
export async function layWire(target: string, at = 'tcp://127.0.0.1:0'): Promise<Wire> {
  const { hostname, port } = new URL(target);
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) {
      ends.add(end);
      end.on('error', () => {});
      end.on('close', () => ends.delete(end));
    }
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(at).port), '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  // Named, a socket file would lead past the wire.
  url.searchParams.delete('host');
  return {
    url: url.href,
    cut: () => {
      for (const end of ends) end.unpipe().resume();
    },
    stop: () => {
      for (const end of ends) end.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
