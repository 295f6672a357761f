/** The page `docs/declines.md`, made from the tables in `src/declines` alone. */

import { ATTEMPT_LIMITS } from '../src/config/attempt-limits.ts';
import { BLOCKS, CARD_DECLINES } from '../src/declines/card-declines.ts';
import type { DeclineClass, DeclineRow } from '../src/declines/decline-row.ts';
import { BANK_DEBIT_DECLINES, ERROR_CODES, OTHER_METHOD_DECLINES } from '../src/declines/method-declines.ts';
import {
  ADVICE_CODES,
  type AdviceRow,
  DEBIT_SCHEMES,
  type DebitScheme,
  MASTERCARD_ADVICE,
  VISA_CATEGORIES,
} from '../src/declines/network-codes.ts';

interface ClassInWords {
  readonly meaning: string;
  readonly wait: string;
  readonly plugin: string;
  readonly customer: string;
}

const NO_WAIT = 'until there is another payment method';

const CLASSES: Readonly<Record<DeclineClass, ClassInWords>> = {
  hard: {
    meaning: 'this payment method is finished',
    wait: NO_WAIT,
    plugin: 'no attempt with it',
    customer: 'card-update mail',
  },
  update: {
    meaning: 'the customer must give other details',
    wait: NO_WAIT,
    plugin: 'no attempt with it',
    customer: 'card-update mail',
  },
  authentication: {
    meaning: 'the customer must confirm',
    wait: 'until the customer confirms',
    plugin: 'no attempt without the customer',
    customer: 'confirmation mail',
  },
  soft: {
    meaning: 'time helps',
    wait: `${ATTEMPT_LIMITS.minGapHours} hours at least`,
    plugin: `up to ${ATTEMPT_LIMITS.perInvoice} attempts`,
    customer: 'nothing at first',
  },
  generic: {
    meaning: 'nobody knows; time may help',
    wait: `${ATTEMPT_LIMITS.minGapHours} hours at least, better days`,
    plugin: `up to ${ATTEMPT_LIMITS.unexplained} attempts`,
    customer: 'nothing at first',
  },
  merchant: {
    meaning: 'only you can decide or fix it',
    wait: 'until you have decided',
    plugin: 'no automatic attempt',
    customer: 'nothing',
  },
};

const HEADER = [
  ['Code', 'What it means for you', 'Class', 'Wait', 'What the plugin does', 'What the customer is told'],
  ['Counts against network limits', 'Source'],
].flat();

const ADVICE_HEADER = ['Value', 'What it means for you', 'Class', 'Wait', 'What the plugin does'];

/** By section of docs/stripe-facts.md: what the column says, and where to read it. */
const SOURCES: ReadonlyMap<string, readonly [name: string, address: string]> = new Map([
  ['3.7', ['errors', 'Error codes: <https://docs.stripe.com/error-codes>']],
  [
    '4.2',
    [
      'retries',
      'What Stripe itself never retries: <https://docs.stripe.com/billing/revenue-recovery/smart-retries>',
    ],
  ],
  ['5.3', ['blocks', 'Payments that Stripe blocks: <https://docs.stripe.com/declines>']],
  ['5.4', ['codes', 'Decline codes: <https://docs.stripe.com/declines/codes>']],
  ['5.8', ['ACH', 'ACH returns: <https://docs.stripe.com/payments/ach-direct-debit>']],
  ['5.12', ['fraud', 'Early fraud warnings: <https://docs.stripe.com/disputes/measuring>']],
  [
    '5.9',
    [
      'debits',
      'Failed debits: <https://docs.stripe.com/payments/sepa-debit>, <https://docs.stripe.com/payments/bacs-debit>',
    ],
  ],
]);

export function renderDeclines(): string {
  return `${[...introduction(), ...codeTables(), ...networkTables(), ...sourceList()].join('\n')}\n`;
}

function introduction(): string[] {
  return [
    '# Declines',
    '',
    'Made by `npm run docs:declines` from the tables in `src/declines`; do not edit it by hand.',
    '',
    'Every code by which Stripe, a card network or a bank refuses a payment, and what follows from it.',
    '',
    '## Classes',
    '',
    ...table(
      ['Class', 'Meaning', 'Wait', 'What the plugin does', 'What the customer is told'],
      Object.entries(CLASSES).map(([name, { meaning, wait, plugin, customer }]) => [
        `\`${name}\``,
        meaning,
        wait,
        plugin,
        customer,
      ]),
    ),
    '',
    'Mails never name a reason: the customer reads that the payment did not go through, or that the bank asks for a',
    'confirmation. A code marked *secret* must not be told by you either. A new payment method starts afresh. When the',
    'attempts of `soft` and `generic` are used up, the retry service may still ask for a card-update mail.',
    '',
    `A code that is not in this list is \`generic\`: at most ${ATTEMPT_LIMITS.unexplained} attempts on one invoice with one card.`,
    '',
    'The strongest word decides: a block by Stripe; then the advice `do_not_try_again`; then Mastercard’s final advice',
    'and Visa’s category 1; then the codes that Stripe itself never retries; then a confirmation by the customer; then the',
    'rules of bank debits; then the advice `confirm_card_data`; then Mastercard’s other advice; then the decline code; then',
    'the error’s code.',
    '',
    `Between attempts ${ATTEMPT_LIMITS.minGapHours} hours pass at least, but with a new payment method, and after the first refusals in a row whose`,
    'wait is stated in fewer hours.',
    '',
    'An attempt that was not sent does not count with the network. The plugin counts it all the same, to be on the safe side.',
    '',
  ];
}

