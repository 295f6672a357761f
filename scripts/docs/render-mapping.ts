/** The page of how Stripe's objects become the service's records: each row is a subscription or an invoice that the mapper was given. */
import { DateTime } from 'luxon';
import { toContractRecord } from '../../src/core/contract/contract-extensions.ts';
import { toIsoAmounts } from '../../src/core/contract/iso-amounts.ts';
import { mapInvoice } from '../../src/plugin/sync/map/map-invoice.ts';
import { mapSubscription } from '../../src/plugin/sync/map/map-subscription.ts';

const at = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' }).toUnixInteger();
const CREATED = at('2026-11-01T00:00:00Z');
const CONTEXT = {
  observedAt: DateTime.fromISO('2026-11-20T12:00:00Z', { zone: 'utc' }),
  businessEntity: 'Example Ltd',
};

function item(id: string, cents: number | null, interval = 'month', more: object = {}) {
  const { recurring = {}, ...rest } = { recurring: {}, ...more };
  const price = {
    id: `price_${id}`,
    currency: 'usd',
    billing_scheme: 'per_unit',
    unit_amount: cents,
    recurring: { interval, interval_count: 1, usage_type: 'licensed', ...recurring },
  };
  const end = interval === 'year' ? at('2027-11-01T00:00:00Z') : at('2026-12-01T00:00:00Z');
  return { id: `si_${id}`, created: CREATED, quantity: 1, current_period_end: end, price, ...rest };
}

const items = (...data: object[]) => ({ items: { data } });

const SUBSCRIPTION = {
  id: 'sub_1',
  status: 'active',
  customer: 'cus_1',
  currency: 'usd',
  created: CREATED,
  start_date: CREATED,
  collection_method: 'charge_automatically',
  ...items(item('basic', 2000)),
};
const INVOICE = {
  id: 'in_1',
  status: 'open',
  customer: 'cus_1',
  currency: 'usd',
  amount_due: 2000,
  amount_remaining: 2000,
  created: CREATED,
};

type Row = readonly [what: string, given: object];

/** What differs from the ordinary one. */
const SUBSCRIPTIONS: readonly Row[] = [
  [
    'It is on trial: the first charge comes at its end',
    { status: 'trialing', trial_end: at('2026-11-15T00:00:00Z') },
  ],
  ['A payment failed', { status: 'past_due' }],
  ['Payments failed, and invoices stay drafts', { status: 'unpaid' }],
  ['The trial ended without a payment method', { status: 'paused' }],
  ['The sign-up is not paid yet', { status: 'incomplete' }],
  ['The sign-up was never paid', { status: 'incomplete_expired', ended_at: at('2026-11-02T00:00:00Z') }],
  [
    'It has ended',
    { status: 'canceled', canceled_at: at('2026-11-10T00:00:00Z'), ended_at: at('2026-11-12T00:00:00Z') },
  ],
  ['It will end with its period', { cancel_at_period_end: true, cancel_at: at('2026-12-01T00:00:00Z') }],
  ['It will end on a day', { cancel_at: at('2027-03-01T00:00:00Z') }],
  [
    'Collection is paused',
    { pause_collection: { behavior: 'keep_as_draft', resumes_at: at('2027-01-01T00:00:00Z') } },
  ],
  ['The customer pays by hand', { collection_method: 'send_invoice' }],
  ['Metadata names the business entity', { metadata: { business_entity: 'Example GmbH' } }],
  ['Three seats', items(item('seat', 1500, 'month', { quantity: 3 }))],
  ['Two items of one interval', items(item('basic', 2000), item('extra', 500))],
  [
    'Yearly and monthly items: the monthly ones decide',
    items(item('licence', 30_000, 'year'), item('support', 5000)),
  ],
  [
    'Metered usage on top',
    items(item('basic', 2000), item('usage', 5, 'month', { recurring: { usage_type: 'metered' } })),
  ],
  ['A discount', { discounts: ['di_1'] }],
  ['Billed in advance', items(item('basic', 2000, 'month', { billed_until: at('2027-11-01T00:00:00Z') }))],
  ['Every three months', items(item('quarter', 5000, 'month', { recurring: { interval_count: 3 } }))],
  ['Every week', items(item('weekly', 700, 'week'))],
  [
    'In ISK, which Stripe counts in hundredths',
    { currency: 'isk', ...items(item('is', 250_000, 'month', {})) },
  ],
];

