/** Whether everything that was acknowledged is done: what a part of the soak ends with. */

import { systemClock } from '../../src/core/base/clock.ts';
import type { DatabaseLocation, Queryable } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { countUndelivered } from '../../src/plugin/store/tables/sync/outbox.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { SECRETS } from './secrets.ts';

export async function expectNothingWaits(url: string): Promise<void> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` },
  });
  const figures = await response.text();
  const waiting = figures.match(/^payment_retry_(rows\{.*state="waiting"\} [1-9]|stalled_queue\{).*$/gm);
  if (response.status !== 200 || waiting) throw new Error(`Work waits: ${waiting ?? response.status}`);
}

/** Unpaid invoices with an attempt that is still to come. */
export async function listPlanned(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/failing_invoices?state=open&limit=500`, {
    headers: { authorization: `Bearer ${SECRETS.OPERATOR_TOKEN}` },
  });
  const { invoices }: { invoices: { invoice: string; next: { kind: string; at: string } | null }[] } =
    await response.json();
  const now = systemClock.now().toISO();
  return invoices.flatMap(({ invoice, next }) => (next?.kind === 'pay' && next.at > now ? [invoice] : []));
}

export function expectPaid(
  sandbox: Sandbox,
  instructed: ReadonlySet<string>,
  planned: readonly string[],
): void {
  const open = [...instructed].filter(
    (id) => sandbox.state.invoices.get(id)?.status !== 'paid' && !planned.includes(id),
  );
  if (open.length > 0) throw new Error(`Not paid yet: ${open.join(', ')}`);
}

/** What the database says once nobody has it open. Throws for anything that was lost. */
export async function inspect(
  location: DatabaseLocation,
  sandbox: Sandbox,
  instructed: ReadonlySet<string>,
  later: readonly string[],
): Promise<Record<string, number>> {
  const database = await openDatabase(location);
  try {
    await expectDone(database);
    const planned = await listWithJob(database);
    const known = await database.query<{ id: string }>('select id from payment_retry.events');
    const ids = new Set(known.map(({ id }) => id));
    const taken = sandbox.state.deliveries.filter(({ status }) => status === 200);
    const lost = taken.filter(({ eventId }) => !ids.has(eventId));
    if (lost.length > 0)
      throw new Error(`Acknowledged and lost: ${lost.map((one) => one.eventId).join(', ')}`);
    const waiting = new Set(later.filter((id) => instructed.has(id) && planned.get(id) === 1));
    const wrong = [...instructed].filter((id) => chargesOf(sandbox, id) !== (waiting.has(id) ? 0 : 1));
    const describe = (id: string) =>
      `${id} (${sandbox.state.invoices.get(id)?.status}, attempts: ${chargesOf(sandbox, id)}, planned: ${planned.get(id) ?? 0})`;
    if (wrong.length > 0) throw new Error(`Not paid exactly once: ${wrong.map(describe).join(', ')}`);
    return {
      events: ids.size,
      acknowledged: taken.length,
      paid: instructed.size - waiting.size,
      ...(waiting.size > 0 && { planned: waiting.size }),
    };
  } finally {
    await database.close();
  }
}

/** How many attempts of each invoice are planned and have a job that waits for their time. */
async function listWithJob(database: Queryable): Promise<Map<string, number>> {
  const rows = await database.query<{ invoiceId: string; count: number }>(
    `select invoice_id, count(*) from payment_retry.actions
     where kind = 'pay' and state = 'scheduled' and exists (
       select from payment_retry_jobs.job where name = 'execute-action' and state < 'active'
         and data->>'actionId' = actions.id::text and start_after <= actions.due_at + interval '1 minute')
     group by invoice_id`,
  );
  return new Map(rows.map(({ invoiceId, count }) => [invoiceId, count]));
}

function chargesOf(sandbox: Sandbox, invoiceId: string): number {
  const paid = sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${invoiceId}/pay`);
  return new Set(paid.map(({ idempotencyKey }) => idempotencyKey)).size;
}

async function expectDone(database: Queryable): Promise<void> {
  const waiting = await database.query(
    `select 'event' as what, id from payment_retry.events 
       where processed_at is null or results->0->>'code' = 'dead' and results->0->'reason' is null
     union all
     select 'instruction', request_id from payment_retry.instructions where handled_at is null
     union all
     select 'dead letter', id::text from payment_retry_jobs.job where name = 'dead-letters'`,
  );
  if (waiting.length > 0) throw new Error(`Left undone: ${JSON.stringify(waiting.slice(0, 10))}`);
  const { count } = await countUndelivered(database);
  if (count > 0) throw new Error(`Not delivered: ${count}`);
}
