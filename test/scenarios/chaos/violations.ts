/** What is wrong once everything has had its time: empty if nothing was lost, doubled or mistaken. */
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { RecordingService } from '../../support/http/recording-service.ts';
import { expectedRecord } from './expected-view.ts';
import { REFUSED_ENTITY } from './life.ts';
import { limitViolations } from './limit-violations.ts';

export interface Aftermath {
  readonly sandbox: Sandbox;
  readonly service: RecordingService;
  /** Request ids of the instructions that were answered with 200. */
  readonly acknowledged: ReadonlySet<string>;
  /** The end, in seconds since 1970. */
  readonly now: number;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
}

export async function findViolations(after: Aftermath): Promise<string[]> {
  const parts = [
    wrongRecords(after),
    olderAfterNewer(after),
    await lostInstructions(after),
    await unfinishedActions(after),
    await wrongAttempts(after),
    await wrongCharges(after),
    await overLimits(after),
    await latePayments(after),
    await putAside(after),
  ];
  return parts.flat();
}

function isRefusable({ sandbox }: Aftermath, id: string): boolean {
  return sandbox.state.subscriptions.get(id)?.metadata.business_entity === REFUSED_ENTITY;
}

/** Every field of every subscription. */
function wrongRecords(after: Aftermath): string[] {
  const { sandbox, service, now } = after;
  return [...sandbox.state.subscriptions.newestFirst()].flatMap(({ id }) => {
    const expected = expectedRecord(sandbox, id);
    const told = service.view.get(id);
    if (!expected) return told ? [`${id} is incomplete, and the service was told of it`] : [];
    if (isRefusable(after, id)) return [];
    if (!told) return [`the service was never told of ${id}`];
    const { updatedAt, ...fields } = told;
    const names = new Set([...Object.keys(fields), ...Object.keys(expected.fields)]);
    const wrong = [...names]
      .filter((name) => fields[name] !== expected.fields[name])
      .map((name) => `${id}.${name} is ${fields[name]}, not ${expected.fields[name]}`);
    const told_ = Date.parse(updatedAt) / 1000;
    if (told_ < expected.changedAt || told_ > now) wrong.push(`${id}.updatedAt is ${updatedAt}`);
    return wrong;
  });
}

function olderAfterNewer({ sandbox, service }: Aftermath): string[] {
  return [...sandbox.state.subscriptions.newestFirst()].flatMap(({ id }) => {
    const told = service.versionsOf(id).map(({ updatedAt }) => updatedAt);
    return told.flatMap((at, index) =>
      Date.parse(at) < Date.parse(told[index - 1] ?? at)
        ? [`${id}: ${at} came after ${told[index - 1]}`]
        : [],
    );
  });
}

async function lostInstructions({ acknowledged, query }: Aftermath): Promise<string[]> {
  const rows = await query(
    'select request_id as id, state, handled_at as at from payment_retry.instructions',
  );
  const settled = new Set(['scheduled', 'no_action', 'refused']);
  const stored = new Map(rows.map((row) => [String(row.id), row]));
  // A payment that the card ends becomes an email beside it.
  const actions = await query(
    `select request_id as id, count(*) as count from payment_retry.actions where not starts_with(reference, 'asks ') group by 1`,
  );
  const counts = new Map(actions.map(({ id, count }) => [String(id), Number(count)]));
  return [...acknowledged].flatMap((id) => {
    const row = stored.get(id);
    if (!row) return [`instruction ${id} was acknowledged and is not stored`];
    if (row.at === null || !settled.has(String(row.state))) return [`instruction ${id} is ${row.state}`];
    const expected = row.state === 'scheduled' ? 1 : 0;
    const count = counts.get(id) ?? 0;
    return count === expected ? [] : [`instruction ${id} is ${row.state} and has ${count} actions`];
  });
}

/** Rules that hold a payment back for days, where a service asks without end. */
export const RESTS = ['attempts_with_card', 'hours_between_attempts', 'funds_lacked', 'equal_amount'];

async function unfinishedActions({ sandbox, query }: Aftermath): Promise<string[]> {
  const open = await query(
    `select id, kind, invoice_id as invoice, state, reason, reason->>'code' as code, reason->>'subscriptionId' as held
     from payment_retry.actions where state not in ('done', 'closed')`,
  );
  // What a merchant or a customer can take back holds a payment until then.
  const isHeld = (code: unknown, id: unknown) => {
    const subscription = sandbox.state.subscriptions.get(String(id));
    if (code === 'collection_paused') return subscription?.pause_collection != null;
    return (
      code === 'cancel_requested' && (subscription?.cancel_at_period_end || subscription?.cancel_at != null)
    );
  };
  const rows = open.filter(({ code, held }) => !RESTS.includes(String(code)) && !isHeld(code, held));
  return rows.map(
    (row) =>
      `action ${row.id} (${row.kind} ${row.invoice}) is still ${row.state}: ${JSON.stringify(row.reason)}`,
  );
}

