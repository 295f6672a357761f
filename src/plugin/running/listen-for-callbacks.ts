/**
 * Where the embedded service reaches the plugin that it runs in: an address of this machine alone, so that neither `PUBLIC_URL`
 * nor what stands in front of it can hold up an instruction.
 */
import express from 'express';
import { createGuessRefusal } from '../../http/guess-limit.ts';
import { answerErrors, answerNotFound } from '../../http/http-errors.ts';
import { addressOf, closeServer, createTransport, listen } from '../../http/http-server.ts';
import type { Logger } from '../../logger.ts';
import { describeAcknowledgment } from '../../operator/text/describe-acknowledgment.ts';
import { type CallbackDeps, createCallbackRouter } from '../../retry/instructions/callback.ts';
import { createGuessTable } from '../../store/engine/guess-table.ts';

export interface CallbackListener {
  readonly url: string;
  stop(): Promise<void>;
}

export type ListenerDeps = Omit<CallbackDeps, 'describe' | 'refuseGuess'> & { readonly logger: Logger };

const PLACE = { host: '127.0.0.1', port: 0 } as const;
/** More than the service has open at once. */
const MOST_CONNECTIONS = 32;

export async function listenForCallbacks(deps: ListenerDeps): Promise<CallbackListener> {
  const { logger } = deps;
  const refuseGuess = createGuessRefusal({
    ...deps,
    guesses: createGuessTable(deps.database, 'payment_retry'),
  });
  const app = express();
  app.disable('x-powered-by');
  app.use(createCallbackRouter({ ...deps, refuseGuess, describe: describeAcknowledgment }));
  app.use(answerNotFound, answerErrors(logger));
  const server = createTransport(app, {}, logger);
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, PLACE);
  return { url: addressOf(server, PLACE), stop: () => closeServer(server) };
}
