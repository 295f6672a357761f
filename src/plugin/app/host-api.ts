/** Reads and operations for the host application. Each operation is a method generated from its row; the reads are those of `/api/v1`. */
import { types } from 'node:util';
import { DateTime } from 'luxon';
import type { z } from 'zod';
import { ConfigError } from '../../core/base/errors.ts';
import { refuseUnknown } from '../../core/base/nearest-name.ts';
import { parseGiven } from '../../core/contract/parse-given.ts';
import type { Access } from '../operator/lists/access.ts';
import type { CustomerAccess } from '../operator/lists/customer-access.ts';
import { type CustomerState, readCustomerState } from '../operator/lists/customer-state.ts';
import {
  type FailingInvoicesPage,
  failingInvoicesQuery,
  listFailingInvoices,
} from '../operator/lists/failing-invoices.ts';
import { type OperationDeps, oneCustomer } from '../operator/operations/operation.ts';
import {
  OPERATION_NAMES,
  type OPERATIONS,
  type OperationName,
  operationOf,
  type ResultOf,
} from '../operator/operations/operations.ts';
import type { Reason } from '../reasons/reason.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';

/** Both are kept in the history. */
export interface AskedBy {
  /** Whose name the history has, such as the one signed in to your application; `application` without it. */
  readonly by?: string;
  readonly reason?: string;
}

type Rows = typeof OPERATIONS;
type Parameters<Name extends OperationName> = z.input<Rows[Name]['parameters']>;
/** A time is ISO 8601, or a Date. */
type Given<Name extends OperationName> = {
  readonly [Key in keyof Parameters<Name>]: Key extends 'until' ? string | Date : Parameters<Name>[Key];
};

/** Guards that a retry by hand can meet, by the reasons that they give. */
export const RETRY_REFUSALS = [
  'attempts_on_invoice',
  'attempts_with_card',
  'cancel_requested',
  'card_not_retried',
  'collection_paused',
  'customer_deleted',
  'customer_forgotten',
  'customer_hidden',
  'debit_presentments',
  'debit_window_over',
  'decline_asks_to_wait',
  'disputed',
  'earlier_attempt_unsettled',
  'effects_paused',
  'equal_amount',
  'few_attempts',
  'fraud_reported',
  'funds_lacked',
  'hard_decline',
  'hours_between_attempts',
  'invoice_status',
  'invoice_unknown',
  'method_not_chosen',
  'no_payment_method',
  'nothing_remaining',
  'past_horizon',
  'pause_requested',
  'payer_disputes',
  'postponed_by_person',
  'processing',
  'sent_to_customer',
  'sign_up',
  'stopped',
  'stopped_by_person',
  'stopped_by_service',
  'stripe_tries',
  'subscribed_again',
  'subscription_status',
  'written_off',
] as const;

type Refusal = Extract<ResultOf<'retry'>, { readonly code: 'guard_objects' }>;

/** `guard_objects`: nothing was charged; `reason` says why, `until` when it is possible. */
export type RetryResult =
  | Exclude<ResultOf<'retry'>, Refusal>
  | (Refusal & { readonly reason: Extract<Reason, { readonly code: (typeof RETRY_REFUSALS)[number] }> });

type Result<Name extends OperationName> = Name extends 'retry' ? RetryResult : ResultOf<Name>;

/** May be left out where none of them is required. */
type Rest<Parameters> = object extends Parameters
  ? [parameters?: Parameters & AskedBy]
  : [parameters: Parameters & AskedBy];

/** Operations that take `Subject`: the invoice, or the customer. Mapped by `keyof Rows`, so that editors show what each does. */
type MethodsOn<Subject extends string> = {
  readonly [Name in keyof Rows as Subject extends keyof Given<Name> ? Name : never]: (
    id: string,
    ...rest: Rest<Omit<Given<Name>, Subject>>
  ) => Promise<Result<Name>>;
};