function codeTables(): string[] {
  const parts: [string, readonly DeclineRow[]][] = [
    ['Blocked by Stripe (`outcome.type=blocked`)', BLOCKS],
    ['Cards', CARD_DECLINES],
    ['Other payment methods', OTHER_METHOD_DECLINES],
    ['Bank debits', BANK_DEBIT_DECLINES],
    ['Codes of the error itself', ERROR_CODES],
  ];
  return parts.flatMap(([title, rows]) => [`## ${title}`, '', ...table(HEADER, rows.map(codeRow)), '']);
}

function codeRow(row: DeclineRow): string[] {
  const { wait, plugin, customer } = CLASSES[row.class];
  return [
    `\`${row.code}\``,
    row.isSecret ? `${row.meaning} *Secret.*` : row.meaning,
    `\`${row.class}\``,
    describeWait(row, wait),
    row.isOnceMore ? `once more, then ${plugin}` : plugin,
    row.isSecret && customer !== 'nothing' ? `${customer}, as for any card` : customer,
    row.isNotSent ? 'no, it was not sent' : 'yes',
    row.source.split(', ').map(describeSource).join(', '),
  ];
}

function networkTables(): string[] {
  return [
    ...['## Advice codes (`advice_code`)', '', ...table(ADVICE_HEADER, ADVICE_CODES.map(adviceRow)), ''],
    ...['## Mastercard advice (`network_advice_code`)', ''],
    ...table(ADVICE_HEADER, MASTERCARD_ADVICE.map(adviceRow)),
    ...['', '## Visa response codes (`network_decline_code`)', ''],
    ...table(
      ['Category', 'Codes', 'What it means for you', 'What the plugin does'],
      VISA_CATEGORIES.map(({ category, codes, isRest, meaning }) => [
        String(category),
        `${codes.join(', ')}${isRest ? ' and all others' : ''}`,
        meaning,
        category === 1 ? 'no attempt with this card' : 'as Stripe’s code says, within Visa’s limit',
      ]),
    ),
    ...['', '## What may be debited again', ''],
    'A debit is presented again only after these; any other reason asks for another payment method.',
    '',
    ...table(
      ['Scheme', 'Codes of Stripe', 'Return codes of the bank', 'How often'],
      DEBIT_SCHEMES.map(({ name, methodType, retryableCodes, onceMoreCodes, returns, ...caps }) => [
        `${name} (\`${methodType}\`)`,
        retryableCodes
          .map((code) => (onceMoreCodes?.includes(code) ? `\`${code}\` (once)` : `\`${code}\``))
          .join(', '),
        returns
          .map(
            ({ value, isRetryable, meaning }) =>
              `${value}: ${meaning} ${isRetryable ? 'Again.' : 'Never again.'}`,
          )
          .join(' '),
        describeCaps(caps),
      ]),
    ),
  ];
}

function adviceRow({ value, class: name, waitHours, meaning }: AdviceRow): string[] {
  if (!name) return [`\`${value}\``, meaning, 'as the code says', 'as the code says', 'as the code says'];
  const { wait, plugin } = CLASSES[name];
  return [`\`${value}\``, meaning, `\`${name}\``, describeWait({ waitHours }, wait), plugin];
}

function describeCaps({
  presentments,
  withinDays,
  isSameAmountOnly,
}: Pick<DebitScheme, 'presentments' | 'withinDays' | 'isSameAmountOnly'>): string {
  const time = withinDays === undefined ? '' : ` within ${withinDays} days`;
  return `${presentments} times in all${time}${isSameAmountOnly ? ', the same amount' : ''}`;
}

/** Throws on a section without a source, so that no row goes without one. */
function describeSource(section: string): string {
  const source = SOURCES.get(section);
  if (!source) throw new Error(`Give section ${section} a name and an address in SOURCES.`);
  return source[0];
}

function sourceList(): string[] {
  const network = [
    'advice codes (stripe-facts 5.2): <https://docs.stripe.com/declines/card>',
    'Visa (stripe-facts 5.5): Visa Core Rules and Visa Product and Service Rules, April 2026, table 7-2',
    'Mastercard (stripe-facts 5.6): the rules are not public; processors’ pages of 2022 to 2026',
  ];
  const named = [...SOURCES].map(
    ([section, [name, address]]) => `${name} (stripe-facts ${section}): ${address}`,
  );
  return [
    ...['', '## Sources', ''],
    'What they say, their dates, and where they disagree: [Facts](stripe-facts.md#5-declines-and-retry-limits).',
    ...['', ...[...named, ...network].map((source) => `- ${source}`)],
  ];
}

function describeWait(
  {
    waitHours,
    briefRests = [],
  }: Pick<DeclineRow, 'briefRests'> & { readonly waitHours?: number | undefined },
  wait: string,
): string {
  if (waitHours !== undefined) return inHours(waitHours);
  const rests = new Intl.ListFormat('en', { type: 'conjunction' }).format(briefRests.map(String));
  return briefRests.length > 0 ? `${rests} hours, then ${wait}` : wait;
}

function inHours(hours: number): string {
  if (hours >= 48) return `${hours / 24} days`;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)];
}
