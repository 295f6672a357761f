/** Two or three processes, as much of each as there is to it, on one PostgreSQL and in one loop: `schedule.ts` says who goes on. */

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import callbackTimers, { type TimerOptions } from 'node:timers';
import timers from 'node:timers/promises';
import express from 'express';
import { DateTime, type DurationLike } from 'luxon';
import pg from 'pg';
import Stripe from 'stripe';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createRequestHandler } from '../../../src/core/web/in-process-fetch.ts';
import { assemble } from '../../../src/plugin/app/assemble.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { EVENT_HANDLERS } from '../../../src/plugin/sync/events/handlers.ts';
import { type Sandbox, startSandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { TestLocation } from '../../support/database/databases.ts';
import {
  type RecordingService,
  SERVICE_KEY,
  startRecordingService,
} from '../../support/http/recording-service.ts';
import { CALLBACK_TOKEN, LINK_SECRET } from '../../support/world.ts';
import { createDice } from '../chaos/dice.ts';
import { type Actor, createSchedule, type Schedule } from './schedule.ts';
import { type Rewrite, standBefore } from './transports.ts';

const PREFIX = '/payment-retry';
const PUBLIC_URL = `https://merchant.example${PREFIX}`;
const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const MAX_ROUNDS = 100;

const nameOf = (index: number) => `process ${index}`;

export interface Site {
  readonly sandbox: Sandbox;
  readonly service: RecordingService;
  /** The subjects of the emails that were sent, each with whom it went to. */
  readonly emails: readonly string[];
  readonly schedule: Schedule;
  readonly acknowledged: ReadonlySet<string>;
  now(): DateTime;
  /** One after the other: sessions are opened at no place where anybody waits. */
  start(): Promise<void>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** All that Stripe has to tell, to each process, beside these and everything that is due; then what is left. */
  together(actors?: readonly Actor[]): Promise<void>;
  /** The service's message arrives at one of the processes. */
  message(process: number, body: { requestId?: string; [field: string]: unknown }): Actor;
  /** Something happens at Stripe at any moment of a play, and the processes hear of it. */
  later(change: () => void): Actor;
  /** Everything that is due, on every side, until nothing is. */
  settle(): Promise<void>;
  pass(duration: DurationLike): Promise<void>;
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly place: TestLocation;
  readonly seed: number;
  readonly processes: number;
  readonly settings: SettingOptions;
  /** Before there is a process. */
  readonly arrange: (sandbox: Sandbox) => void;
  readonly rewrite?: Rewrite | undefined;
}

export async function openSite({
  place,
  seed,
  processes: count,
  settings,
  arrange,
  rewrite,
}: SiteOptions): Promise<Site> {
  if (place.location.kind !== 'postgres') throw new Error('Several processes need PostgreSQL.');
  const { url } = place.location;
  const observer = new pg.Client({ connectionString: url, application_name: 'observer' });
  await observer.connect();
  await numberIds(observer);
  const dice = createDice(seed);
  const schedule = createSchedule(dice, () => listBlockers(observer));
  const release = takeChance(dice.roll, schedule);
  const clock = createSimulatedClock(START);
  const sandbox = await startSandbox({ clock });
  const service = await startRecordingService(clock);
  arrange(sandbox);
  const emails: string[] = [];
  const start = async (index: number) => {
    const { sendEmail, ...transports } = standBefore(schedule, nameOf(index), rewrite);
    const config = loadConfig(
      {
        retryMode: 'advisory',
        stripeSecretKey: sandbox.secretKey,
        stripeWebhookSecret: sandbox.webhookSecret,
        stripeApiBase: sandbox.url,
        publicUrl: PUBLIC_URL,
        databaseUrl: url,
        recoveryCallbackToken: CALLBACK_TOKEN,
        retryServiceUrl: service.url,
        retryServiceApiKey: SERVICE_KEY,
        forwardInvoices: false,
        forwardTransactions: false,
        emailFrom: 'billing@merchant.example',
        linkSecret: LINK_SECRET,
        backfillOnStart: true,
        ...settings,
      },
      {},
      { sendsEmail: true },
    );
    const plugin = await assemble({
      config,
      clock,
      logger: silentLogger,
      transports,
      sendEmail: sendEmail(async ({ to, subject }) => void emails.push(`${to}: ${subject}`)),
    });
    const app = express().set('trust proxy', 'loopback').use(PREFIX, plugin.router);
    return { ...plugin, fetch: createRequestHandler(app) };
  };
  const processes: Awaited<ReturnType<typeof start>>[] = [];
  const everybody = Array.from({ length: count }, (_, index) => index);
  const acknowledged = new Set<string>();
  const told = new Set<string>();

  const post = async (index: number, path: string, body: string, headers: Record<string, string>) => {
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const answer = await processes[index]?.fetch(new Request(`${PUBLIC_URL}/${path}`, request));
    if (answer?.status !== 200)
      throw new Error(`${path} was answered ${answer?.status}: ${await answer?.text()}`);
  };
  const event = (index: number, payload: object, id: string): Actor => ({
    process: nameOf(index),
    what: `hears of ${id}`,
    run: () => {
      const text = JSON.stringify(payload);
      const timestamp = clock.now().toUnixInteger();
      const signature = Stripe.webhooks.generateTestHeaderString({
        payload: text,
        secret: sandbox.webhookSecret,
        timestamp,
      });
      return post(index, 'webhooks/stripe', text, { 'stripe-signature': signature });
    },
  });
  /** Oldest first. */
  const listNews = (hearers: readonly number[]): Actor[] => {
    const news = [...sandbox.state.events.newestFirst()].reverse().filter(({ id }) => !told.has(id));
    for (const { id } of news) told.add(id);
    return news
      .filter(({ type }) => type in EVENT_HANDLERS)
      .flatMap((one) => hearers.map((index) => event(index, one, one.id)));
  };
  let done = 0;
  const works = (): Actor[] =>
    processes.map(({ runOnce }, index) => ({
      process: nameOf(index),
      what: 'works',
      run: async () => {
        const count = await runOnce();
        done += count;
      },
    }));
  const settle = async () => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      done = await sandbox.run();
      const news = listNews([dice.pick(everybody)]);
      await schedule.play([...news, ...works()]);
      if (done + news.length === 0) return;
    }
    throw new Error(`Something is due for ever at ${clock.now().toISO()}.`);
  };

  return {
    sandbox,
    service,
    emails,
    schedule,
    acknowledged,
    now: clock.now,
    query: async (sql) => (await observer.query<Record<string, unknown>>(sql)).rows,
    start: async () => {
      for (const index of everybody) processes[index] = await start(index);
      await schedule.untilIdle();
    },
    together: async (actors = []) => {
      await sandbox.run();
      await schedule.play([...actors, ...listNews(everybody), ...works()]);
      await settle();
    },
    message: (index, body) => ({
      process: nameOf(index),
      what: `is asked ${body.requestId ?? body.type}`,
      run: async () => {
        await post(index, 'recovery_action', JSON.stringify(body), {
          authorization: `Bearer ${CALLBACK_TOKEN}`,
        });
        if (body.requestId !== undefined) acknowledged.add(body.requestId);
      },
    }),
    later: (change) => ({
      process: 'stripe',
      what: 'changes',
      run: async () => {
        change();
        for (const { run } of listNews(everybody)) await run();
      },
    }),
    settle,
    pass: async (duration) => {
      const run = () => clock.set(clock.now().plus(duration));
      await schedule.play([{ process: 'time', what: 'passes', run }]);
      await settle();
    },
    stop: async () => {
      release();
      for (const running of processes) await running?.stop();
      await Promise.all([sandbox.stop(), service.stop(), observer.end()]);
      await place.remove();
    },
  };
}