const INVOICES: readonly Row[] = [
  ['It is paid', { status: 'paid', amount_remaining: 0 }],
  ['It is a draft', { status: 'draft' }],
  ['It is void', { status: 'void' }],
  ['It was written off: it can still be paid', { status: 'uncollectible' }],
  ['A part of it is paid', { amount_remaining: 500 }],
  [
    'A discount took all of it off',
    {
      amount_due: 0,
      amount_remaining: 0,
      status: 'paid',
      total_discount_amounts: [{ amount: 2000, discount: 'di_1' }],
    },
  ],
  ['The customer pays it by hand', { collection_method: 'send_invoice' }],
  ['The customer lives in Germany', { customer_address: { country: 'DE', state: null } }],
  [
    'In UGX, which Stripe counts in hundredths',
    { currency: 'ugx', amount_due: 1_500_000, amount_remaining: 1_500_000 },
  ],
];

type Message = Readonly<Record<string, unknown>>;
type Mapped = ReturnType<typeof mapSubscription> | ReturnType<typeof mapInvoice>;

/** As a stranger would send it. */
const given = (object: object) => JSON.parse(JSON.stringify(object));
const ofSubscription = (object: object): Mapped => {
  const priced = given(object);
  for (const one of priced.items.data) one.price.currency = priced.currency;
  return mapSubscription(priced, CONTEXT);
};
const ofInvoice = (object: object): Mapped => mapInvoice(given(object), CONTEXT);

const SILENT: Readonly<Record<string, string>> = {
  held_back: 'nothing until it is paid',
  no_message: 'nothing',
};

function messageOf(mapped: Mapped): Message | undefined {
  return mapped.kind === 'message' ? toIsoAmounts({ ...mapped.message }) : undefined;
}

function toRow(
  kind: 'subscriptions' | 'invoices',
  { what, mapped, usual }: { what: string; mapped: Mapped; usual: Message },
): string {
  const message = messageOf(mapped);
  if (!message) return `| ${what} | ${SILENT[mapped.kind] ?? mapped.kind} | |`;
  const changed = Object.entries(message).filter(([name, value]) => usual[name] !== value);
  const gone = Object.keys(usual).filter((name) => !(name in message));
  const contract = toContractRecord(kind, message);
  const show = (isContract: boolean) => {
    const fields = changed.filter(([name]) => name in contract === isContract);
    const without = gone.filter((name) => isContract === name in toContractRecord(kind, usual));
    return [
      ...fields.map(([name, value]) => `\`${name}\`: ${JSON.stringify(value)}`),
      ...without.map((name) => `no \`${name}\``),
    ].join('<br>');
  };
  return `| ${what} | ${show(true) || 'as usual'} | ${show(false)} |`;
}

function toTable(
  kind: 'subscriptions' | 'invoices',
  { rows, usual: object, map }: { rows: readonly Row[]; usual: object; map: (object: object) => Mapped },
): string {
  const usual = messageOf(map(object));
  if (!usual) throw new Error('The ordinary one has a message.');
  const lines = rows.map(([what, more]) => toRow(kind, { what, mapped: map({ ...object, ...more }), usual }));
  return [
    '```json',
    JSON.stringify(usual, null, 2),
    '```',
    '',
    '| At Stripe | The contract’s fields that differ | Extension fields that differ |',
    '|---|---|---|',
    ...lines,
  ].join('\n');
}

export function renderMapping(): string {
  return `# What the service is sent

For anyone who writes or runs a retry service. The mapper itself made each row (\`npm run docs:mapping\`). Extension fields go to a service that lists
\`extended_records\` in \`GET /v1/capabilities\`.

- Amounts are in the currency's smallest unit after ISO 4217, so ISK and UGX in whole units.
- A subscription's \`amount\` is the price of one period: licensed items, before discounts and taxes.
- If intervals differ, the one that renews most often decides plan, amount, period and \`expiresAt\`; in it the largest amount names the plan.
- \`expiresAt\` is the end where one is set, otherwise the next renewal; \`endsAt\` and \`renewsAt\` separate them.
- A service that refuses \`BILLING_PERIOD_UNIT_DAY\` or \`BILLING_PERIOD_UNIT_WEEK\` gets records without their period.

## Subscriptions

An ordinary one, active and monthly:

${toTable('subscriptions', { rows: SUBSCRIPTIONS, usual: SUBSCRIPTION, map: ofSubscription })}

## Invoices

An ordinary one, open:

${toTable('invoices', { rows: INVOICES, usual: INVOICE, map: ofInvoice })}
`;
}
