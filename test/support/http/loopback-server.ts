import type { Server } from 'node:http';

/**
 * Takes a free port; gives the address. Idle connections stay: one that ends just as it is used again looks like a server
 * that is away.
 */
export function listenOnLoopback(server: Server): Promise<string> {
  server.keepAliveTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
    });
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
