/**
 * The real plugin in a process of its own, to be killed by tests. Settings come from the environment, the simulated
 * time from TEST_NOW; the parent tells it what to do by messages (`plugin-child.ts`).
 */
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { OWN_ACCOUNT } from '../../../src/plugin/settings/account.ts';

// As the program does.
setFlagsFromString('--wasm-tiering-budget=500000000');

const request = z.discriminatedUnion('do', [
  z.object({ id: z.number(), do: z.literal('run') }),
  z.object({ id: z.number(), do: z.literal('set'), at: z.string() }),
  z.object({ id: z.number(), do: z.literal('query'), sql: z.string() }),
  z.object({
    id: z.number(),
    do: z.literal('request'),
    what: z.enum(['catch-up', 'sync-actions', 'backfill', 'verification']),
  }),
  z.object({ id: z.number(), do: z.literal('stop') }),
]);

const parse = (text: string) => DateTime.fromISO(text, { zone: 'utc' });

const clock = createSimulatedClock(parse(process.env.TEST_NOW ?? ''));
// With health and metrics at its root.
const plugin = createOwnPlugin({ environment: process.env, clock }, 'server');
const server = createServer(express().use(plugin.router));
// A connection that ends just as it is used again would make the story another one.
server.keepAliveTimeout = 0;
await plugin.start();
// A port that is free: one that the parent had found could be taken by now.
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ id: 0, value: typeof address === 'object' && address !== null ? address.port : 0 });
});

// A test run that ended leaves no process behind.
process.on('disconnect', () => process.exit());

process.on('message', (message) => {
  const asked = request.parse(message);
  carryOut(asked).then(
    (value) => process.send?.({ id: asked.id, value }),
    (error: unknown) =>
      process.send?.({ id: asked.id, error: error instanceof Error ? error.stack : String(error) }),
  );
});

const REQUESTS = {
  'catch-up': () => plugin.parts.requestCatchUp(),
  'sync-actions': () => plugin.parts.requestActionsSync(),
  backfill: () => plugin.parts.requestBackfill(),
  verification: () => plugin.parts.requestVerification(12, OWN_ACCOUNT),
} as const;

async function carryOut(asked: z.infer<typeof request>): Promise<unknown> {
  switch (asked.do) {
    case 'run':
      return plugin.runOnce();
    case 'set':
      return clock.set(parse(asked.at));
    case 'query':
      return plugin.parts.database.query(asked.sql);
    case 'request':
      return REQUESTS[asked.what]();
    case 'stop':
      server.closeAllConnections();
      server.close();
      await plugin.stop();
      process.disconnect();
      return undefined;
  }
}
