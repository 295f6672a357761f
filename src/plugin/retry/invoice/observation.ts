/** Whether an invoice is only observed: actions are recorded, not done. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../../core/database/database.ts';
import type { EmailTemplate } from '../../actions/action-kinds.ts';
import type { Config } from '../../settings/config.ts';
import type { RecoveryScope } from '../../settings/schema/limit-settings.ts';
import type { Plan } from '../../store/tables/retry/acknowledgment.ts';
import { type Arm, findArm, keepLot } from '../../store/tables/retry/lots.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { StoredInvoice } from '../../store/tables/sync/invoices.ts';
import type { ActionResult } from '../actions/action-result.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PayableInvoice } from './payable-invoice.ts';

type ScopedInvoice = Pick<PayableInvoice, 'customerId' | 'customer' | 'currency' | 'plans' | 'metadata'>;

type LotDeps = Pick<RetryDeps, 'database' | 'config'>;

/** Filters of RECOVER, in the order in which they are named. */
const FILTERS = ['plan', 'country', 'currency', 'metadata', 'percent'] as const;
type Filter = (typeof FILTERS)[number];

/** The setting that leaves an invoice out, and of RECOVER the kind of filter. */
export type LeftOutBy = 'RETRY_MODE' | 'EXPERIMENT' | `RECOVER ${Filter}`;

const INCLUDES: Readonly<
  Record<Filter, (scope: RecoveryScope, invoice: ScopedInvoice, account: string) => boolean>
> = {
  plan: ({ plans }, invoice) => plans.length === 0 || plans.some((plan) => invoice.plans.includes(plan)),
  country: ({ countries }, { customer }) =>
    countries.length === 0 || countries.includes(customer?.address?.country?.toUpperCase() ?? ''),
  currency: ({ currencies }, { currency }) => currencies.length === 0 || currencies.includes(currency),
  metadata: ({ metadata: wanted }, { metadata }) =>
    wanted.length === 0 || wanted.some(({ key, value }) => metadata.some((given) => given[key] === value)),
  percent: ({ percent }, { customerId }, account) => placeOf(account, customerId) < percent,
};

/** The setting that excludes the invoice; undefined if it is recovered. */
export function findObservation(
  { mode, scope }: Pick<Config, 'mode' | 'scope'>,
  account: string,
  invoice: ScopedInvoice,
): LeftOutBy | undefined {
  if (mode === 'observe') return 'RETRY_MODE';
  const filter = FILTERS.find((one) => !INCLUDES[one](scope, invoice, account));
  return filter && `RECOVER ${filter}`;
}

/** Same, including the control group, which Stripe retries and ends, but which gets our emails. */
export async function findLeftOut(
  deps: LotDeps,
  account: string,
  invoice: PayableInvoice,
): Promise<LeftOutBy | undefined> {
  return findObservation(deps.config, account, invoice) ?? (await findLotOf(deps, account, invoice));
}

/** What is known without asking Stripe, which has plan, country and metadata. */
export async function foreseeLeftOut(
  { config: { scope, ...config } }: Pick<LotDeps, 'config'>,
  database: Queryable,
  { account, plan, invoice }: { account: string; plan: Plan; invoice: StoredInvoice | undefined },
): Promise<LeftOutBy | undefined> {
  if (config.mode === 'observe') return 'RETRY_MODE';
  if (plan.kind !== 'action' || !invoice) return undefined;
  const known = { ...invoice, customer: undefined, plans: [], metadata: [] };
  const setting = findObservation(
    { ...config, scope: { ...scope, plans: [], countries: [], metadata: [] } },
    account,
    known,
  );
  return setting ?? (plan.action === 'pay' ? findLotOf({ database, config }, account, invoice) : undefined);
}

/** `EXPERIMENT` if the customer's control group leaves the invoice to Stripe. */
export async function findLotOf(
  { database, config }: { database: Queryable; config: Pick<Config, 'experiment'> },
  account: string,
  { customerId, id }: Pick<PayableInvoice, 'customerId' | 'id'>,
): Promise<LeftOutBy | undefined> {
  if (config.experiment?.against !== 'stripe') return undefined;
  const arm = await findArm(database, { account, customerId, invoiceId: id });
  return arm === 'control' ? 'EXPERIMENT' : undefined;
}

/** Assigns the customer at a failure; an existing assignment stays. */
export async function drawLot(
  deps: LotDeps & Pick<RetryDeps, 'clock'>,
  account: string,
  invoice: Pick<PayableInvoice, 'customerId' | 'id'>,
): Promise<LeftOutBy | undefined> {
  const { experiment, mode } = deps.config;
  if (experiment?.against !== 'stripe') return undefined;
  const { percent } = experiment;
  const { customerId, id: invoiceId } = invoice;
  const arm: Arm = placeOf(`${account} stripe`, customerId) < percent ? 'control' : 'ours';
  const lot = { account, customerId, invoiceId, arm, percent, mode };
  await deps.database.transaction((tx) => keepLot(tx, { ...lot, at: deps.clock.now() }));
  return findLotOf(deps, account, invoice);
}

/** Hands back invoices that a narrower scope leaves out: otherwise nobody would collect them. */
export async function leaveToStripe(
  { database, enqueue }: Pick<RetryDeps, 'database' | 'enqueue'>,
  { account, invoiceId }: InvoiceKey,
  setting: LeftOutBy,
): Promise<void> {
  // `observe` mode changes nothing.
  if (setting === 'RETRY_MODE' || !(await isTakenOver(database, { account, invoiceId }))) return;
  const reason = { code: 'outside_scope', setting } as const;
  await enqueue('hand-back-invoice', [{ data: { account, invoiceId, reason } }]);
}

/** Replaces an email. */
export function observedEmail(template: EmailTemplate, setting: LeftOutBy): ActionResult {
  const audit = { kind: 'observed.email' as const, detail: { template, setting } };
  return { state: 'done', reason: { code: 'email_observed', template }, audit };
}

/** A fixed number from 0 to below 100 per customer: customers in at 10 percent are in at 20. */
function placeOf(account: string, customerId: string): number {
  const digest = createHash('sha256').update(`${account} ${customerId}`).digest();
  return (digest.readUInt32BE(0) / 2 ** 32) * 100;
}
