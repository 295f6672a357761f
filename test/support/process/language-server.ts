/** What an editor shows where the pointer rests: asked of TypeScript's language server, as editors do. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';

const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** An answer has an id and no method; a question of the server's has both. */
const message = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
});
const hover = z.object({ contents: z.object({ value: z.string() }) }).nullable();

type LanguageServer = ChildProcessByStdio<Writable, Readable, null>;

interface Position {
  readonly line: number;
  readonly character: number;
}

/** The text at each position, both counted from 0; undefined where there is none. */
export async function hoverTexts(
  path: string,
  text: string,
  positions: readonly Position[],
): Promise<(string | undefined)[]> {
  const server = spawn(process.execPath, [TSC, '--lsp', '--stdio'], {
    cwd: dirname(path),
    // Where it finds npm, it installs types that nothing here asks for.
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  try {
    return await askForTexts(server, { path, text, positions });
  } finally {
    server.stdin.end();
    await exited;
  }
}

interface Question {
  readonly path: string;
  readonly text: string;
  readonly positions: readonly Position[];
}

async function askForTexts(server: LanguageServer, { path, text, positions }: Question) {
  const { ask, tell } = connect(server);
  const rootUri = pathToFileURL(dirname(path)).href;
  const uri = pathToFileURL(path).href;
  await ask('initialize', { processId: process.pid, rootUri, capabilities: {} });
  tell('initialized', {});
  tell('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version: 1, text } });
  const answers: (string | undefined)[] = [];
  for (const position of positions) {
    const answer = await ask('textDocument/hover', { textDocument: { uri }, position });
    answers.push(hover.parse(answer)?.contents.value);
  }
  return answers;
}

/** JSON-RPC with the length of each message before it. */
function connect({ stdin, stdout }: LanguageServer) {
  const waiting = new Map<number | string, (result: unknown) => void>();
  let received = Buffer.alloc(0);
  const send = (content: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...content });
    stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const take = (body: string) => {
    const { id, method, result } = message.parse(JSON.parse(body));
    if (id === undefined) return;
    if (method !== undefined) send({ id, result: null });
    else waiting.get(id)?.(result);
  };
  stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/Content-Length: (\d+)/.exec(received.toString('latin1', 0, start))?.[1]);
      if (start < 4 || received.length < start + length) return;
      take(received.toString('utf8', start, start + length));
      received = received.subarray(start + length);
    }
  });
  return {
    tell: (method: string, params: unknown) => send({ method, params }),
    ask: (method: string, params: unknown) =>
      new Promise<unknown>((resolve) => {
        const id = waiting.size + 1;
        waiting.set(id, resolve);
        send({ id, method, params });
      }),
  };
}
