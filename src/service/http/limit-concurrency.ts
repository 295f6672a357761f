import type { RequestHandler } from 'express';
import { callerOf } from '../keys/api-keys.ts';
import { refuseTooMany } from './refuse.ts';

/** So many requests with one key are served at once; more are refused, not queued (stripe-facts 12.4). */
export function limitConcurrency(limit: number): RequestHandler {
  const running = new Map<string, number>();
  return (_request, response, next) => {
    const caller = callerOf(response).keyId;
    const others = running.get(caller) ?? 0;
    if (others >= limit) {
      refuseTooMany(response, `At most ${limit} requests are served at once.`);
      return;
    }
    running.set(caller, others + 1);
    // Also when the client goes away before its answer.
    response.once('close', () => {
      const left = (running.get(caller) ?? 1) - 1;
      if (left > 0) running.set(caller, left);
      else running.delete(caller);
    });
    next();
  };
}
