/** In what receives Stripe's events, keeps the mirror, and delivers it to the service. */
import type { Mutant } from './mutants.ts';

const EVENTS = 'src/plugin/store/tables/sync/events.ts';
const OUTBOX = 'src/plugin/store/tables/sync/outbox.ts';
const MIRRORS = 'src/plugin/store/tables/sync/mirrors.ts';
const CATCH_UP = 'src/plugin/sync/catch-up/catch-up.ts';
const WEBHOOK = 'src/plugin/sync/receive/webhook.ts';

export const SYNC_FAULTS: readonly Mutant[] = [
  {
    name: 'answered-before-the-commit',
    cost: 'an event is lost that Stripe takes for delivered',
    file: WEBHOOK,
    find: '      await record({ event:',
    replace: '      void record({ event:',
    killedBy: ['test/plugin/sync/receive/webhook.test.ts'],
  },
  {
    name: 'signature-unchecked',
    cost: 'anybody tells us that an invoice is paid',
    file: WEBHOOK,
    find: 'deps.stripe.verifySignature(text, signature, secret, receivedAt.toMillis());',
    replace: '',
    killedBy: ['test/plugin/app/http-receivers.test.ts'],
  },
  {
    name: 'inbox-without-its-lock',
    cost: 'two workers process one event',
    file: EVENTS,
    find: '${IS_IN_INBOX} for update skip locked`',
    replace: '${IS_IN_INBOX}`',
    killedBy: ['test/plugin/store/tables/sync/events.test.ts'],
  },
  {
    name: 'older-over-a-newer',
    cost: 'the service hears of a state that is over, and a paid invoice is open again',
    file: MIRRORS,
    find: 'where s.version < excluded.version',
    replace: 'where s.version is not null',
    killedBy: ['test/plugin/store/tables/sync/mirrors.test.ts'],
  },
  {
    name: 'written-over-what-was-not-read',
    cost: 'of two who write at once the slower wins',
    file: MIRRORS,
    find: '(excluded.id, s.version) in (select id, basis from given where basis is not null)',
    replace: 'true',
    killedBy: ['test/plugin/store/tables/sync/mirrors.test.ts'],
  },
  {
    name: 'same-second-not-read-again',
    cost: 'of two changes in one second the older may stay',
    file: 'src/plugin/sync/events/freshness.ts',
    find: "return lead > 0 ? 'apply' : lead === 0 ? 'read' : 'stale';",
    replace: "return lead >= 0 ? 'apply' : 'stale';",
    killedBy: ['test/plugin/sync/events/freshness.test.ts'],
  },
  {
    name: 'read-dated-behind',
    cost: 'a fresh read is thrown away as old',
    file: 'src/plugin/sync/events/freshness.ts',
    find: 'stored?.version.toMillis() ?? 0) + 1;',
    replace: 'stored?.version.toMillis() ?? 0);',
    killedBy: ['test/plugin/sync/events/freshness.test.ts'],
  },
  {
    name: 'another-version-mapped',
    cost: 'an old snapshot is read as if it were a new one',
    file: 'src/plugin/sync/events/event-step.ts',
    find: 'return event.api_version === API_VERSION;',
    replace: 'return event.api_version !== null;',
    killedBy: ['test/scenarios/sign-up.test.ts'],
  },
  {
    name: 'test-event-taken-for-live',
    cost: 'a test changes what is collected from customers',
    file: 'src/plugin/sync/receive/plan-events.ts',
    find: "if (!isOurMode && typeof event.livemode === 'boolean')",
    replace: "if (!isOurMode && typeof event.livemode === 'string')",
    killedBy: ['test/scenarios/connected-accounts.test.ts'],
  },
  {
    name: 'own-attempt-counted-twice',
    cost: 'the service counts a refusal of ours twice',
    file: 'src/plugin/sync/events/record-failure.ts',
    find: "if (isAttemptKey(event.request?.idempotency_key)) return { result: { code: 'own_attempt' } };",
    replace: '',
    killedBy: ['test/scenarios/uncharged-attempts.test.ts'],
  },
  {
    name: 'ended-subscription-still-retried',
    cost: 'what was planned outlives the subscription',
    file: 'src/plugin/sync/events/mirror-subscription.ts',
    find: "if (row.status === 'canceled') await stopRetrying(deps, tx, row);",
    replace: '',
    killedBy: ['test/scenarios/invoice-recovery.test.ts'],
  },
  {
    name: 'delivery-without-its-lock',
    cost: 'two processes send one record, maybe the older last',
    file: OUTBOX,
    find: 'order by version limit $4 for update skip locked)',
    replace: 'order by version limit $4)',
    killedBy: ['test/plugin/store/tables/sync/outbox.test.ts'],
  },
  {
    name: 'delivered-before-it-is-sent',
    cost: 'the service never hears of a change',
    file: 'src/plugin/sync/deliver/deliver.ts',
    find: '  const result = await deps.serviceOf(account).ingest(\n',
    replace:
      '  await markDelivered(deps.database, kind, account, rows, undefined);\n  const result = await deps.serviceOf(account).ingest(\n',
    killedBy: ['test/scenarios/service-trouble.test.ts'],
  },
  {
    name: 'later-change-marked-delivered',
    cost: 'a change made during a delivery is lost',
    file: OUTBOX,
    find: 'set delivered_version = sent.version,',
    replace: 'set delivered_version = t.version,',
    killedBy: ['test/plugin/store/tables/sync/outbox.test.ts'],
  },
  {
    name: 'late-mark-over-a-newer',
    cost: 'a record that was delivered goes out again, older',
    file: OUTBOX,
    find: 'and (t.delivered_version is null or t.delivered_version < sent.version)',
    replace: '',
    killedBy: ['test/plugin/store/tables/sync/outbox.test.ts'],
  },
  {
    name: 'claim-not-renewed',
    cost: 'a slow batch is sent after a newer one',
    file: 'src/plugin/sync/deliver/deliver.ts',
    find: 'if (rows.every((row) => row.claimedUntil >= needed)) return rows;',
    replace: 'if (rows.every((row) => row.claimedUntil < needed.plus({ years: 1 }))) return rows;',
    killedBy: ['test/plugin/sync/deliver/split-batch.test.ts'],
  },
  {
    name: 'cursor-before-its-events',
    cost: 'a catch-up that is cut off skips what it did not read',
    file: CATCH_UP,
    find: `    const pages = await recordWindow(deps, account, { from, to, form });
    await eventsCursor.set(deps.database, account, to, deps.clock.now());
`,
    replace: `    await eventsCursor.set(deps.database, account, to, deps.clock.now());
    const pages = await recordWindow(deps, account, { from, to, form });
`,
    killedBy: ['test/plugin/sync/catch-up/catch-up.test.ts'],
  },
  {
    name: 'catch-up-without-overlap',
    cost: 'an event that Stripe lists late is never seen',
    file: CATCH_UP,
    find: 'if (cursor <= now.plus(OVERLAP)) return DateTime.max(DateTime.min(cursor, now).minus(OVERLAP), oldest);',
    replace: 'if (cursor <= now.plus(OVERLAP)) return DateTime.max(DateTime.min(cursor, now), oldest);',
    killedBy: ['test/plugin/sync/catch-up/catch-up.test.ts'],
  },
  {
    name: 'gap-not-reported',
    cost: 'after a month of silence nobody reads the account anew',
    file: CATCH_UP,
    find: '    await recordGap(deps, { account, cursor, now });\n',
    replace: '',
    killedBy: ['test/plugin/sync/catch-up/catch-up.test.ts'],
  },
  {
    name: 'amount-rounded-down',
    cost: 'the service hears of amounts that are a cent too small',
    file: 'src/plugin/sync/map/fixed-amount.ts',
    find: 'divideDown(2n * amount + SCALE, 2n * SCALE);',
    replace: 'divideDown(2n * amount, 2n * SCALE);',
    killedBy: ['test/plugin/sync/map/fixed-amount.test.ts'],
  },
  {
    name: 'yearly-item-in-the-month',
    cost: 'a monthly amount has a year of something in it',
    file: 'src/plugin/sync/map/subscription-amount.ts',
    find: 'return a.interval === b.interval && a.interval_count === b.interval_count;',
    replace: 'return a.interval === b.interval || a.interval_count === b.interval_count;',
    killedBy: ['test/plugin/sync/map/map-subscription.test.ts'],
  },
  {
    name: 'number-without-its-list',
    cost: 'the status counts other invoices than its link opens',
    file: 'src/plugin/store/reports/money/needs.ts',
    find: `where state = 'open' group by 1, 2`,
    replace: `where state = 'open' and standing <> 'stopped' group by 1, 2`,
    killedBy: ['test/plugin/operator/lists/counts.test.ts'],
  },
];
