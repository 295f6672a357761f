/** How many bytes of bodies are read at once: many large ones together must not take the process's memory. */
import type { RequestHandler } from 'express';
import { PluginError } from '../errors.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** Before the body is read, for a path that takes so many bytes: a body counts as what it says, else as much as it may have. */
export function limitBodiesInFlight(limit: number, most = MOST_BYTES): RequestHandler {
  let inFlight = 0;
  return (request, response, next) => {
    const announced = Number(request.get('content-length') ?? limit);
    if (announced > limit)
      throw new PluginError('REQUEST_TOO_LARGE', `The body is larger than ${limit / 1024 / 1024} MiB.`);
    const isPacked = request.get('content-encoding') !== undefined;
    const bytes = Number.isFinite(announced) && !isPacked ? announced : limit;
    if (inFlight + bytes > most)
      throw new PluginError('STORE_UNAVAILABLE', 'Too many large requests at once; send it again.');
    inFlight += bytes;
    response.once('close', () => {
      inFlight -= bytes;
    });
    next();
  };
}
