/** Why a customer is not mailed about an invoice. */
import { findDecline } from '../../declines/find-decline.ts';
import type { EmailTemplate } from '../../email/mail-texts.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { hasRecentEmail } from '../../store/tables/retry/emails.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { PayableInvoice } from '../payment/payable-invoice.ts';
import { startOf } from './card-history.ts';
import { type Because, findCollectionObjection } from './collection-rules.ts';
import { type FinalSay, readFinalSay, wasReleasedSince } from './final-say.ts';

export interface MailObjection extends Because {
  /** `withheld`: no mail is right. `undeliverable`: one would be, and a person must see to it that it can go out. */
  readonly kind: 'withheld' | 'undeliverable';
}

/** Mails of one kind about one invoice keep this distance (stripe-facts 6.6). */
const MIN_GAP_DAYS = 3;

export async function findMailObjection(
  deps: RetryDeps,
  action: StoredAction,
  invoice: PayableInvoice,
  template: EmailTemplate,
): Promise<MailObjection | undefined> {
  const say = await readFinalSay(deps.database, action.account, action.invoiceId);
  const withheld =
    findCollectionObjection({ invoice, say, recoverSignUps: deps.config.recoverSignUps }) ??
    (await objectToMoment(deps, action, { template, say }));
  if (withheld !== undefined) return { kind: 'withheld', ...withheld };
  if (!invoice.customer?.email) {
    const reason = `customer ${invoice.customerId} has no e-mail address`;
    return { kind: 'undeliverable', guard: 'recipient', reason };
  }
  if (!deps.mailer)
    return { kind: 'undeliverable', guard: 'mail_server', reason: 'no mail server is configured (SMTP_URL)' };
  return undefined;
}

async function objectToMoment(
  deps: RetryDeps,
  action: StoredAction,
  { template, say }: { template: EmailTemplate; say: FinalSay },
): Promise<Because | undefined> {
  const { account, invoiceId } = action;
  const attempts = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  const code = findMattersOfMerchant(attempts, say);
  if (code !== undefined) {
    const reason = `the last attempt failed with ${code}, which a mail to the customer cannot mend`;
    return { guard: 'matter_of_merchant', reason };
  }
  const since = deps.clock.now().minus({ days: MIN_GAP_DAYS });
  const key = { account, invoiceId, template, step: action.id };
  return (await hasRecentEmail(deps.database, key, since))
    ? { guard: 'recent_email', reason: `a ${template} mail went out less than ${MIN_GAP_DAYS} days ago` }
    : undefined;
}

/**
 * The code of the latest attempt, if it is one of the class `merchant`: a block by Stripe or a block list is not to be told,
 * a death is not to be written to, and a fault of the merchant's own is not the customer's to mend
 * (stripe-facts 5.4, 5.9). A person's release says that it is mended.
 */
function findMattersOfMerchant(attempts: readonly StoredAttempt[], say: FinalSay): string | undefined {
  const last = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'not_executed');
  if (last && wasReleasedSince(say, startOf(last))) return undefined;
  return [last?.declineCode, last?.code].find(
    (code): code is string => findDecline(code ?? undefined)?.class === 'merchant',
  );
}
