import { IMPATIENT } from '../../clients/patience.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { findPromise } from '../../store/tables/retry/emails.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import type { DueInvoice } from './card-update-page.ts';
import { countAtStake, findConsequence } from './consequence.ts';
import { isLost } from './end-notice.ts';
import { readOwedFacts } from './invoice-facts.ts';
import { listOwedBeside, type OwedInvoice } from './owed-together.ts';

type Deps = Pick<RetryDeps, 'stripe' | 'database' | 'config' | 'clock' | 'logger'>;

/** Debts on the card-update page by the rules of payments and emails: the link's invoice and the payer's others. */
export async function findDueInvoice(
  deps: Deps,
  account: string,
  invoiceId: string,
): Promise<DueInvoice | undefined> {
  const found = await deps.stripe.findPayableInvoice(account, invoiceId, IMPATIENT);
  if (!found) return undefined;
  const linked = { found, invoice: readPayableInvoice(found) };
  const facts = await createFacts(deps, account, linked.invoice).collection(deps.config);
  const isOver = findCollectionObjection(facts) !== undefined;
  const beside = await listOwedBeside(deps, account, linked, { isAnyMethod: true, patience: IMPATIENT });
  const { onBehalfOf, subscription, hostedUrl } = linked.invoice;
  if (hostedUrl !== undefined && beside.length === 0 && isLost(facts))
    return {
      onBehalfOf,
      payUrl: hostedUrl,
      resumes: deps.config.afterEnd === 'resume',
      ...(await describe(deps, account, [linked])),
    };
  const canBePaused = account === OWN_ACCOUNT && subscription?.canPause && !isOver;
  const isOffered = canBePaused && (await deps.stripe.offersPause(deps.config.portalConfiguration));
  const pausable = isOffered ? subscription.id : undefined;
  return { onBehalfOf, pausable, ...(await describe(deps, account, isOver ? beside : [linked, ...beside])) };
}

async function describe(deps: Deps, account: string, due: readonly OwedInvoice[]): Promise<DueInvoice> {
  const keys = due.map(({ invoice }) => ({ account, invoiceId: invoice.id }));
  const promises = await Promise.all(keys.map((key) => findPromise(deps.database, key)));
  const promise = promises.find((one) => one !== undefined);
  const consequence = await findConsequence(deps, keys, {
    subscriptions: countAtStake(due),
    promisedAt: promise,
  });
  return { ...(await readOwedFacts(deps, account, due, IMPATIENT)), consequence };
}
