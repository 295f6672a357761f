/** What keeps writes of a running process waiting in PostgreSQL, and how its webhooks and `/readyz` are answered meanwhile. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DateTime } from 'luxon';
import pg from 'pg';
import Stripe from 'stripe';
import { eventually } from '../support/eventually.ts';

export interface BlockedSite {
  readonly databaseUrl: string;
  /** Where the process listens. */
  readonly url: string;
  readonly webhookSecret: string;
  readonly now: () => DateTime;
}

export interface Answered {
  readonly id: string;
  readonly status: number;
  readonly tookMs: number;
}

export interface TableLock {
  readonly webhooks: readonly Answered[];
  /** The status of `/readyz`, asked once a second. */
  readonly ready: readonly number[];
  /** Most sessions of the process that waited for a lock at one time. */
  readonly waitingSessions: number;
}

/** So long that no busy machine comes near it. */
const HANGS_MS = 120_000;
const WEBHOOK_EVERY_MS = 200;
const READY_EVERY_MS = 1_000;

/** A reader such as pg_dump holds `table`, and behind it waits a change of it, without a bound, which lets nobody pass. */
export async function blockTable(url: string, table: string) {
  const [reader, changer, watch] = [await connect(url), await connect(url), await connect(url)];
  await reader.query(`begin; lock table ${table} in access share mode`);
  const readerPid = await pidOf(reader);
  const change = changer.query(`begin; alter table ${table} add column note text; rollback`);
  await eventually(() => expectWaiting(watch, readerPid));
  return {
    countWaiting: () => countWaiting(watch),
    release: async () => {
      await reader.query('rollback');
      await change;
      await Promise.all([reader.end(), changer.end(), watch.end()]);
    },
  };
}

/** Another session has recorded the event and does not commit. */
export async function blockRow(url: string, id: string) {
  const holder = await connect(url);
  await holder.query('begin');
  await holder.query(
    `insert into payment_retry.events (account, id, type, created_at, received_at, payload, person)
     values ('own', $1, 'customer.created', now(), now(), '{}', '')`,
    [id],
  );
  return {
    release: async () => {
      await holder.query('rollback');
      await holder.end();
    },
  };
}

/** Webhooks and probes for so long beside a table that is blocked. */
export async function whileTableIsBlocked(site: BlockedSite, table: string, ms: number): Promise<TableLock> {
  const { countWaiting, release } = await blockTable(site.databaseUrl, table);
  const end = performance.now() + ms;
  const webhooks: Promise<Answered>[] = [];
  const ready: Promise<number>[] = [];
  let waitingSessions = 0;
  try {
    for (let turn = 0; performance.now() < end; turn += 1) {
      webhooks.push(sendEvent(site, `evt_${table}_${turn}`));
      if ((turn * WEBHOOK_EVERY_MS) % READY_EVERY_MS === 0) {
        ready.push(askReady(site));
        waitingSessions = Math.max(waitingSessions, await countWaiting());
      }
      await sleep(WEBHOOK_EVERY_MS);
    }
  } finally {
    await release();
  }
  return { webhooks: await Promise.all(webhooks), ready: await Promise.all(ready), waitingSessions };
}

/**
 * Has a process stopped between two statements of a transaction. `disturb` has it change the row of `table` that `id` names; returned is
 * how long another session then waits for that row, `mostMs` at most.
 */
export async function waitBehindStopped(
  site: BlockedSite,
  row: { table: string; id: string; mostMs: number },
  act: { disturb: () => void; stop: () => void },
): Promise<number> {
  const gate = await connect(site.databaseUrl);
  const other = await connect(site.databaseUrl);
  try {
    await gate.query('begin');
    await eventually(async () => {
      const { rowCount } = await gate.query(`select 1 from ${row.table} where id = $1 for update`, [row.id]);
      if (rowCount !== 1) throw new Error(`${row.table} has no ${row.id}.`);
    });
    act.disturb();
    const pid = await pidOf(gate);
    await eventually(() => expectWaiting(other, pid, IS_WITHIN));
    act.stop();
    await gate.query('rollback');
    // Its statement gets the row, and its transaction ends no more.
    await sleep(500);
    const begunAt = performance.now();
    await other.query(`set statement_timeout = ${row.mostMs}`);
    await other.query(`update ${row.table} set id = id where id = $1`, [row.id]).catch(() => {});
    return performance.now() - begunAt;
  } finally {
    await Promise.all([gate.end(), other.end()]);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(distinct pid)::int as count from pg_locks join pg_stat_activity using (pid)
     where not granted and query not like '%add column note%'`,
  );
  return rows[0]?.count ?? 0;
}

/** A statement that is not the first of its transaction. */
const IS_WITHIN = 'xact_start < query_start';

async function pidOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** Somebody waits for this session. A transaction would see who was active when it first looked, so another session looks. */
async function expectWaiting(watch: pg.Client, pid: number | undefined, how = 'true'): Promise<void> {
  const { rowCount } = await watch.query(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and $1 = any(pg_blocking_pids(pid)) and ${how}`,
    [pid],
  );
  if (rowCount === 0) throw new Error(`Nobody waits for session ${pid}.`);
}

export async function askReady({ url }: Pick<BlockedSite, 'url'>): Promise<number> {
  const response = await fetch(`${url}/readyz`);
  await response.body?.cancel();
  return response.status;
}

export async function sendEvent({ url, webhookSecret, now }: BlockedSite, id: string): Promise<Answered> {
  const created = Math.floor(now().toSeconds());
  const object = { id: 'cus_blocked', object: 'customer' };
  const event = { id, object: 'event', type: 'customer.created', created, livemode: false, data: { object } };
  const payload = JSON.stringify({ ...event, api_version: Stripe.API_VERSION });
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: webhookSecret,
    timestamp: created,
  });
  const begunAt = performance.now();
  const status = await post(`${url}/webhooks/stripe`, payload, signature);
  return { id, status, tookMs: performance.now() - begunAt };
}

/** On a connection of its own: one that idles may be closed while it is used again. */
async function post(url: string, payload: string, signature: string): Promise<number> {
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(HANGS_MS);
  const sent = request(url, { method: 'POST', agent: false, headers, signal });
  sent.end(payload);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  answer?.resume();
  return answer?.statusCode ?? 0;
}
