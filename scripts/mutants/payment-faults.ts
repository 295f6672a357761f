/** In what charges an invoice, and in the guards before it. */
import type { Mutant } from './mutants.ts';

const ATTEMPT = 'src/plugin/retry/payment/carry-out-attempt.ts';
const PAY = 'src/plugin/retry/payment/pay-invoice.ts';
const SETTLE = 'src/plugin/retry/payment/settle-attempt.ts';
const OUTCOME = 'src/plugin/retry/payment/outcome.ts';
const ACTIONS = 'src/plugin/store/tables/retry/actions.ts';
const GUARDS = 'src/plugin/retry/guards/guards.ts';
const COLLECTION = 'src/plugin/retry/guards/collection-guards.ts';
const LIMITS = 'src/plugin/retry/guards/network-limits.ts';

export const PAYMENT_FAULTS: readonly Mutant[] = [
  {
    name: 'key-made-anew',
    cost: 'a repeated call charges a second time',
    file: ATTEMPT,
    find: 'await pay(deps, action, attempt.idempotencyKey ?? attempt.id);',
    replace: 'await pay(deps, action, attemptKey(action.invoiceId, randomUUID()));',
    killedBy: ['test/plugin/retry/payment/pay-invoice.test.ts'],
  },
  {
    name: 'call-before-its-row',
    cost: 'a charge that nobody knows of after a crash',
    file: ATTEMPT,
    find: `  const withheld = await deps.database.transaction(async (tx) => {
    if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return LOST_CLAIM;
    const objection = await prepare(tx);
    if (objection !== undefined) return objection;
    return (await countCall(tx, attempt.id, now)) ? undefined : LOST_CLAIM;
  });
  if (withheld !== undefined) {
    const audit = { kind: 'attempt.withheld' as const, detail: { ...withheld } };
    return { ...withheld, until: now.plus({ seconds: WITHHELD_SECONDS }), audit };
  }
  const outcome = await pay(deps, action, attempt.idempotencyKey ?? attempt.id);`,
    replace: `  const outcome = await pay(deps, action, attempt.idempotencyKey ?? attempt.id);
  const withheld = await deps.database.transaction(async (tx) => {
    if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return LOST_CLAIM;
    const objection = await prepare(tx);
    if (objection !== undefined) return objection;
    return (await countCall(tx, attempt.id, now)) ? undefined : LOST_CLAIM;
  });
  if (withheld !== undefined) {
    const audit = { kind: 'attempt.withheld' as const, detail: { ...withheld } };
    return { ...withheld, until: now.plus({ seconds: WITHHELD_SECONDS }), audit };
  }`,
    killedBy: ['test/plugin/retry/run/execute.test.ts'],
  },
  {
    name: 'call-without-its-claim',
    cost: 'a stopped or taken over action charges all the same',
    file: ATTEMPT,
    find: 'if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return LOST_CLAIM;',
    replace: '',
    killedBy: ['test/plugin/retry/run/execute.test.ts'],
  },
  {
    name: 'card-not-looked-at-again',
    cost: 'two processes exceed the limit of one card',
    file: ATTEMPT,
    find: 'if (await card.isOutdated(tx)) return CARD_IN_USE;',
    replace: '',
    killedBy: ['test/plugin/retry/payment/carry-out-attempt.test.ts'],
  },
  {
    name: 'charges-per-minute-off-by-one',
    cost: 'the emergency stop comes one charge too early',
    file: ATTEMPT,
    find: 'if ((await countCharge(tx, now)) <= max) return undefined;',
    replace: 'if ((await countCharge(tx, now)) < max) return undefined;',
    killedBy: ['test/scenarios/ceilings.test.ts'],
  },
  {
    name: 'open-attempt-forgotten',
    cost: 'a lost answer leads to a second charge',
    file: PAY,
    find: 'outcome === null && actionId === action.id);',
    replace: 'outcome === null && actionId === action.id && !found);',
    killedBy: ['test/plugin/retry/payment/pay-invoice.test.ts'],
  },
  {
    name: 'doubt-of-another-forgotten',
    cost: 'a second action charges while the first may have',
    file: PAY,
    find: 'const doubt = waitForDoubt(recorded, now);',
    replace: 'const doubt = waitForDoubt([], now);',
    killedBy: ['test/plugin/retry/payment/pay-invoice.test.ts'],
  },
  {
    name: 'made-attempt-made-again',
    cost: 'a process that dies late tries a card twice',
    file: PAY,
    find: 'attempt.actionId === action.id && isMade(attempt));',
    replace: 'attempt.actionId !== action.id && isMade(attempt));',
    killedBy: ['test/plugin/retry/run/execute.test.ts'],
  },
  {
    name: 'mirror-instead-of-stripe',
    cost: 'an invoice that was paid elsewhere is charged',
    file: PAY,
    find: 'const found = await deps.stripe.findPayableInvoice(account, invoiceId);',
    replace: `const fresh = await deps.stripe.findPayableInvoice(account, invoiceId);
  const [mirror] = await deps.database.query<{ status: 'open'; amountRemaining: number }>(
    'select status, amount_remaining from payment_retry.invoices where account = $1 and id = $2',
    [account, invoiceId],
  );
  const found = fresh && mirror ? { ...fresh, status: mirror.status, amount_remaining: mirror.amountRemaining } : fresh;`,
    killedBy: ['test/plugin/retry/payment/pay-invoice.test.ts'],
  },
  {
    name: 'observe-mode-charges',
    cost: 'a trial run takes money',
    file: PAY,
    find: 'if (observed !== undefined) return observe(deps, action, { invoice, observed });',
    replace: '',
    killedBy: ['test/scenarios/observe-mode.test.ts'],
  },
  {
    name: 'key-outlives-stripes-memory',
    cost: 'a key that Stripe has forgotten charges anew',
    file: SETTLE,
    find: 'const KEY_LIFE_HOURS = 23;',
    replace: 'const KEY_LIFE_HOURS = 25;',
    killedBy: ['test/plugin/retry/payment/settle-attempt.test.ts'],
  },
  {
    name: 'call-under-way-taken-for-lost',
    cost: 'a slow call and its substitute both charge',
    file: SETTLE,
    find: 'const IN_FLIGHT_MINUTES = 5;',
    replace: 'const IN_FLIGHT_MINUTES = 0;',
    killedBy: ['test/plugin/retry/payment/settle-attempt.test.ts'],
  },
  {
    name: 'charge-of-another-attempt-taken',
    cost: 'one charge settles two attempts, and one is lost',
    file: SETTLE,
    find: 'created >= since && !owned.has(id));',
    replace: 'created >= since);',
    killedBy: ['test/plugin/retry/payment/settle-attempt.test.ts'],
  },
  {
    name: 'throttling-taken-for-refusal',
    cost: 'an instructed payment is dropped',
    file: OUTCOME,
    find: '!(error instanceof RateLimitError || error instanceof IdempotencyError);',
    replace: '!(error instanceof IdempotencyError);',
    killedBy: ['test/plugin/retry/payment/outcome.test.ts'],
  },
  {
    name: 'no-answer-taken-for-no-charge',
    cost: 'after a lost answer the invoice is charged again',
    file: OUTCOME,
    find: "return { kind: 'unknown', ...(statusCode === undefined ? {} : { status: statusCode }), error: message };",
    replace: "return message ? { kind: 'not_executed', code: 'no_charge_found' } : { kind: 'unknown' };",
    killedBy: ['test/plugin/retry/payment/outcome.test.ts'],
  },
  {
    name: 'library-repeats-the-call',
    cost: 'calls to pay that nobody counts',
    file: 'src/plugin/clients/stripe-changes.ts',
    find: 'idempotencyKey: request.idempotencyKey, maxNetworkRetries: 0 };',
    replace: 'idempotencyKey: request.idempotencyKey, maxNetworkRetries: 2 };',
    killedBy: ['test/plugin/clients/stripe-changes.test.ts', 'test/plugin/retry/payment/pay-invoice.test.ts'],
  },
  {
    name: 'claim-without-its-lock',
    cost: 'two processes carry out one action',
    file: ACTIONS,
    find: 'for update skip locked)',
    replace: ')',
    killedBy: ['test/plugin/store/tables/retry/actions.test.ts'],
  },
  {
    name: 'claim-of-the-living-taken',
    cost: 'a slow process is overtaken in the middle of a payment',
    file: ACTIONS,
    find: "or (state = 'running' and not ${isClaimed('$2')})",
    replace: "or state = 'running'",
    killedBy: ['test/plugin/store/tables/retry/actions.test.ts'],
  },
  {
    name: 'postponed-without-its-claim',
    cost: 'a slow run frees what another one is doing',
    file: ACTIONS,
    find: "where id = $1 and state = 'running' and claimed_until = $4",
    replace: "where id = $1 and state = 'running' and $4::timestamptz is not null",
    killedBy: ['test/plugin/store/tables/retry/actions.test.ts'],
  },
  {
    name: 'stop-not-seen-before-the-call',
    cost: 'a person stops an invoice, and it is charged',
    file: ACTIONS,
    find: 'and claimed_until = $2 and claimed_until > $3 and closed_at is null',
    replace: 'and claimed_until = $2 and claimed_until > $3',
    killedBy: ['test/plugin/retry/run/execute.test.ts'],
  },
  {
    name: 'pause-not-seen-before-the-call',
    cost: 'the kill switch comes too late for what runs',
    file: ACTIONS,
    find: "       and not ${isPaused('actions')}",
    replace: '',
    killedBy: ['test/scenarios/kill-switch.test.ts'],
  },
  {
    name: 'doubt-closed-with-its-action',
    cost: 'nobody finds out what a lost call did',
    file: ACTIONS,
    find: "where id = $1 and state in ('scheduled', 'running') and not ${IN_DOUBT}",
    replace: "where id = $1 and state in ('scheduled', 'running')",
    killedBy: ['test/plugin/store/tables/retry/actions.test.ts'],
  },
  {
    name: 'customers-payments-at-once',
    cost: 'two payments of one customer block each other',
    file: 'src/plugin/store/migrations/0001.sql',
    find: 'create unique index actions_single_flight',
    replace: 'create index actions_single_flight',
    killedBy: ['test/plugin/store/tables/retry/actions.test.ts'],
  },
  {
    name: 'hard-decline-forgotten',
    cost: 'a stolen card is tried again and again',
    file: GUARDS,
    find: "  guard('hard_decline', checkHardDecline),\n",
    replace: '',
    killedBy: ['test/plugin/retry/guards/guards.test.ts'],
  },
  {
    name: 'beside-stripes-own-attempt',
    cost: 'ours and Stripe’s charge at the same time',
    file: GUARDS,
    find: '  STRIPE_RETRY_NEAR,\n  ...CARD_GUARDS,\n',
    replace: '  ...CARD_GUARDS,\n',
    killedBy: ['test/plugin/retry/guards/guards.test.ts'],
  },
  {
    name: 'equal-amount-forgotten',
    cost: 'a bank takes two invoices for one paid twice',
    file: GUARDS,
    find: "  guard('equal_amount', checkAmount),\n",
    replace: '',
    killedBy: ['test/plugin/retry/guards/guards.test.ts'],
  },
  {
    name: 'attempts-on-invoice-off-by-one',
    cost: 'one attempt more than the merchant allows',
    file: LIMITS,
    find: 'if (onInvoice.filter(({ isPaid }) => !isPaid).length >= perInvoice) {',
    replace: 'if (onInvoice.filter(({ isPaid }) => !isPaid).length > perInvoice) {',
    killedBy: ['test/plugin/retry/guards/network-limits.test.ts'],
  },
  {
    name: 'attempts-on-card-off-by-one',
    cost: 'one attempt more than the card network allows',
    file: 'src/core/limits/card-windows.ts',
    find: 'alike.at(-limit.max);',
    replace: 'alike.at(-limit.max - 1);',
    killedBy: ['test/plugin/retry/guards/network-limits.test.ts'],
  },
  {
    name: 'same-card-under-a-new-id',
    cost: 'entering a card anew evades every limit',
    file: 'src/core/limits/next-method.ts',
    find: 'if (one.fingerprint && other.fingerprint) return one.fingerprint === other.fingerprint;',
    replace: '',
    killedBy: ['test/core/limits/next-method.test.ts'],
  },
  {
    name: 'dispute-forgotten',
    cost: 'a customer in dispute is charged once more',
    file: COLLECTION,
    find: '  DISPUTED,\n  AMOUNT_REMAINING,\n',
    replace: '  AMOUNT_REMAINING,\n',
    killedBy: ['test/plugin/retry/guards/collection-guards.test.ts'],
  },
  {
    name: 'persons-stop-ignored',
    cost: 'what a person stopped is collected',
    file: COLLECTION,
    find: 'if (reason !== undefined) return stop(reason, { bindsStripe: true, forNewCard: { asksPerson: true } });',
    replace: '',
    killedBy: ['test/plugin/retry/guards/collection-guards.test.ts'],
  },
  {
    name: 'canceled-subscription-collected',
    cost: 'a former customer is charged',
    file: COLLECTION,
    find: "new Set(['canceled', 'incomplete_expired']);",
    replace: "new Set(['incomplete_expired']);",
    killedBy: ['test/scenarios/invoice-holds.test.ts'],
  },
];
