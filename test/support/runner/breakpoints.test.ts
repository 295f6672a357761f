/** The launch configuration of CONTRIBUTING.md, with Node's inspector in the editor's place. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  generatedPositionFor,
  LEAST_UPPER_BOUND,
  originalPositionFor,
  TraceMap,
} from '@jridgewell/trace-mapping';
import WebSocket from 'ws';
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

/** One session of the inspector: answers by their numbers, and events of one kind. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, (result: unknown) => void>();
  let onPaused = (_event: z.infer<typeof paused>): unknown => undefined;
  socket.on('message', (data) => {
    const { id, method, result, params } = JSON.parse(String(data));
    if (id !== undefined) waiting.get(id)?.(result);
    if (method === 'Debugger.paused') void onPaused(paused.parse(params));
  });
  return {
    post: (method: string, params: object = {}) =>
      new Promise<unknown>((resolve) => {
        const id = waiting.size;
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      }),
    follow: (handler: typeof onPaused) => {
      onPaused = handler;
    },
    close: () => socket.close(),
  };
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
