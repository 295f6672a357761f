import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { readOptions } from '../core/base/command-options.ts';
import { UsageError } from '../core/base/errors.ts';
import { tryJson } from '../core/base/try-json.ts';
import { type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { callbackChecks, type Delivery, type Receiver } from '../workbench/check-service/callback-checks.ts';
import { reportChecks } from '../workbench/check-service/check-report.ts';
import { CHECKS } from '../workbench/check-service/checks.ts';
import { openService } from '../workbench/check-service/service-under-test.ts';

const optionsSchema = z.object({
  callbackPort: z.coerce.number().int().min(0).max(65_535).optional(),
  token: z.string().min(1).optional(),
  wait: z.coerce.number().int().min(1).max(3600).default(120),
  junit: z.string().min(1).optional(),
});

/** Exit code 1 where the service breaks the contract. */
export async function runCheckService(
  [address = '', key = '']: readonly string[],
  given: unknown,
  write: Write = writeToTerminal,
): Promise<number> {
  const problem = '--callback-port is a port, and --wait seconds from 1 to 3600';
  const { callbackPort, token, junit, wait: seconds } = readOptions(optionsSchema, given, problem);
  if (!URL.canParse(address)) throw new UsageError([`${address} is no address; give it as https://…`]);
  if ((callbackPort === undefined) !== (token === undefined))
    throw new UsageError([
      '--callback-port and --token belong together: where the service sends, and with which token',
    ]);
  const receiver = callbackPort === undefined ? undefined : await openReceiver(callbackPort, seconds * 1000);
  try {
    const service = openService({ url: new URL(address), key }, systemClock);
    write(
      `Records of this check begin with ${service.prefix}. Do not run it against a service that works for customers.\n`,
    );
    const checks = [...CHECKS, ...(receiver && token !== undefined ? callbackChecks(receiver, token) : [])];
    const code = await reportChecks(service, checks, { checked: 'service', junit, write });
    if (!receiver) write('Callbacks were not looked at: --callback-port and --token do that.\n');
    return code;
  } finally {
    await receiver?.close();
  }
}

const LOOK_EVERY_MS = 100;
/** Longer than a first repetition takes anywhere. */
const QUIET_MS = 45_000;

async function openReceiver(port: number, longestMs: number): Promise<Receiver & { close(): Promise<void> }> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    if (request.method !== 'POST' || !request.url?.endsWith('/recovery_action'))
      return void response.writeHead(404).end();
    const { authorization, 'content-type': contentType } = request.headers;
    deliveries.push({ authorization, contentType, body: tryJson(body) });
    const isTaken = deliveries.length > 1;
    const answer = {
      success: isTaken,
      message: isTaken ? 'Taken.' : 'The first one fails, so that it is sent again.',
    };
    response
      .writeHead(isTaken ? 200 : 500, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    deliveries,
    waitFor: async (count) => {
      const until = systemClock.now().plus({ milliseconds: longestMs });
      while (deliveries.length < count && systemClock.now() < until) await wait(LOOK_EVERY_MS);
      return deliveries.length >= count;
    },
    stayQuiet: () => wait(Math.min(QUIET_MS, longestMs)),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
