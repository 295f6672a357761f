import { z } from 'zod';
import { tryToListen } from '../../http/http-server.ts';

/** One for the sandbox and the playground, so that `sandbox fail` reaches either. */
export const portOption = z.object({ port: z.coerce.number().int().min(0).max(65_535).default(12_111) });
export const BAD_PORT = '--port must be a whole number from 0 to 65535';

/** Throws LISTEN_FAILED before anything is begun. */
export function findPortFree(port: number): Promise<void> {
  return tryToListen({ host: '127.0.0.1', port, setting: '--port' });
}
