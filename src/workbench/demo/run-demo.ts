import { DateTime } from 'luxon';
import { addUp } from '../../plugin/operator/figures/exchange.ts';
import { money } from '../../plugin/operator/text/describe-code.ts';
import { alignColumns } from '../../plugin/operator/text/text-table.ts';
import { CAST, type CastMember } from '../customers/cast.ts';
import {
  type CustomerWorld,
  createDemoWorld,
  DEMO_RATES,
  type DemoPlace,
} from '../customers/customer-world.ts';
import { type InvoiceAccount, type RecoveryWay, readLedger } from '../customers/ledger.ts';
import { createEmailReaders, invite, planTurns } from '../customers/people.ts';
import { createStory } from '../customers/story.ts';
import type { StripeStep } from '../customers/text/describe-stripe.ts';
import { createPrinter, type Printer, type Write, wantsColors } from '../customers/text/printer.ts';
import { checkBalance } from './checks/balance.ts';
import type { Check } from './checks/check.ts';

export interface DemoOptions extends DemoPlace {
  readonly cast?: readonly CastMember[];
  readonly write?: Write;
  /** Called in the end, while everything still runs. */
  readonly afterwards?: (world: CustomerWorld) => Promise<void>;
  /** Called when the weeks are over, before the ledger is read. */
  readonly beforeBalance?: (world: CustomerWorld) => Promise<void>;
}

/** A Monday. */
const START = DateTime.fromISO('2026-03-02T00:00:00Z', { zone: 'utc' });
const DAYS = 36;
/** While Stripe's deliveries do not get through: the hour around the renewals of that day. */
const OUTAGE = { day: 2, fromHour: 7.75, toHour: 8.75 };

/**
 * Plays some weeks of a merchant with failing customers, printing each step. Gives 0 if in the end every failed invoice
 * is paid, waiting for a stated reason or given up for a stated reason, and the three sides agree; else 1.
 */
export async function runDemo(options: DemoOptions = {}): Promise<number> {
  const { cast = CAST, write = (text) => process.stdout.write(text) } = options;
  const startedAt = performance.now();
  const printer = createPrinter(write, options.write === undefined && wantsColors());
  printOpening(printer, cast.length);
  const world = await createDemoWorld(START, options);
  try {
    await play(world, cast, printer);
    await options.beforeBalance?.(world);
    const accounts = await readLedger(world);
    printClosingTable(printer, accounts);
    const checks = await checkBalance(world, accounts);
    printChecks(printer, checks);
    printEnding(printer, accounts, (performance.now() - startedAt) / 1000);
    await options.afterwards?.(world);
    return checks.every(({ problems }) => problems.length === 0) ? 0 : 1;
  } finally {
    await world.stop();
  }
}

async function play(world: CustomerWorld, cast: readonly CastMember[], printer: Printer): Promise<void> {
  const people = invite(world, cast, START);
  const planFault = createFaultPlanner(world, people);
  const story = createStory({ world, people, printer, onStripeStep: planFault });
  planTurns(world, people, START, story.narrate);
  planOutage(world, story.announce);
  planReadings(world);
  world.sandbox.webhookFaults.duplicate = 0.15;
  world.sandbox.webhookFaults.shuffle = true;
  const readEmail = createEmailReaders(world, people, story.narrate);
  await world.runUntil(START.plus({ days: DAYS }), async () => {
    readEmail();
    await story.observe();
  });
}

/** What a real clock asks for every few minutes, here once a week: Stripe's events and the service's list are read. */
function planReadings({ agenda, plugin }: CustomerWorld): void {
  for (let day = 7; day <= DAYS; day += 7)
    agenda.add(START.plus({ days: day }), async () => {
      await plugin.parts.requestCatchUp();
      await plugin.parts.requestActionsSync();
    });
}

function planOutage({ agenda, setReachable }: CustomerWorld, announce: (text: string) => void): void {
  const { day, fromHour, toHour } = OUTAGE;
  agenda.add(START.plus({ days: day, hours: fromHour }), () => {
    setReachable(false);
    announce('--- the webhook endpoint is not reachable; Stripe keeps its events and tries again ---');
  });
  agenda.add(START.plus({ days: day, hours: toHour }), () => {
    setReachable(true);
    announce('--- the webhook endpoint is back; what Stripe kept arrives with its next tries ---');
  });
}

/** Lets Stripe's first answer to the first retry of an invoice go wrong, where the role says so. */
function createFaultPlanner({ sandbox }: CustomerWorld, people: ReturnType<typeof invite>) {
  const planned = new Set<string>();
  return ({ type, customerId, invoiceId }: StripeStep): void => {
    const fault = people.find((person) => person.customerId === customerId)?.role.fault;
    if (fault === undefined || type !== 'invoice.payment_failed' || planned.has(customerId)) return;
    planned.add(customerId);
    // Stripe's SDK repeats a call when the reused connection was closed: the second is cut off as well.
    sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, fault, fault === 'drop_after' ? 2 : 1);
  };
}

