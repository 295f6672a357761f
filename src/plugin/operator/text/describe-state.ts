import { mailKind } from '../../actions/action-kinds.ts';

/** The states that work is counted by, where the code alone does not say enough. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['account_not_configured', 'of accounts not configured'],
  ['access_revoked', 'of accounts that revoked access'],
]);

const BY_BACKUP = /_by_backup$/;
const AS_PREVENTION = /_as_prevention$/;

export function describeState(state: string): string {
  return (
    STATES.get(state) ??
    state
      .replace(BY_BACKUP, ' by another saved card')
      .replace(AS_PREVENTION, ' before a card expired (prevention)')
      .replaceAll('_', ' ')
  );
}

interface Counted {
  readonly name: string;
  readonly states: Readonly<Record<string, string>>;
}

/** What the console counts: each table by its name, and the states whose code alone says too little there. */
const COUNTED: ReadonlyMap<string, Counted> = new Map([
  ['events', { name: 'Events of Stripe', states: { dead: 'could not be processed' } }],
  [
    'subscriptions',
    {
      name: 'Subscriptions',
      states: {
        waiting: 'to be delivered',
        quarantined: 'refused by the service',
        unmapped: 'could not be read',
      },
    },
  ],
  ['invoices', { name: 'Invoices', states: { unmapped: 'could not be read' } }],
  [
    'instructions',
    {
      name: 'Asked by the service',
      states: { received: 'not planned yet', scheduled: 'planned', no_action: 'needed no action' },
    },
  ],
  [
    'listed',
    {
      name: 'Listed by the service',
      states: { known: 'received before', history: 'over already', unreadable: 'could not be read' },
    },
  ],
  ['actions', { name: 'Planned payments and mails', states: { scheduled: 'to come', closed: 'dropped' } }],
  [
    'attempts',
    {
      name: 'Attempts to collect',
      states: {
        unknown: 'without an answer yet',
        pending: 'submitted; the bank answers within days',
        requires_action: 'to be confirmed by the customer',
        not_payable: 'without a charge: nothing was due',
        not_executed: 'never reached Stripe',
      },
    },
  ],
  ['endings', { name: 'Given up', states: { given_up: 'to be ended', done: 'ended' } }],
  ['emails', { name: 'Mails', states: {} }],
]);

export function nameCounted(table: string): string {
  return COUNTED.get(table)?.name ?? table;
}

export function describeCounted(table: string, state: string): string {
  const code = state.replace(BY_BACKUP, '').replace(AS_PREVENTION, '');
  const words = COUNTED.get(table)?.states[code] ?? (table === 'emails' ? MAIL_STATES.get(code) : undefined);
  return words === undefined ? describeState(state) : words + describeState(state.slice(code.length));
}

const MAIL_STATES: ReadonlyMap<string, string> = new Map([
  ['sending', 'on its way'],
  ['refused', 'refused by the mail server'],
  ['given_up', 'given up after days of trying'],
]);

/** What a mail says, by its template. */
export function describeMail(template: string): string {
  return mailKind(template)?.says ?? template;
}

export function describeMailState(state: string): string {
  return MAIL_STATES.get(state) ?? state;
}
