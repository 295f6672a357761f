/** The customer's side of the callback: takes instructions over HTTP, and can be told to misbehave. */
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';

export const received = z.strictObject({
  requestId: z.string(),
  invoiceId: z.string(),
  subscriptionId: z.string().optional(),
  actionSuggestion: z.string(),
  idealRetryTime: z.string(),
});

export interface Behaviour {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

export interface CallbackReceiver {
  readonly url: string;
  /** Instructions answered with success, in order. */
  readonly accepted: z.infer<typeof received>[];
  readonly authorizations: (string | undefined)[];
  /** All requests, refused ones too. */
  count: number;
  /** Undefined cuts the connection. */
  behave(next: ((count: number) => Behaviour | undefined) | undefined): void;
  reset(): void;
  close(): Promise<void>;
}

const SUCCESS: Behaviour = { status: 200, body: { success: true, message: 'Retry scheduled' } };

export async function createCallbackReceiver(): Promise<CallbackReceiver> {
  let behaviour: ((count: number) => Behaviour | undefined) | undefined;
  const server = createServer(async (request, response) => {
    receiver.count += 1;
    receiver.authorizations.push(request.headers.authorization);
    const body = received.parse(JSON.parse(await read(request)));
    const answer = behaviour ? behaviour(receiver.count) : SUCCESS;
    if (!answer || request.url !== '/recovery_action') {
      request.socket.destroy();
      return;
    }
    if (answer.status === 200) receiver.accepted.push(body);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  });
  const url = await listenOnLoopback(server);
  const receiver: CallbackReceiver = {
    url,
    accepted: [],
    authorizations: [],
    count: 0,
    behave: (next) => {
      behaviour = next;
    },
    reset: () => {
      behaviour = undefined;
      receiver.accepted.length = 0;
      receiver.authorizations.length = 0;
      receiver.count = 0;
    },
    close: () => closeServer(server),
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
