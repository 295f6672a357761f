/** The launch configuration of CONTRIBUTING.md, with Node's inspector in the editor's place. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  generatedPositionFor,
  LEAST_UPPER_BOUND,
  originalPositionFor,
  TraceMap,
} from '@jridgewell/trace-mapping';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SUITE = 'test/support/runner/jest-functions.test.ts';
const LINE = 1 + readFileSync(`${ROOT}${SUITE}`, 'utf8').split('\n').indexOf('  spy.mockRestore();');

const launch = z.object({
  program: z.string(),
  args: z.array(z.string()),
  outFiles: z.array(z.string()),
  resolveSourceMapLocations: z.array(z.string()),
});
const location = z.object({ scriptId: z.string(), lineNumber: z.number(), columnNumber: z.number() });
const frame = z.object({ callFrameId: z.string(), location });
const paused = z.object({
  reason: z.string(),
  hitBreakpoints: z.array(z.string()).default([]),
  data: z
    .object({ scriptId: z.string(), url: z.string(), sourceMapURL: z.string() })
    .optional()
    .catch(undefined),
  callFrames: z.tuple([frame], frame),
});

function readLaunch() {
  const text = readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8');
  const [, block = ''] = /```json\n([^`]+)```/.exec(text) ?? [];
  const filled = block.replaceAll(`\${workspaceFolder}/`, ROOT).replaceAll(`\${relativeFile}`, SUITE);
  return z.object({ configurations: z.tuple([launch]) }).parse(JSON.parse(filled)).configurations[0];
}

const answer = z.object({ id: z.number(), result: z.unknown() });
const stop = z.object({ method: z.literal('Debugger.paused'), params: paused });

/** One session of the inspector, by WebSocket: Node 20 has no client. */
async function connect(url: string) {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  const asked = request(url.replace('ws:', 'http:'), { headers }).end();
  const [, socket]: Socket[] = await once(asked, 'upgrade');
  if (!socket) throw new Error('No socket');
  const waiting: ((result: unknown) => void)[] = [];
  let onPaused = (_event: z.infer<typeof paused>): unknown => undefined;
  let received = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part]);
    for (let frame = readFrame(received); frame; frame = readFrame(received)) {
      received = received.subarray(frame.end);
      const message: unknown = JSON.parse(frame.text);
      const { data } = answer.safeParse(message);
      if (data) waiting[data.id]?.(data.result);
      const event = stop.safeParse(message);
      if (event.success) void onPaused(event.data.params);
    }
  });
  return {
    post: (method: string, params: object = {}) =>
      new Promise<unknown>((resolve) => {
        const body = Buffer.from(JSON.stringify({ id: waiting.push(resolve) - 1, method, params }));
        // A text of 16 bits of length, under a mask of zeros.
        socket.write(
          Buffer.concat([Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255, 0, 0, 0, 0]), body]),
        );
      }),
    follow: (handler: typeof onPaused) => {
      onPaused = handler;
    },
    close: () => socket.destroy(),
  };
}

/** Undefined until all of it is there. */
function readFrame(bytes: Buffer): { text: string; end: number } | undefined {
  if (bytes.length < 10) return undefined;
  const short = (bytes[1] ?? 0) & 127;
  const [start, length] =
    short < 126
      ? [2, short]
      : short === 126
        ? [4, bytes.readUInt16BE(2)]
        : [10, Number(bytes.readBigUInt64BE(2))];
  const end = start + length;
  return bytes.length < end ? undefined : { text: bytes.toString('utf8', start, end), end };
}

test('an editor breaks where the breakpoint is in the source of a test', async () => {
  const { program, args, outFiles, resolveSourceMapLocations } = readLaunch();
  const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let address = '';
  for await (const line of createInterface(child.stderr)) {
    [, address = ''] = /^Debugger listening on (\S+)/.exec(line) ?? [];
    if (address) break;
  }
  child.stderr.resume();
  const { post, follow, close } = await connect(address);
  let map = new TraceMap({ version: 3, names: [], sources: [], mappings: '' });
  let file = '';
  let breakpoint: string | undefined;
  const broken = new Promise<z.infer<typeof paused>>((resolve) => {
    follow(async (event) => {
      if (breakpoint !== undefined && event.hitBreakpoints.includes(breakpoint)) return resolve(event);
      // Each script is looked at before it runs, as editors do.
      if (event.data?.url.endsWith(SUITE.replace('.ts', '.js'))) {
        file = fileURLToPath(event.data.url);
        map = new TraceMap(readFileSync(`${file}.map`, 'utf8'));
        const source = map.sources.find((path) => path?.endsWith(SUITE)) ?? '';
        const found = generatedPositionFor(map, { source, line: LINE, column: 0, bias: LEAST_UPPER_BOUND });
        const set = await post('Debugger.setBreakpoint', {
          location: {
            scriptId: event.data.scriptId,
            lineNumber: (found.line ?? 0) - 1,
            columnNumber: found.column ?? 0,
          },
        });
        breakpoint = z.object({ breakpointId: z.string() }).parse(set).breakpointId;
      }
      return post('Debugger.resume');
    });
  });
  try {
    await post('Debugger.enable');
    await post('Debugger.setInstrumentationBreakpoint', {
      instrumentation: 'beforeScriptWithSourceMapExecution',
    });
    await post('Runtime.runIfWaitingForDebugger');
    const { callFrames } = await Promise.race([
      broken,
      ended.then(() => Promise.reject(new Error('The suite ended without a break.'))),
    ]);
    const { callFrameId, location: at } = callFrames[0];
    const position = originalPositionFor(map, { line: at.lineNumber + 1, column: at.columnNumber });
    expect(position.source).toMatch(SUITE);
    expect(position.line).toBe(LINE);
    expect(
      await post('Debugger.evaluateOnCallFrame', { callFrameId, expression: 'shop.price(3)' }),
    ).toMatchObject({ result: { value: 1 } });
    for (const [folder = ''] of [outFiles, resolveSourceMapLocations])
      expect(file).toMatch(folder.slice(0, folder.indexOf('*')));
  } finally {
    // Without a debugger it goes on.
    close();
  }
  expect(await ended).toEqual([0, null]);
});