/** Each of our attempts has a key of its own, an outcome, and at most one charge, which is that of no other. */
async function wrongAttempts({ sandbox, query }: Aftermath): Promise<string[]> {
  const rows = await query(
    `select id, invoice_id as invoice, source, idempotency_key as key, outcome from payment_retry.attempts`,
  );
  const keys = new Map(rows.filter(({ key }) => key !== null).map(({ key, invoice }) => [key, invoice]));
  const unknownKeys = sandbox.state.apiCalls
    .filter(({ path, idempotencyKey }) => /\/pay$/.test(path) && !isPayOf(path, keys.get(idempotencyKey)))
    .map(({ path, idempotencyKey }) => `${path} was called under ${idempotencyKey}, which no attempt has`);
  const open = rows
    .filter(({ outcome }) => outcome === null)
    .map(({ id, invoice }) => `attempt ${id} on ${invoice} has no outcome`);
  return [...unknownKeys, ...open];
}

const isPayOf = (path: string, invoice: unknown) => path === `/v1/invoices/${invoice}/pay`;

/** Stripe's charges and our attempts are the same, and nothing paid was charged again. */
async function wrongCharges({ sandbox, query }: Aftermath): Promise<string[]> {
  const { invoicePayments, charges, invoices } = sandbox.state;
  const rows = await query(
    // Where the bank wants the customer first there is no charge, and the attempt is known by its payment intent.
    `select invoice_id as invoice, charge_id as charge from payment_retry.attempts
     where charge_id is not null and not starts_with(charge_id, 'pi_')`,
  );
  const recorded = new Map(rows.map(({ charge, invoice }) => [charge, invoice]));
  const wrong: string[] = [];
  for (const { id } of invoices.newestFirst()) {
    const made = [...invoicePayments.newestFirst({ index: 'invoice', key: id })].flatMap(({ payment }) => [
      ...charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' }),
    ]);
    const paid = made.filter(({ status }) => status === 'succeeded');
    if (paid.length > 1) wrong.push(`${id} was paid ${paid.length} times`);
    for (const charge of made) {
      if (recorded.get(charge.id) !== id) wrong.push(`${charge.id} of ${id} is not among the attempts`);
      recorded.delete(charge.id);
      const [first] = paid;
      if (first && charge !== first && charge.created > first.created)
        wrong.push(`${id} was charged again after it was paid`);
    }
  }
  for (const [charge, invoice] of recorded)
    wrong.push(`the attempt with ${charge} on ${invoice} is not Stripe's`);
  return wrong;
}

async function overLimits({ sandbox, query }: Aftermath): Promise<string[]> {
  const rows = await query(
    `select charge_id as charge from payment_retry.attempts where source = 'ours' and charge_id is not null`,
  );
  return limitViolations(sandbox, new Set(rows.map(({ charge }) => String(charge))));
}

/** Ours that began after the subscription was over, or after a payment of the invoice was disputed. */
async function latePayments({ sandbox, query }: Aftermath): Promise<string[]> {
  const rows = await query(
    `select invoice_id as invoice, extract(epoch from started_at)::float8 as at from payment_retry.attempts
     where source = 'ours' and charge_id is not null`,
  );
  const disputed = new Map<string, number>();
  for (const { charge, created } of sandbox.state.disputes.newestFirst())
    disputed.set(String(charge), created);
  return rows.flatMap(({ invoice, at }) => {
    const stored = sandbox.state.invoices.get(String(invoice));
    const subscription = sandbox.state.subscriptions.get(
      String(stored?.parent?.subscription_details?.subscription),
    );
    const end = subscription?.ended_at ?? Number.POSITIVE_INFINITY;
    return Number(at) > end + 1 ? [`${invoice} was tried at ${at}, its subscription ended at ${end}`] : [];
  });
}

/** Nothing but what the service had to refuse. */
async function putAside(after: Aftermath): Promise<string[]> {
  const letters = await after.query(
    `select data::text as data, output::text as output from payment_retry_jobs.job where name = 'dead-letters'`,
  );
  const dead = await after.query(
    `select id, type, results, error from payment_retry.events where processed_at is null or results->0->>'code' = 'dead'`,
  );
  const refused = await after.query(
    `select id, refused_answer as answer from payment_retry.subscriptions where refused_version = version`,
  );
  const dirty = await after.query(
    `select id from payment_retry.subscriptions where message is not null
     and version is distinct from delivered_version and version is distinct from refused_version`,
  );
  const refusable = [...after.sandbox.state.subscriptions.newestFirst()]
    .map(({ id }) => id)
    .filter((id) => isRefusable(after, id) && expectedRecord(after.sandbox, id) !== undefined);
  const inQuarantine = new Set(refused.map(({ id }) => String(id)));
  return [
    ...letters.map(({ data, output }) => `a dead letter: ${data} ${output}`),
    ...dead.map(({ id, type, error }) => `event ${id} (${type}) is not processed: ${error}`),
    ...refused
      .filter(({ id }) => !isRefusable(after, String(id)))
      .map(({ id, answer }) => `${id} was refused: ${answer}`),
    ...refusable.filter((id) => !inQuarantine.has(id)).map((id) => `${id} should be in quarantine`),
    ...dirty.map(({ id }) => `${id} was not delivered`),
  ];
}
