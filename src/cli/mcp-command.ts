/** A server of the Model Context Protocol on standard input, answered by a running plugin over `/api/v1`. */
import { userInfo } from 'node:os';
import { z } from 'zod';
import { readOptions } from '../core/base/command-options.ts';
import { messageWithCause, UsageError } from '../core/base/errors.ts';
import { isLoopback } from '../core/base/loopback.ts';
import { askWithin, type BoundedAnswer, LISTING_BYTES } from '../core/web/bounded-answer.ts';
import { ownFetch } from '../core/web/in-process-fetch.ts';
import type { ApiRequest, ApiRoute } from '../plugin/operator/api/api-routes.ts';
import { createToolServer, loadSdk } from '../plugin/operator/api/mcp-tools.ts';
import { loadOperatorAccess } from '../plugin/settings/operator-access.ts';
import { interruption } from './process/interruption.ts';

const mcpOptions = z.object({
  url: z.string().optional(),
  allowWrites: z.boolean().default(false),
  by: z.string().trim().min(1).optional(),
});

/** Whom the tools ask, and what they may. */
export interface Installation {
  readonly url: URL;
  readonly token: string;
  readonly canWrite: boolean;
  readonly by: string;
}

/** Runs until the client closes standard input, or the process is stopped. */
export async function runMcp(given: unknown): Promise<number> {
  const server = createServer(readInstallation(given, process.env));
  const closed = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const { StdioServerTransport } = loadSdk();
  await server.connect(new StdioServerTransport());
  // Pending requests are answered, also after the last question.
  await Promise.race([closed, interruption().interrupted.then(() => server.close())]);
  return 0;
}

export const createServer = (installation: Installation) =>
  createToolServer({
    canWrite: installation.canWrite,
    by: installation.by,
    ask: (route, asked) =>
      ask(installation, route, asked).catch(
        (error: unknown) =>
          `Nothing at ${installation.url.href} answers as a plugin does: ${messageWithCause(error)}`,
      ),
  });

/** Throws UsageError. */
export function readInstallation(given: unknown, environment: NodeJS.ProcessEnv): Installation {
  const options = readOptions(mcpOptions, given, '--by is a name');
  const { url: address, allowWrites: canWrite, by = userInfo().username } = options;
  const { publicUrl, tokens } = loadOperatorAccess(environment);
  const url = address === undefined ? publicUrl : toAddress(address);
  if (!isSafe(url))
    throw new UsageError([`${url.href} must begin with https://: the token would be readable on its way`]);
  if (canWrite && tokens.full === undefined)
    throw new UsageError(['--allow-writes needs OPERATOR_TOKEN; OPERATOR_READ_TOKEN may only read']);
  const token = canWrite ? tokens.full : (tokens.read ?? tokens.full);
  if (token === undefined)
    throw new UsageError(['OPERATOR_READ_TOKEN is needed, or OPERATOR_TOKEN: as the running plugin has it']);
  return { url, token, canWrite, by: `${by} (mcp)` };
}

function toAddress(text: string): URL {
  if (!URL.canParse(text)) throw new UsageError([`--url ${text} is no address; give it as https://…`]);
  return new URL(text);
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Stripe may take its time over a payment. */
const BOUNDS = { withinMs: 90_000, mostBytes: LISTING_BYTES };

async function ask(
  installation: Installation,
  { method, path }: ApiRoute,
  { parameters, query, body }: ApiRequest,
) {
  const place = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const asked = new URLSearchParams(z.record(z.string(), z.string()).parse(query));
  const { status, text, isCut } = await request(installation, `${place}?${asked}`, {
    method: method.toUpperCase(),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (isCut) throw new Error(`it sent more than ${LISTING_BYTES / 1024 ** 2} MB`);
  return (await findRefusal(installation, status)) ?? { status, body: z.unknown().parse(JSON.parse(text)) };
}

async function findRefusal(installation: Installation, status: number): Promise<string | undefined> {
  const { url, canWrite } = installation;
  const setting = canWrite ? 'OPERATOR_TOKEN' : 'OPERATOR_READ_TOKEN or OPERATOR_TOKEN';
  if (status === 401) return `The plugin at ${url.href} has another ${setting} than this server.`;
  if (status === 404 && (await request(installation, '/openapi.json')).status === 404)
    return `There is no API at ${url.href}: give that plugin ${setting}, and --url its whole address.`;
  return undefined;
}

function request(
  { url, token }: Installation,
  path: string,
  options: { readonly method: string; readonly body?: string } = { method: 'GET' },
): Promise<BoundedAnswer> {
  const asked = {
    ...options,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    // A token goes where it was sent, and no further.
    redirect: 'error' as const,
  };
  return askWithin(ownFetch, `${url.href.replace(/\/$/, '')}/api/v1${path}`, asked, BOUNDS);
}