function printOpening(printer: Printer, customers: number): void {
  printer.line(
    `${customers} simulated customers whose renewals fail, ${DAYS} days from ${START.toFormat('d LLLL yyyy')}. Times are UTC.`,
  );
  printer.line(
    'Stripe, the mailbox, the plugin and its retry service run in this process, over HTTP and SMTP.',
  );
  printer.line('Webhooks arrive shuffled, and one in seven twice.\n');
}

function printChecks(printer: Printer, checks: readonly Check[]): void {
  printer.line('\nDoes the ledger balance?', 'strong');
  for (const { name, problems } of checks) {
    printer.line(
      `  ${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name}`,
      problems.length === 0 ? 'good' : 'bad',
    );
    for (const problem of problems) printer.line(`          ${problem}`, 'bad');
  }
}

function printEnding(printer: Printer, accounts: readonly InvoiceAccount[], seconds: number): void {
  const recovered = accounts.filter(({ outcome }) => outcome.kind === 'recovered').length;
  printer.line(
    `\n${recovered} of ${accounts.length} failed invoices recovered, ${DAYS} days in ${seconds.toFixed(1)} s.`,
  );
  printer.line(
    'These customers are simulated: the figures show what the plugin does, not what it will recover.',
  );
}

const PORT = 8480;

/** Leaves the demo's console open until the process is interrupted. */
export function runKeptDemo(): Promise<number> {
  return runDemo({ port: PORT, afterwards: keepConsole });
}

async function keepConsole({ console, clock }: CustomerWorld): Promise<void> {
  process.stdout.write(`
The console is open, as of ${clock.now().toFormat("d LLLL yyyy, HH:mm 'UTC'")}:
  ${console.url}
  user ${console.user}, password ${console.password}
Ctrl+C ends it.
`);
  await new Promise(() => {});
}

const ORDER = ['recovered', 'waiting', 'given_up', 'unexplained'] as const;
const HEADS = ['outcome', 'invoices', 'attempts', 'emails', 'amounts'] as const;

interface Line {
  readonly title: string;
  readonly accounts: readonly InvoiceAccount[];
  readonly isSum: boolean;
}

/** What became of the failed invoices; every figure is added up from the accounts. */
function printClosingTable(printer: Printer, accounts: readonly InvoiceAccount[]): void {
  const lines = ORDER.flatMap((kind) => toLines(kind, accounts));
  lines.push({ title: 'all failed invoices', accounts, isSum: true });
  const rows = [HEADS, ...lines.map(toCells)].map((cells) =>
    cells.map((text, column) => ({ text, isNumber: column > 0 && column < HEADS.length - 1 })),
  );
  printer.line('');
  for (const [index, row] of alignColumns(rows, false).entries())
    printer.line(row, index === 0 || lines[index - 1]?.isSum ? 'strong' : 'plain');
  printTotal(printer, accounts);
}

/** All currencies as one, by the demo's own rates. */
function printTotal(printer: Printer, accounts: readonly InvoiceAccount[]): void {
  const recovered = accounts.filter(({ outcome }) => outcome.kind === 'recovered');
  const whole = inDollars(accounts);
  const share = (part: readonly InvoiceAccount[]) =>
    `${Math.round((100 * inDollars(part)) / (whole || 1))} %`;
  printer.line(
    `\nin US dollars: ${money(inDollars(recovered), 'usd')} of ${money(whole, 'usd')} recovered, ${share(recovered)} (${accounts.length} invoices)`,
    'strong',
  );
  const ways = [...new Set(recovered.map(wayOf))];
  const parts = ways.map((way) => `${share(recovered.filter((one) => wayOf(one) === way))} by ${way}`);
  printer.line(`of what failed: ${parts.join(', ')}`);
  printer.line(
    'What the times are worth, with the same customers and emails on both sides, is for `npm run simulate`.',
  );
}

function wayOf({ outcome }: InvoiceAccount): RecoveryWay | undefined {
  return outcome.kind === 'recovered' ? outcome.way : undefined;
}

function inDollars(accounts: readonly InvoiceAccount[]): number {
  return addUp(accounts, 'usd', { currency: 'usd', rates: DEMO_RATES });
}

/** A kind of outcome with its sum, and below it its reasons. */
function toLines(kind: (typeof ORDER)[number], accounts: readonly InvoiceAccount[]): Line[] {
  const ofKind = accounts.filter(({ outcome }) => outcome.kind === kind);
  if (ofKind.length === 0) return [];
  const reasons = [...new Set(ofKind.map(({ outcome }) => outcome.reason))];
  const details = reasons.map((reason) => ({
    title: `  ${kind === 'recovered' ? 'by ' : ''}${reason}`,
    accounts: ofKind.filter(({ outcome }) => outcome.reason === reason),
    isSum: false,
  }));
  return [{ title: kind.replace('_', ' '), accounts: ofKind, isSum: true }, ...details];
}

function toCells({ title, accounts }: Line): string[] {
  const add = (read: (account: InvoiceAccount) => number) =>
    accounts.reduce((sum, account) => sum + read(account), 0);
  return [
    title,
    String(accounts.length),
    String(add(({ attempts }) => attempts)),
    String(add(({ emails }) => emails)),
    sumByCurrency(accounts),
  ];
}

function sumByCurrency(accounts: readonly InvoiceAccount[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of accounts) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([currency, sum]) => money(sum, currency))
    .join('  ');
}