/** For each session that waits for a lock, the sessions that it waits for. */
export async function listBlockers(observer: pg.Client): Promise<number[][]> {
  const { rows } = await observer.query<{ blockers: number[] }>(
    `select blockers from pg_stat_activity, pg_blocking_pids(pid) as blockers
     where datname = current_database() and cardinality(blockers) > 0`,
  );
  return rows.map(({ blockers }) => blockers);
}

/** Ids that the database makes come in their order in each play, not by chance: statements are given these (`transports.ts`). */
async function numberIds(observer: pg.Client): Promise<void> {
  await observer.query(
    `create schema numbered;
     create sequence numbered.ids;
     create function numbered.gen_random_uuid() returns uuid language sql as
       $$ select lpad(to_hex(nextval('numbered.ids')), 32, '0')::uuid $$`,
  );
}

/** Ids, jitter and waits of the processes follow from the seed. Returns what gives them back to chance and time. */
export function takeChance(roll: () => number, schedule: Schedule): () => void {
  const { randomUUID } = crypto;
  const { random } = Math;
  const { setTimeout } = timers;
  const { setTimeout: callLater, clearTimeout: callNever } = callbackTimers;
  let count = 0;
  Math.random = roll;
  crypto.randomUUID = () => {
    count += 1;
    const hex = Math.floor(roll() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    return `${hex}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
  timers.setTimeout = <T>(ms?: number, value?: T, options?: TimerOptions) =>
    schedule.isPlaying()
      ? schedule.sleep(ms ?? 0, value as T, options?.signal)
      : setTimeout(ms, value, options);
  const later = (run: () => void, ms = 0) => {
    if (!schedule.isPlaying()) return callLater(run, ms);
    const ending = new AbortController();
    schedule.sleep(ms, undefined, ending.signal).then(run, () => {});
    return Object.assign(ending, { unref: () => ending });
  };
  const never = (timer?: unknown) =>
    timer instanceof AbortController ? timer.abort() : callNever(timer as NodeJS.Timeout);
  Object.assign(callbackTimers, { setTimeout: later, clearTimeout: never });
  syncBuiltinESMExports();
  return () => {
    Object.assign(callbackTimers, { setTimeout: callLater, clearTimeout: callNever });
    Math.random = random;
    crypto.randomUUID = randomUUID;
    timers.setTimeout = setTimeout;
    syncBuiltinESMExports();
  };
}
