/** What a retry service sends: looked at by a receiver that fails first, as receivers do. */
import { retryInstruction, type TransactionMessage } from '../../core/contract/contract.ts';
import {
  isSuccess,
  listUnder,
  must,
  type ServiceCheck,
  type ServiceUnderTest,
  should,
  subscription,
} from './service-under-test.ts';

export interface Delivery {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

export interface Receiver {
  /** All that came to POST /recovery_action, in order. The first is answered 500, the others that all is well. */
  readonly deliveries: readonly Delivery[];
  /** Resolves to true when `count` have arrived, to false after the longest wait. */
  waitFor(count: number): Promise<boolean>;
  /** Waits for the time that a repetition would take. */
  stayQuiet(): Promise<void>;
}

/** Checks in this order: each continues from the end of the one before. */
export function callbackChecks(receiver: Receiver, token: string): ServiceCheck[] {
  return listUnder('Callback', [
    must(
      'callbackRequest',
      'a failed renewal leads to an instruction at POST /recovery_action',
      async (service) => {
        const told = await reportFailedPayment(service);
        if (await receiver.waitFor(1)) return undefined;
        return told
          ? 'none came'
          : 'none came: the service takes no invoices and transactions, so let a renewal fail where it looks';
      },
    ),
    must('callbackToken', 'it carries the bearer token', async () => {
      const [first] = receiver.deliveries;
      if (first?.authorization === `Bearer ${token}`) return undefined;
      return first?.authorization === undefined
        ? 'it has no Authorization header'
        : 'it carries another token';
    }),
    must('callbackBody', 'its body is JSON, as the contract has it', async () => {
      const [first] = receiver.deliveries;
      if (!first) return 'none came';
      if (!first.contentType?.includes('application/json'))
        return `it is ${first.contentType ?? 'of no type'}`;
      const parsed = retryInstruction.safeParse(first.body);
      const [issue] = parsed.success ? [] : parsed.error.issues;
      return issue && `${issue.path.join('.')}: ${issue.message}`;
    }),
    should('callbackAgain', 'one that was answered 500 is sent again, under the same requestId', async () => {
      if (!(await receiver.waitFor(2))) return 'it was not sent again';
      const [first, second] = receiver.deliveries.map(requestIdOf);
      return first === second ? undefined : `first ${first}, then ${second}`;
    }),
    should('callbackAgain', 'one that was taken is not sent again', async () => {
      await receiver.stayQuiet();
      const ids = receiver.deliveries.slice(1).map(requestIdOf);
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return twice && `${twice} came again`;
    }),
  ]);
}

const requestIdOf = ({ body }: Delivery): string =>
  typeof body === 'object' && body !== null && 'requestId' in body ? String(body.requestId) : '';

/** Reports the payment by the two extensions. False where the service lacks them. */
async function reportFailedPayment(service: ServiceUnderTest): Promise<boolean> {
  const renewed = subscription(service, 'failing');
  const { customerId, id: subscriptionId, amount, currency, updatedAt } = renewed;
  const shared = { customerId, subscriptionId, amount, currency, createdAt: updatedAt, updatedAt };
  const invoiceId = `${service.prefix}_in`;
  const invoice = { id: invoiceId, state: 'INVOICE_STATE_UNPAID', ...shared };
  const transaction: TransactionMessage = {
    id: `${service.prefix}_ch`,
    paymentGatewayTransactionId: `${service.prefix}_ch`,
    invoiceId,
    state: 'TRANSACTION_STATE_FAILED',
    ...shared,
    paymentMethodType: 'card',
    paymentGatewayId: 'stripe',
    paymentGatewayName: 'stripe',
    paymentGatewayType: 'stripe',
    paymentGatewayStatus: 'requires_payment_method',
    paymentGatewayErrorCode: 'insufficient_funds',
    cardBrand: 'visa',
    cardCountry: 'US',
  };
  await service.ingest([renewed]);
  const post = (kind: string, records: readonly object[]) =>
    service.ask({ path: `/ingest/v1/${kind}`, method: 'POST', body: { [kind]: records } });
  const answers = [await post('invoices', [invoice]), await post('transactions', [transaction])];
  return answers.every(isSuccess);
}