/** Each operation resolves with its outcome and code (docs/how-to/operations.md), and rejects with REQUEST_INVALID for what does not fit. */
export interface HostApi {
  readonly customers: Omit<MethodsOn<'customer'>, 'cardUpdateUrl'> & {
    /**
     * Whether the customer may use your product, until when, and why (docs/how-to/access.md). Answered from memory, right within a
     * second of Stripe's event. Nobody unknown is allowed: `unknown_customer`.
     */
    access(id: string, of?: { readonly account?: string }): Promise<Access>;
    /** How the customer's payments stand; undefined for one that is not known here. Reads the database alone. */
    state(id: string, of?: { readonly account?: string }): Promise<CustomerState | undefined>;
    /**
     * The address of the page on which this customer gives another card, valid for a day or `days`; undefined for an unknown or
     * forgotten customer. The address is a secret: show it to the customer, and do not log it. Rejects with CONFIG_INVALID
     * without LINK_SECRET.
     */
    cardUpdateUrl(
      id: string,
      parameters?: Omit<Given<'cardUpdateUrl'>, 'customer'> & AskedBy,
    ): Promise<string | undefined>;
  };
  readonly invoices: MethodsOn<'invoice'> & {
    /** Failed invoices, a page at a time: `next` of one page is `after` of the next one. */
    list(query?: z.input<typeof failingInvoicesQuery>): Promise<FailingInvoicesPage>;
  };
  /** Those that are about neither one invoice nor one customer. */
  readonly operations: {
    readonly [Name in keyof Rows as Extract<keyof Given<Name>, 'invoice' | 'customer'> extends never
      ? Name
      : never]: (...rest: Rest<Given<Name>>) => Promise<ResultOf<Name>>;
  };
}

function withTexts(given: object): object {
  const toText = (value: unknown) =>
    types.isDate(value) ? DateTime.fromJSDate(value).toUTC().toISO() : value;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toText(value)]));
}

type Method = (id: string, parameters?: Readonly<Record<string, unknown>> & AskedBy) => Promise<unknown>;

export function createHostApi(deps: OperationDeps, { read }: Pick<CustomerAccess, 'read'>): HostApi {
  const { database, clock } = deps;
  const carryOut = async <Name extends OperationName>(name: Name, asked: AskedBy) => {
    const { by = 'application', reason, ...given } = asked;
    const operation = operationOf(name);
    refuseUnknown(given, operation.parameters.shape);
    return operation.carryOut(deps, { who: { name: by, via: 'application' }, reason }, withTexts(given));
  };
  const toKey = (customer: string, of: object) => {
    refuseUnknown(of, { account: true });
    const key = parseGiven(oneCustomer, { ...of, customer });
    return { account: key.account, customerId: key.customer };
  };
  const on = (subject: string): Record<string, Method> =>
    Object.fromEntries(
      OPERATION_NAMES.filter((name) => subject in operationOf(name).parameters.shape).map((name) => [
        name,
        (id: string, given = {}) => carryOut(name, { ...given, [subject]: id }),
      ]),
    );
  const [onInvoices, onCustomers] = [on('invoice'), on('customer')];
  const others = OPERATION_NAMES.filter((name) => !(name in onInvoices) && !(name in onCustomers));
  const api = {
    customers: {
      ...onCustomers,
      access: async (customer: string, of: object = {}) => read(toKey(customer, of)),
      state: async (customer: string, of: object = {}) =>
        readCustomerState({ database, clock, config: deps.config() }, toKey(customer, of)),
      cardUpdateUrl: async (customer: string, given: AskedBy = {}) => {
        const result = await carryOut(
          'cardUpdateUrl',
          Object.assign({ account: OWN_ACCOUNT }, given, { customer }),
        );
        if (result.code === 'no_link_secret') throw new ConfigError(['LINK_SECRET is required for links']);
        return result.code === 'link_made' ? result.url : undefined;
      },
    },
    invoices: {
      ...onInvoices,
      list: async (query: object = {}) => {
        refuseUnknown(query, failingInvoicesQuery.shape);
        return listFailingInvoices(database, clock.now(), parseGiven(failingInvoicesQuery, query));
      },
    },
    operations: Object.fromEntries(
      others.map((name) => [name, (given: AskedBy = {}) => carryOut(name, given)]),
    ),
  };
  // The rows are typed one by one; which of them lie where follows from their parameters, as in the type.
  return api as unknown as HostApi;
}
