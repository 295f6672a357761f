/** Answers that no client should get, and every client gets one day: bytes as they go over the wire, by a name. */
import { createServer, type Socket } from 'node:net';
import { deflateRawSync, gzipSync } from 'node:zlib';

export interface OddAnswer {
  readonly name: string;
  readonly bytes: Buffer;
  /** The connection is reset after it, not ended. */
  readonly isReset?: boolean;
}

const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);

/** Bodies that are JSON but no object. */
const NO_OBJECTS = ['"ok"', '0', '-1e999', 'null', 'true', '[]', '[{"object":"invoice"}]', '""'];

const OBJECTS = [
  '{}',
  '{"success":false}',
  '{"success":"false"}',
  '{"requestId":{"a":1}}',
  '{"requestId":"a\\u0000b\\ud800"}',
  '{"error":null}',
  '{"error":5}',
  '{"error":true}',
  '{"error":"a_text"}',
  '{"error":[]}',
  '{"error":{}}',
  '{"error":{"message":{"toString":1,"valueOf":1}}}',
  '{"error":{"type":"card_error","message":5,"code":{},"charge":{"id":7},"payment_intent":[]}}',
  '{"error":{"type":"idempotency_error"}}',
  '{"error":{"type":"invalid_request_error","headers":1,"statusCode":"x","requestId":{}}}',
  '{"object":"invoice"}',
  '{"object":"invoice","status":{},"payments":5}',
  '{"object":"invoice","status":"open","payments":{"data":[null]}}',
  '{"object":"list","data":null,"has_more":true}',
  '{"object":"list","data":[],"has_more":true}',
  '{"object":"list","data":[null],"has_more":true}',
  '{"lastResponse":1,"then":{"a":1}}',
  '{"then":"x","toJSON":1,"constructor":null,"hasOwnProperty":1}',
  '{"__proto__":{"polluted":true}}',
  '{"recoveryActions":null}',
  '{"recoveryActions":[null,5,{}],"nextPageToken":{}}',
  '{"recoveryActions":[],"nextPageToken":"\\u0000"}',
  '{"issuer":5,"jwks_uri":[]}',
  `{"deep":${deep('[', ']', 20_000)}}`,
  `{"deep":${deep('{"a":', '}', 5_000).replace(':}', ':1}')}}`,
];

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ufeff{"requestId":"r"}',
  '{"cut":',
  '}',
  'NaN',
  deep('[', '', 60_000),
  'x'.repeat(200_000),
  '<!doctype html><title>Sign in</title>',
];

const STATUSES = [
  '200 OK',
  '202 Accepted',
  '302 Found',
  '400 Bad Request',
  '402 Payment Required',
  '500 Oops',
];

function http(status: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, 'Connection: close', 'Location: /elsewhere', ...headers];
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\nContent-Length: ${bytes.length}\r\n\r\n`, 'latin1'),
    bytes,
  ]);
}

const withEachStatus = (bodies: readonly string[]): readonly OddAnswer[] =>
  bodies.flatMap((body) =>
    STATUSES.map((status) => ({ name: `${status} ${body.slice(0, 40)}`, bytes: http(status, body) })),
  );

export const ODD_NO_OBJECTS = withEachStatus(NO_OBJECTS);

const encoded = (encoding: string, body: string | Buffer): OddAnswer => ({
  name: `encoded as ${encoding}`,
  bytes: http('200 OK', body, [`Content-Encoding: ${encoding}`]),
});

const raw = (name: string, text: string | Buffer, isReset = false): OddAnswer => ({
  name,
  bytes: Buffer.from(text),
  isReset,
});

/** Well under a megabyte, and thirty when unpacked. */
const BOMB = gzipSync(Buffer.alloc(30_000_000, ' '));

const FRAMES: readonly OddAnswer[] = [
  raw('nothing', ''),
  raw('nothing, reset', '', true),
  raw('no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'),
  raw('zeros', Buffer.alloc(4096)),
  raw('half a head', 'HTTP/1.1 200 OK\r\nContent-Le'),
  raw('half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"requestId":'),
  raw('half a body, reset', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"requestId":', true),
  raw('a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: much\r\n\r\n{}'),
  raw('a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}'),
  raw('two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} '),
  raw('broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
  raw('a chunk cut off', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}', true),
  raw('an unknown transfer encoding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: odd\r\n\r\n{}'),
  raw('a head of 100 KB', `HTTP/1.1 200 OK\r\nX-Odd: ${'x'.repeat(100_000)}\r\n\r\n{}`),
  raw('a thousand heads', `HTTP/1.1 200 OK\r\n${'X-Odd: 1\r\n'.repeat(1_000)}\r\n{}`),
  raw('a head without a colon', 'HTTP/1.1 200 OK\r\nodd\r\n\r\n{}'),
  raw('a head with a NUL', 'HTTP/1.1 200 OK\r\nX-Odd: \u0000\r\n\r\n{}'),
  raw('HTTP/9.9', 'HTTP/9.9 200 OK\r\n\r\n{}'),
  raw('HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n{}'),
  raw('status 0', 'HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\n{}'),
  raw('status 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'),
  raw('status 99999', 'HTTP/1.1 99999 Odd\r\nContent-Length: 2\r\n\r\n{}'),
  raw('a status without a number', 'HTTP/1.1 OK\r\n\r\n{}'),
  raw('continue, for ever', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  raw('early hints and nothing', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
  raw('an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\n{}'),
  raw('204 with a body', 'HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\n{}'),
  raw('304', 'HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n'),
  raw('two answers', `${http('200 OK', '{}')}${http('500 Oops', '{}')}`),
  raw('bytes of no text', http('200 OK', Buffer.from([0x7b, 0xff, 0xfe, 0x22, 0xc0, 0x80, 0x7d]))),
  raw('a trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: 1\r\n\r\n'),
  ...['soon', '-5', '1e9', '99999999999', 'Mon, 99 Foo 2026', ''].map((after) =>
    raw(`429, later: ${after}`, http('429 Slow', '{}', [`Retry-After: ${after}`])),
  ),
  raw(
    'a notice',
    http('200 OK', '{}', ['Stripe-Should-Retry: odd', 'Request-Id: ', 'Stripe-Version: \u00ff']),
  ),
  encoded('gzip', 'no gzip'),
  encoded('gzip', BOMB),
  encoded('gzip', BOMB.subarray(0, 1_000)),
  encoded('gzip, gzip', gzipSync(gzipSync('{"requestId":"r"}'))),
  encoded('deflate', deflateRawSync('{"requestId":"r"}')),
  encoded('br', 'no brotli'),
  encoded('odd', '{}'),
];

export const ODD_ANSWERS: readonly OddAnswer[] = [
  ...ODD_NO_OBJECTS,
  ...withEachStatus([...OBJECTS, ...TEXTS]),
  ...FRAMES,
];

export interface OddServer {
  readonly url: URL;
  readonly port: number;
  answer: OddAnswer;
  stop(): Promise<void>;
}

/** Gives its answer to whatever a client sends first; with `isFirst` before it sends anything. */
export async function startOddServer({ isFirst = false } = {}): Promise<OddServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const speak = () => {
      const { bytes, isReset = false } = odd.answer;
      socket.write(bytes, () => (isReset ? socket.resetAndDestroy() : socket.end()));
    };
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (isFirst) speak();
    else socket.once('data', speak);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const odd: OddServer = {
    url: new URL(`http://127.0.0.1:${port}`),
    port,
    answer: raw('nothing', ''),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return odd;
}
