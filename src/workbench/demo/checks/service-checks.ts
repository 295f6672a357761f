/** Compares the retry service's records over HTTP with Stripe and the plugin. */
import { isDeepStrictEqual } from 'node:util';
import { type RecoveryActionRecord, recoveryActionsPage } from '../../../core/contract/contract.ts';
import { extendedSubscription } from '../../../core/contract/contract-extensions.ts';
import { createStripeClient } from '../../../plugin/clients/stripe-client.ts';
import { OWN_ACCOUNT } from '../../../plugin/settings/account.ts';
import { listRequestIds } from '../../../plugin/store/tables/retry/instructions.ts';
import { listSubscriptions } from '../../../plugin/store/tables/sync/subscriptions.ts';
import { mapSubscription } from '../../../plugin/sync/map/map-subscription.ts';
import { listAllTransactions, listSubscriptionMessages } from '../../../service/store/service-contents.ts';
import type { CustomerWorld } from '../../customers/customer-world.ts';
import {
  eventSubject,
  type InvoiceAccount,
  listChargesOf,
  ORGANIZATION,
  VOIDED,
} from '../../customers/ledger.ts';
import { instantOf } from '../../customers/text/words.ts';
import type { Check } from './check.ts';
import { compareIds } from './check.ts';

export async function checkService(
  world: CustomerWorld,
  accounts: readonly InvoiceAccount[],
): Promise<Check[]> {
  const listed = await listOverHttp(world);
  return [
    await checkInstructions(world, listed),
    checkOutstanding(listed, accounts),
    await checkTransactions(world),
    await checkSubscriptions(world),
  ];
}

/** Lists with the service's key, page by page, as any client would. */
async function listOverHttp({ plugin }: CustomerWorld): Promise<RecoveryActionRecord[]> {
  const { service } = plugin.parts;
  const actions: RecoveryActionRecord[] = [];
  let pageToken = '';
  do {
    const url = new URL('/v1/recovery_actions', service?.url);
    url.search = new URLSearchParams({ pageSize: '100', ...(pageToken ? { pageToken } : {}) }).toString();
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${plugin.config.service.apiKey}` } });
    const page = recoveryActionsPage.parse(await answer.json());
    actions.push(...page.recoveryActions);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return actions;
}

/** Instructions replaced before they were sent never reached us. */
async function checkInstructions(
  { plugin }: CustomerWorld,
  listed: readonly RecoveryActionRecord[],
): Promise<Check> {
  const received = await listRequestIds(plugin.parts.database, OWN_ACCOUNT);
  const known = new Set(received);
  const sent = listed
    .filter(({ status, requestId }) => known.has(requestId) || !isUnsent(status))
    .map(({ requestId }) => requestId);
  return {
    name: `every instruction of the service received once: ${received.length} of ${sent.length}`,
    problems: compareIds({ name: 'the service', ids: sent }, { name: 'the plugin', ids: received }),
  };
}

function isUnsent(status: string): boolean {
  return status === 'RECOVERY_ACTION_STATUS_PENDING' || status === 'RECOVERY_ACTION_STATUS_CANCELED';
}

function checkOutstanding(
  listed: readonly RecoveryActionRecord[],
  accounts: readonly InvoiceAccount[],
): Check {
  const settled = new Map(
    accounts
      // The contract has no state for a void invoice: the service goes on asking, and the plugin declines.
      .filter(({ outcome }) => outcome.kind !== 'waiting' && outcome.reason !== VOIDED)
      .map(({ id, customer, outcome }) => [id, `(${customer}, ${outcome.kind})`]),
  );
  const problems = listed
    .filter(({ status, invoiceId }) => OUTSTANDING.has(status) && settled.has(invoiceId))
    .map(
      ({ id, invoiceId }) => `${invoiceId} ${settled.get(invoiceId)} is settled, yet ${id} is outstanding`,
    );
  const known = new Set(accounts.map(({ id }) => id));
  for (const { id, invoiceId } of listed)
    if (!known.has(invoiceId)) problems.push(`${id}: is about ${invoiceId}, which never failed`);
  return {
    name: `the service asks nothing more of settled invoices: ${settled.size} of ${accounts.length}`,
    problems,
  };
}

const OUTSTANDING: ReadonlySet<string> = new Set([
  'RECOVERY_ACTION_STATUS_PENDING',
  'RECOVERY_ACTION_STATUS_SENT',
]);

async function checkTransactions({ sandbox, plugin }: CustomerWorld): Promise<Check> {
  const charges = [...sandbox.state.invoices.newestFirst()]
    .flatMap(({ id }) => listChargesOf(sandbox, id))
    .filter(({ status }) => status !== 'pending');
  const ids = [...charges.map(({ id }) => id), ...listWaitingIntents(sandbox)];
  const stored = await listAllTransactions(plugin.parts.database, ORGANIZATION);
  return {
    name: `the service knows every attempt at Stripe once: ${stored.length} of ${ids.length}`,
    problems: compareIds({ name: 'Stripe', ids }, { name: 'the service', ids: stored.map(({ id }) => id) }),
  };
}

/** Attempts that made no charge, because the bank wanted the customer first. */
function listWaitingIntents({ state }: CustomerWorld['sandbox']): string[] {
  const waited = [...state.events.newestFirst({ index: 'type', key: 'payment_intent.requires_action' })];
  return [...new Set(waited.map((event) => eventSubject.parse(event.data.object).id))];
}

/** Stripe's object as it is now, mapped; the plugin's message; the service's record: all three are one. */
async function checkSubscriptions({ sandbox, plugin, clock }: CustomerWorld): Promise<Check> {
  const { config, parts } = plugin;
  const stripe = createStripeClient(config);
  const ours = new Map((await listSubscriptions(parts.database, OWN_ACCOUNT)).map((row) => [row.id, row]));
  const theirs = new Map(
    (await listSubscriptionMessages(parts.database, ORGANIZATION)).map((row) => [row.id, row.message]),
  );
  const businessEntity = (await stripe.findProfile(OWN_ACCOUNT))?.name ?? '';
  const problems: string[] = [];
  const ids = [...sandbox.state.subscriptions.newestFirst()].map(({ id }) => id);
  for (const id of ids) {
    const current = await stripe.findSubscription(OWN_ACCOUNT, id);
    const context = {
      observedAt: clock.now(),
      businessEntity,
    };
    const mapped = current && mapSubscription(current, context);
    const expected = mapped?.kind === 'message' ? withoutVersion(mapped.message) : undefined;
    const row = ours.get(id);
    const kept = theirs.get(id);
    if (!isDeepStrictEqual(withoutVersion(row?.message ?? {}), expected))
      problems.push(`${id}: the plugin's message differs from Stripe's object`);
    if (
      !isDeepStrictEqual(withoutVersion(kept ? extendedSubscription.parse(JSON.parse(kept)) : {}), expected)
    )
      problems.push(`${id}: the service's record differs from Stripe's object`);
    if (row?.version.toMillis() !== row?.deliveredVersion?.toMillis())
      problems.push(`${id}: its last change was not delivered`);
  }
  return { name: `every subscription is known as it is at Stripe: ${ids.length}`, problems };
}

/** The service writes the same instants with milliseconds. */
function withoutVersion({ updatedAt: _, ...message }: { updatedAt?: unknown }): object {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [
      name,
      name.endsWith('At') ? instantOf(value)?.toMillis() : value,
    ]),
  );
}
