/** The retry side on a real database and the real Stripe SDK, against a Stripe whose every answer a test decides. */
import { randomUUID } from 'node:crypto';
import { DateTime, type DurationLike } from 'luxon';
import type Stripe from 'stripe';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import type { SendingWindow } from '../../../../src/core/limits/sending-window.ts';
import type { Email, EmailResult } from '../../../../src/plugin/clients/mailer.ts';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import { createEmailWriter } from '../../../../src/plugin/mails/email-writer.ts';
import type { RetryDeps } from '../../../../src/plugin/retry/actions/retry-deps.ts';
import { createInstructionHandler } from '../../../../src/plugin/retry/instructions/handle-instruction.ts';
import { createCardChangeHandler } from '../../../../src/plugin/retry/payment/pay-open-invoices.ts';
import { createExecutor } from '../../../../src/plugin/retry/run/execute.ts';
import type { EmailLook } from '../../../../src/plugin/settings/email-access.ts';
import {
  findAction,
  insertAction,
  listOverdueActions,
  type NewAction,
} from '../../../../src/plugin/store/tables/retry/actions.ts';
import { listAttemptsOfInvoice } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { recordInstruction } from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { MAIN, openTestDatabase } from '../../../support/database/databases.ts';
import { type StubAnswer, type StubRequest, startHttpStub } from '../../../support/http/http-stub.ts';
import { buildInvoice, buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { buildCustomer, buildPaymentMethod } from '../../../support/stripe/stripe-payers.ts';
import { usualConfig } from '../../../support/usual-config.ts';

export const START = DateTime.fromISO('2026-11-20T10:00:00Z', { zone: 'utc' });
const ALWAYS: SendingWindow = { fromMinute: 0, toMinute: 1440 };
export const ACCOUNT = 'own';
export const INVOICE = 'in_1Basic';

/** What Stripe holds and how it answers; a test changes it as it goes. */
export interface StripeSide {
  invoice: Partial<Stripe.Invoice> | undefined;
  method: Stripe.PaymentMethod;
  customer: Stripe.Customer;
  charges: Stripe.Charge[];
  /** Of the last call of `pay`; every charge was made under it. */
  latestKey?: string;
  pay: (request: StubRequest) => StubAnswer | Promise<StubAnswer>;
  /** Happens before any read of the invoice is answered. */
  onRead: () => void | Promise<void>;
}

export const declined: StubAnswer = {
  status: 402,
  body: {
    error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', charge: 'ch_1' },
  },
};

function initial(): StripeSide {
  const method = buildPaymentMethod();
  return {
    invoice: { next_payment_attempt: null },
    method,
    customer: buildCustomer(method),
    charges: [],
    pay: () => ({ status: 200, body: buildInvoice({ status: 'paid' }) }),
    onRead: () => {},
  };
}

export async function openBench() {
  const test = await openTestDatabase(MAIN);
  const { database } = test;
  let side = initial();
  let clock = createSimulatedClock(START);
  const stub = await startHttpStub((request) => answer(side, request));
  const stripe = createStripeClient({
    stripe: { secretKey: 'sk_test_1', apiBase: stub.url },
  });
  const jobs: { name: string; data: object; startAfter: DateTime | undefined }[] = [];
  const emails: Email[] = [];
  const emailAnswers: EmailResult[] = [];
  let look: Partial<EmailLook> = {};
  let window: SendingWindow = ALWAYS;
  let mode: RetryDeps['config']['mode'] = 'advisory';
  const settings = usualConfig({
    service: { kind: 'remote', baseUrl: new URL('https://service.example'), apiKey: 'key' },
    firstEmailWithinDays: undefined,
    linkSecret: 'a-link-secret-for-tests-only-0123456789',
    publicUrl: new URL('https://merchant.example'),
  });
  const deps: RetryDeps = {
    serviceCan: async () => false,
    serviceKnows: () => false,
    get config() {
      return {
        ...settings,
        mode,
        emailWindow: window,
        emailLook: { language: 'en', logoUrl: undefined, ...look },
      };
    },
    database,
    stripe,
    mailer: {
      send: async (email) => {
        const result = emailAnswers.shift() ?? { kind: 'sent', response: '250 ok' };
        if (result.kind === 'sent') emails.push(email);
        return result;
      },
      close: () => {},
    },
    writeEmail: createEmailWriter([], silentLogger),
    get clock() {
      return clock;
    },
    logger: silentLogger,
    enqueue: async (name, added) => {
      for (const { data, startAfter } of added) jobs.push({ name, data, startAfter });
    },
    processId: () => 1,
    merchantName: async () => 'Example Ltd',
    brandColor: async () => '#0a7a5c',
  };
  const executor = createExecutor(deps);
  const instructions = createInstructionHandler(deps);

  return {
    deps,
    database,
    jobs,
    emails,
    get stripe() {
      return side;
    },
    /** What the mail server answers next, one after the other; then it takes every email. */
    emailAnswers,
    setLook: (to: Partial<EmailLook>) => {
      look = to;
    },
    setWindow: (to: SendingWindow) => {
      window = to;
    },
    setMode: (to: typeof mode) => {
      mode = to;
    },
    reset: async () => {
      await test.clear();
      side = initial();
      clock = createSimulatedClock(START);
      mode = 'advisory';
      look = {};
      window = ALWAYS;
      emailAnswers.length = 0;
      jobs.length = 0;
      emails.length = 0;
      stub.requests.splice(0);
    },
    /** The idempotency keys of the calls to pay, in order. */
    keys: () =>
      stub.requests
        .filter(({ path }) => path.endsWith('/pay'))
        .map(({ headers }) => headers['idempotency-key']),
    add: async (changes: Partial<NewAction> = {}) => {
      const id = randomUUID();
      const action = {
        id,
        account: ACCOUNT,
        cause: 'instruction' as const,
        reference: id,
        kind: 'pay' as const,
        invoiceId: INVOICE,
      };
      const due = { dueAt: clock.now(), createdAt: clock.now(), customerId: 'cus_1Ada' };
      const rest = { subscriptionId: undefined, requestId: undefined, paymentMethod: undefined };
      await insertAction(database, { ...action, ...due, ...rest, ...changes });
      return id;
    },
    run: (actionId: string) => executor.handle({ actionId }),
    giveUp: (actionId: string) => executor.onDead?.({ actionId }, new Error('no database')),
    wait: (duration: DurationLike) => clock.set(clock.now().plus(duration)),
    /** Runs whatever is due, as the sweep would. */
    runDue: async () => {
      for (const id of await listOverdueActions(database, clock.now(), 100))
        await executor.handle({ actionId: id });
    },
    action: async (id: string) => {
      const found = await findAction(database, id);
      return found?.invoiceId === null ? undefined : found;
    },
    attempts: () => listAttemptsOfInvoice(database, ACCOUNT, INVOICE),
    instruct: async (requestId: string, type: 'suggestion' | 'stop', suggestion?: string) => {
      const received = { receivedAt: clock.now(), source: 'callback' as const, body: '{}' };
      const about = { account: ACCOUNT, requestId, type, invoiceId: INVOICE, subscriptionId: undefined };
      await recordInstruction(database, { ...received, ...about, suggestion, idealRetryAt: clock.now() });
    },
    handle: (requestId: string) => instructions.handle({ account: ACCOUNT, requestId }),
    cardChange: (paymentMethod: string, changedAt = deps.clock.now()) =>
      createCardChangeHandler(deps).handle({
        account: ACCOUNT,
        paymentMethod,
        changedAt: changedAt.toISO() ?? '',
      }),
    actions: () =>
      database.query<{ id: string; state: string; reason: object | null; reference: string }>(
        'select id, state, reason, reference from payment_retry.actions order by created_at, reference',
      ),
    close: async () => {
      await stub.stop();
      await test.close();
    },
  };
}

export type Bench = Awaited<ReturnType<typeof openBench>>;

async function answer(side: StripeSide, request: StubRequest): Promise<StubAnswer> {
  const { pathname } = new URL(request.path, 'http://stripe');
  if (pathname.endsWith('/pay')) {
    side.latestKey = String(request.headers['idempotency-key']);
    return side.pay(request);
  }
  if (pathname.startsWith('/v1/invoices')) await side.onRead();
  const invoice = side.invoice && payable(side, side.invoice);
  switch (pathname) {
    case `/v1/invoices/${INVOICE}`:
      return invoice ? { status: 200, body: invoice } : missing();
    case '/v1/invoices':
      return list(invoice ? [{ ...invoice, customer: side.customer.id }] : []);
    case '/v1/invoice_payments':
      return list([{ id: 'inpay_1', payment: { type: 'payment_intent', payment_intent: 'pi_1' } }]);
    case '/v1/charges':
      return list(side.charges);
    case '/v1/events':
      return list(
        side.charges.map((object) => ({
          id: `evt_${object.id}`,
          object: 'event',
          type: 'charge.failed',
          data: { object },
          request: { id: 'req_1', idempotency_key: side.latestKey },
        })),
      );
    case `/v1/customers/${side.customer.id}`:
      return { status: 200, body: side.customer };
    default:
      return pathname.startsWith('/v1/payment_methods/') ? methodAt(side, pathname) : missing();
  }
}

function payable({ customer }: StripeSide, changes: Partial<Stripe.Invoice>): Stripe.Invoice {
  const subscription = buildSubscription({ status: 'past_due', default_payment_method: null });
  return buildInvoice({
    customer,
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription },
      type: 'subscription_details',
    },
    ...changes,
  });
}

/** Every method asked for is on file with the same card data, except that the default has its own. */
function methodAt({ method }: StripeSide, pathname: string): StubAnswer {
  const id = pathname.split('/').at(-1) ?? '';
  return { status: 200, body: id === method.id ? method : buildPaymentMethod({ id }, `fp_${id}`) };
}

function list(data: object[]): StubAnswer {
  return { status: 200, body: { object: 'list', data, has_more: false, url: '/v1/things' } };
}

function missing(): StubAnswer {
  return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } };
}
