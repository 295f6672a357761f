/** What scenarios do and look at, in the words of a merchant. */

import type { DateTime } from 'luxon';
import type { Reason } from '../../src/plugin/reasons/reason.ts';
import type { PaymentMethodBehaviour } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { NewCustomer } from '../../src/workbench/sandbox/sandbox-arrangements.ts';
import { CALLBACK_TOKEN, type World } from './world.ts';

export interface Subscriber {
  readonly customerId: string;
  readonly subscriptionId: string;
}

/** A customer with a monthly subscription of 20.00 USD, the first month paid if the card takes it. */
export async function subscribe(
  world: World,
  paymentMethod: PaymentMethodBehaviour,
  customer: NewCustomer = {},
): Promise<Subscriber> {
  const { id: customerId } = world.sandbox.createCustomer({
    email: 'ada@example.com',
    name: 'Ada Example',
    country: 'DE',
    ...customer,
    paymentMethod,
  });
  const price = world.sandbox.createPrice({ unit_amount: 2000 });
  const { id: subscriptionId } = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price: price.id, quantity: 1 }],
  });
  await world.settle();
  return { customerId, subscriptionId };
}

/** The invoice of the next month, charged once by Stripe. */
export async function renew(world: World, subscriptionId: string): Promise<string> {
  const { id } = world.sandbox.renewNow(subscriptionId);
  await world.settle();
  return id;
}

/** A subscriber whose card failed at the second month. */
export async function failingInvoice(
  world: World,
  paymentMethod: PaymentMethodBehaviour,
  customer: NewCustomer = {},
): Promise<Subscriber & { invoiceId: string }> {
  const subscriber = await subscribe(world, paymentMethod, customer);
  return { ...subscriber, invoiceId: await renew(world, subscriber.subscriptionId) };
}

export interface CallbackAnswer {
  status: number;
  body: unknown;
}

/** What the service posts to `/recovery_action`. */
export async function callBack(world: World, body: unknown, token = CALLBACK_TOKEN): Promise<CallbackAnswer> {
  const response = await fetch(`${world.url}/recovery_action`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

let requests = 0;

/** An instruction in the contract's form. Returns its request id once it is acknowledged. */
export async function instruct(
  world: World,
  invoiceId: string,
  suggestion: string,
  idealRetryTime: DateTime = world.clock.now(),
  requestId: string = `request_${++requests}`,
): Promise<string> {
  const actionSuggestion = `ACTION_SUGGESTION_${suggestion}`;
  const { status, body } = await callBack(world, {
    requestId,
    invoiceId,
    actionSuggestion,
    idealRetryTime: idealRetryTime.toISO(),
  });
  if (status !== 200) throw new Error(`The instruction was answered ${status}: ${JSON.stringify(body)}`);
  await world.settle();
  return requestId;
}

/** The answer that the service reads. */
export async function askToRetry(world: World, invoiceId: string, at: DateTime = world.clock.now()) {
  const suggestion = { actionSuggestion: 'ACTION_SUGGESTION_RETRY', idealRetryTime: at.toISO() };
  const { body } = await callBack(world, { requestId: `request_${++requests}`, invoiceId, ...suggestion });
  await world.settle();
  return body;
}

export async function instructionOf(world: World, requestId: string): Promise<object | undefined> {
  const [row] = await world.query(
    'select state, reason from payment_retry.instructions where request_id = $1',
    [requestId],
  );
  return row;
}

export interface ActionView {
  kind: string;
  state: string;
  reason: Reason | null;
  dueAt: DateTime<true>;
}

export async function actionsOf(world: World, invoiceId: string): Promise<ActionView[]> {
  return world.query(
    `select kind, state, reason, due_at as "dueAt" from payment_retry.actions
     where invoice_id = $1 order by created_at, state`,
    [invoiceId],
  );
}

/** What was written down about an invoice, in order. */
export async function storyOf(world: World, invoiceId: string): Promise<string[]> {
  const rows = await world.query<{ kind: string }>(
    'select kind from payment_retry.audit where invoice_id = $1 order by id',
    [invoiceId],
  );
  return rows.map((row) => row.kind);
}

export interface AttemptView {
  source: string;
  outcome: string | null;
  calls: number;
  chargeId: string | null;
}

export async function attemptsOf(world: World, invoiceId: string): Promise<AttemptView[]> {
  return world.query(
    `select source, outcome, calls, charge_id as "chargeId" from payment_retry.attempts
     where invoice_id = $1 order by started_at`,
    [invoiceId],
  );
}

/** The states of Stripe's charges for an invoice, oldest first. */
export function chargesOf({ sandbox }: Pick<World, 'sandbox'>, invoiceId: string): string[] {
  const { invoicePayments, charges } = sandbox.state;
  const found = [...invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })].flatMap(
    ({ payment }) => [...charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' })],
  );
  return found.map(({ status }) => String(status)).reverse();
}

export function statusOf({ sandbox }: Pick<World, 'sandbox'>, invoiceId: string): string {
  return String(sandbox.state.invoices.get(invoiceId)?.status);
}

/** Our calls of `invoices.pay` for an invoice. */
export function payCalls({ sandbox }: Pick<World, 'sandbox'>, invoiceId: string) {
  return sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${invoiceId}/pay`);
}
