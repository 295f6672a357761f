import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { LateAnswerError } from '../../../src/core/web/bounded-answer.ts';
import {
  type CallbackAnswer,
  describeFailure,
  postInstruction,
} from '../../../src/service/send/callback-client.ts';
import { START } from '../service-messages.ts';

/** What comes of an instruction whose receiver does that. */
async function post(receive: RequestListener): Promise<CallbackAnswer> {
  const server = createServer(receive);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    return await postInstruction(
      { baseUrl: `http://127.0.0.1:${port}`, token: 'token_for_tests' },
      {
        requestId: 'req_1',
        invoiceId: 'in_1',
        subscriptionId: null,
        suggestion: 'ACTION_SUGGESTION_RETRY',
        idealRetryAt: START,
      },
      START,
    );
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

test.each([
  ['a message', '{"success":true,"message":"Retry scheduled"}'],
  ['no message', '{"success":true}'],
  ['a message that is null', '{"success":true,"message":null}'],
])('success with %s is an acknowledgement', async (_name, text) => {
  expect(await post((_request, response) => response.end(text))).toEqual({ kind: 'acknowledged' });
});

test.each([
  [200, '', '200, but the body is not {"success": true}'],
  [204, '', '204, but the body is not {"success": true}'],
  [200, 'OK', '200, but the body is not {"success": true}'],
  [200, '{"success":false,"message":"not now"}', '200: not now'],
  [307, '', '307: a redirect, which is not followed'],
  [503, '<html>', '503'],
])('%i with the body "%s" is told in words', async (status, text, message) => {
  const answer = await post((_request, response) => response.writeHead(status).end(text));
  expect(answer).toMatchObject({ kind: 'unavailable', message });
});

test('an answer without end is cut off, and is no acknowledgement', async () => {
  const answer = await post((_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    };
    response.on('drain', send);
    send();
  });
  expect(answer).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('200, but') });
});

test('a receiver that takes too long is told apart from one that is away', () => {
  expect(describeFailure(new LateAnswerError(10_000))).toBe('none within 10 seconds');
  const cause = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  expect(describeFailure(new TypeError('fetch failed', { cause }))).toBe('ECONNREFUSED');
});
