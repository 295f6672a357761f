/** Locks in PostgreSQL that nobody gives back: a reader with a change of the table behind it, one row, and a process that stands still. */
import { systemClock } from '../../src/core/base/clock.ts';
import {
  type Answered,
  type BlockedSite,
  blockRow,
  sendEvent,
  waitBehindStopped,
  whileTableIsBlocked,
} from '../../test/scenarios/blocked-writes.ts';
import { startOwnPostgres } from '../../test/support/database/postgres-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type SoakSite, withSoakSite } from './soak-site.ts';

const BLOCKED_MS = 60_000;
/** Stripe waits for longer. */
const PROMPT_MS = 10_000;
/** A port takes 1,000 connections. */
const EVENTS = 900;
/** What a locked row costs beyond what so many at once take. */
const ROW_MS = 5_000;
const STOPPED_MS = 30_000;

export async function runBlocked(print: (line: string) => void): Promise<void> {
  const server = await startOwnPostgres();
  if (!server) return print('blocked: skipped, as this machine has no PostgreSQL');
  const say = (line: string) => print(`blocked: ${line}`);
  try {
    await withSoakSite({ location: { kind: 'postgres', url: server.url } }, print, async (site) => {
      await site.start();
      await work(site, 3);
      const blocked: BlockedSite = {
        databaseUrl: server.url,
        url: site.url(),
        webhookSecret: site.sandbox.webhookSecret,
        now: systemClock.now,
      };
      for (const table of ['payment_retry.events', 'payment_retry.invoices'])
        await sendBesideTable(site, blocked, table, say);
      await sendBesideRow(blocked, say);
      await standStill(site, blocked, say);
      say(`whole afterwards ${JSON.stringify(await site.expectWhole())}`);
    });
  } finally {
    await server.stop();
  }
}

const work = (site: SoakSite, count: number) => Promise.all(Array.from({ length: count }, () => site.work()));

async function sendBesideTable(
  site: SoakSite,
  blocked: BlockedSite,
  table: string,
  say: (line: string) => void,
): Promise<void> {
  const begun = work(site, 5);
  const { webhooks, ready, waitingSessions } = await whileTableIsBlocked(blocked, table, BLOCKED_MS);
  await begun;
  say(
    `${table} behind a reader and a change for ${BLOCKED_MS / 1000} s: webhooks ${describe(webhooks)}; /readyz ${ready.join(' ')}; at most ${waitingSessions} sessions waited`,
  );
  expectPrompt(webhooks);
  const isOfWebhooks = table.endsWith('.events');
  // The last ones are answered when it is over.
  if (isOfWebhooks && ready.slice(0, -3).includes(200))
    throw new Error('It was ready while it took no webhook.');
  if (!isOfWebhooks && webhooks.some(({ status }) => status !== 200))
    throw new Error('Webhooks were refused although their table was free.');
  await eventually(async () => {
    const { status } = await sendEvent(blocked, `evt_after_${table}`);
    if (status !== 200) throw new Error(`A webhook was answered ${status}.`);
  });
}

async function sendBesideRow(blocked: BlockedSite, say: (line: string) => void): Promise<void> {
  const send = (name: string) =>
    Promise.all(Array.from({ length: EVENTS }, (_, index) => sendEvent(blocked, `evt_${name}_${index}`)));
  const free = await send('free');
  say(`${EVENTS} webhooks and no lock: ${describe(free)}`);
  const { release } = await blockRow(blocked.databaseUrl, 'evt_row_0');
  const answers = await send('row').finally(release);
  say(`one locked row among ${EVENTS} webhooks: ${describe(answers)}`);
  expectPrompt(answers, Math.max(...free.map(({ tookMs }) => tookMs)) + ROW_MS);
  const refused = answers.filter(({ status }) => status !== 200).map(({ id }) => id);
  if (refused.join() !== 'evt_row_0') throw new Error(`Refused: ${refused.join(', ')}`);
}

async function standStill(site: SoakSite, blocked: BlockedSite, say: (line: string) => void): Promise<void> {
  // One of its own: the end of another would end what is planned for its invoice.
  const price = site.sandbox.createPrice().id;
  const customer = site.sandbox.createCustomer({ email: 'jo@example.com' }).id;
  const subscription = site.sandbox.createSubscription({ customer, items: [{ price }] });
  const waitedMs = await waitBehindStopped(
    blocked,
    { table: 'payment_retry.subscriptions', id: subscription.id, mostMs: 4 * STOPPED_MS },
    {
      disturb: () => site.sandbox.cancelSubscription(subscription.id),
      stop: () => site.process().signal('SIGSTOP'),
    },
  );
  site.process().signal('SIGCONT');
  say(`a row that a stopped process holds was had after ${(waitedMs / 1000).toFixed(1)} s`);
  if (waitedMs > STOPPED_MS) throw new Error('A stopped process blocked others for too long.');
}

function expectPrompt(answers: readonly Answered[], mostMs = PROMPT_MS): void {
  const late = answers.filter(({ tookMs }) => tookMs > mostMs);
  if (late.length > 0)
    throw new Error(
      `${late.length} of ${answers.length} waited for longer than ${Math.round(mostMs / 1000)} s.`,
    );
}

function describe(answers: readonly Answered[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const seconds = answers.map(({ tookMs }) => tookMs / 1000).sort((one, other) => one - other);
  const late = seconds.filter((one) => one > 5).length;
  const at = (share: number) => (seconds[Math.floor(share * (seconds.length - 1))] ?? 0).toFixed(1);
  return `${JSON.stringify(Object.fromEntries(counts))}, half within ${at(0.5)} s, the last after ${at(1)} s, ${late} after more than 5 s`;
}
