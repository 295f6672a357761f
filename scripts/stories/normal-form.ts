/**
 * What Stripe tells and shows of a story, without what differs between two plays of it: ids become names, times are counted from
 * the story's start, and what is not about money or time is left out.
 */
import type Stripe from 'stripe';

/** Of the API, whatever its kind. */
export interface ShownObject {
  readonly id: string;
  readonly object: string;
  readonly [field: string]: unknown;
}

interface Kind {
  /** Paths of the fields that are shown; of `field?` only whether it is set, since Stripe chooses it by signals that nobody sees. */
  readonly fields: string;
  readonly of: (stripe: Stripe) => { retrieve(id: string): Promise<object> };
}

/** By `object`. Of other kinds only the events are shown. */
const KINDS: Readonly<Record<string, Kind>> = {
  customer: {
    fields: 'balance invoice_settings.default_payment_method',
    of: ({ customers }) => customers,
  },
  subscription: {
    fields:
      'status latest_invoice default_payment_method trial_end cancel_at cancel_at_period_end canceled_at ended_at cancellation_details.reason pause_collection.behavior status_details.paused.subscription.type items.data.0.quantity items.data.0.current_period_start items.data.0.current_period_end',
    of: ({ subscriptions }) => subscriptions,
  },
  invoice: {
    fields:
      'status billing_reason collection_method auto_advance attempted attempt_count next_payment_attempt? subtotal total amount_due amount_paid amount_remaining amount_overpaid starting_balance ending_balance pre_payment_credit_notes_amount post_payment_credit_notes_amount created due_date automatically_finalizes_at status_transitions.finalized_at status_transitions.paid_at status_transitions.voided_at status_transitions.marked_uncollectible_at',
    of: ({ invoices }) => invoices,
  },
  invoiceitem: {
    fields: 'amount proration invoice period.start period.end',
    of: ({ invoiceItems }) => invoiceItems,
  },
  invoice_payment: {
    fields: 'status is_default amount_requested amount_paid payment.type payment.payment_intent',
    of: ({ invoicePayments }) => invoicePayments,
  },
  payment_intent: {
    fields:
      'status amount amount_received latest_charge next_action.type cancellation_reason last_payment_error.code last_payment_error.decline_code',
    of: ({ paymentIntents }) => paymentIntents,
  },
  charge: {
    fields:
      'status amount amount_refunded refunded disputed failure_code outcome.type outcome.reason outcome.network_status',
    of: ({ charges }) => charges,
  },
  refund: {
    fields: 'status amount charge',
    of: ({ refunds }) => refunds,
  },
  dispute: {
    fields: 'status reason amount charge is_charge_refundable',
    of: ({ disputes }) => disputes,
  },
  credit_note: {
    fields: 'status type amount pre_payment_amount post_payment_amount',
    of: ({ creditNotes }) => creditNotes,
  },
  setup_intent: {
    fields: 'status usage payment_method',
    of: ({ setupIntents }) => setupIntents,
  },
};

/** Undefined, without asking, where its kind is not shown. */
export function readObject(stripe: Stripe, { object, id }: ShownObject): Promise<ShownObject> | undefined {
  return KINDS[object]?.of(stripe).retrieve(id).then(shown);
}

/** A resource of the library as plain data: its decimals and dates are texts. */
export function shown(resource: object): ShownObject {
  return JSON.parse(JSON.stringify(resource));
}

export interface NormalForm {
  /** Gives names to those that have none: of each kind in the order of their making. */
  name(objects: readonly ShownObject[]): void;
  /** With what an update changed, of the fields that are shown. */
  eventLine(type: string, object: ShownObject, previous: object): string;
  /** Of its fields those that are not as they were the last time; undefined where none is. */
  stateLine(object: ShownObject): string | undefined;
}

/** By path. */
type State = Readonly<Record<string, string>>;

/** `start` in unix seconds. */
export function createNormalForm(start: number): NormalForm {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const states = new Map<string, State>();
  const form = {
    name: (objects: readonly ShownObject[]) => {
      for (const { id, object } of [...objects].sort(byAge)) {
        if (names.has(id)) continue;
        const count = (counts.get(object) ?? 0) + 1;
        counts.set(object, count);
        names.set(id, `${object}_${count}`);
      }
    },
    eventLine: (type: string, object: ShownObject, previous: object) => {
      const changed = [...new Set(fieldsOf(object).map(({ path }) => path[0] ?? ''))].filter(
        (field) => field in previous,
      );
      const change = changed.length === 0 ? '' : `  (${changed.sort().join(', ')})`;
      return `event  ${type}  ${names.get(object.id) ?? object.object}${change}`;
    },
    stateLine: (object: ShownObject) => {
      const before = states.get(object.id);
      const state = object.isGone === true ? { gone: 'true' } : stateOf(object);
      states.set(object.id, state);
      const paths = [...new Set([...Object.keys(before ?? {}), ...Object.keys(state)])];
      const changed = paths.filter((path) => state[path] !== before?.[path]);
      if (changed.length === 0) return undefined;
      const fields = changed.map((path) => `${path}=${state[path] ?? 'none'}`);
      return `state  ${names.get(object.id) ?? object.object}  ${fields.join(' ')}`;
    },
  };
  const stateOf = (object: ShownObject): State =>
    Object.fromEntries(
      fieldsOf(object).flatMap(({ path, isSecret }) => {
        const value = valueAt(object, path);
        const text = isSecret ? 'set' : normal(path.at(-1) ?? '', value);
        return isNothing(value) ? [] : [[path.join('.'), text]];
      }),
    );
  const normal = (field: string, value: unknown): string => {
    if (typeof value === 'number' && TIMES.test(field)) return relative(value - start);
    return typeof value === 'string' ? (names.get(value) ?? value.replace(ID, '$1_?')) : String(value);
  };
  return form;
}

/** Of what no event told of. */
const ID = /^([a-z_]+)_[A-Za-z0-9]{14,}$/;
const TIMES = /_at$|^(created|due_date|cancel_at|trial_end|start|end|current_period_(start|end))$/;

/** Whole hours: Stripe needs seconds for what falls due at once. */
function relative(seconds: number): string {
  const hours = Math.round(seconds / 3600);
  return `+${Math.floor(hours / 24)}d${String(hours % 24).padStart(2, '0')}h`;
}

function fieldsOf({ object }: ShownObject): { path: string[]; isSecret: boolean }[] {
  const fields = KINDS[object]?.fields.split(' ') ?? [];
  return fields.map((field) => ({ path: field.replace('?', '').split('.'), isSecret: field.endsWith('?') }));
}

/** Left out: a line says what there is. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === false || value === 0;

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    object,
  );
}

/** Made in one moment, the smaller amount is first. */
function byAge(a: ShownObject, b: ShownObject): number {
  return number(a.created ?? a.date) - number(b.created ?? b.date) || number(a.amount) - number(b.amount);
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
