/** What each form of a page, or button of a view, would do now, in words for people, and what helps where something prevents it. */
import { setTimeout as wait } from 'node:timers/promises';
import Stripe from 'stripe';
import { ConfigError, DatabaseAwayError, UpstreamError } from '../../../core/base/errors.ts';
import { beginSentence, capitalize } from '../../../core/base/sentence-case.ts';
import { REQUESTS, requestKind } from '../../actions/action-kinds.ts';
import type { InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { isHeld } from '../../store/tables/retry/holds.ts';
import type { FormSpec, InvoiceStanding, OperationDeps, Preview, Say } from '../operations/operation.ts';
import { OPERATION_NAMES, type OperationName, operationOf } from '../operations/operations.ts';
import { warnOfControlGroup } from './describe-experiment.ts';
import { EXACTLY } from './describe-operation.ts';

export interface OperationPreview {
  /** A sentence each, without their full stops. */
  readonly will?: readonly string[] | undefined;
  /** Sentences: why it would not be done now, and what helps instead. */
  readonly refusal?: string;
  /** Whether another card would help: then the customer can be asked for one. */
  readonly needsOtherCard?: boolean;
}

/** Moments are written as `MarkedWords` finds them. */
export const onPage = (invoice = 'the invoice'): Say => ({
  ...EXACTLY,
  invoice: () => invoice,
  technical: () => '',
});

const UNAVAILABLE: OperationPreview = {
  will: ['Preview unavailable; everything is checked again when you confirm'],
};
/** Longer than this no page waits for Stripe. */
const WAIT_MS = 4_000;

export function standingOf({ hold, actions }: Pick<InvoiceHistory, 'hold' | 'actions'>): InvoiceStanding {
  const kinds: readonly string[] = REQUESTS.map(requestKind);
  return { isHeld: isHeld(hold), hadEmail: actions.some(({ kind }) => kinds.includes(kind)) };
}

/** Forms about the subject in its current state. */
export function listForms(
  about: FormSpec['about'],
  standing?: InvoiceStanding,
): { readonly name: OperationName; readonly form: FormSpec }[] {
  return OPERATION_NAMES.flatMap((name) => {
    const { form } = operationOf(name);
    const isLeftOut = form?.about !== about || (standing && form.isOffered?.(standing) === false);
    return isLeftOut ? [] : [{ name, form }];
  });
}

/** The offer where no attempt with this card is left. */
export const ASK_FOR_CARD = {
  name: 'sendEmailAgain',
  title: 'Ask for new card',
  button: 'Send the email',
  fields: { template: 'card_update' },
} as const;

/** Previews by name of the forms on a page about one thing. */
export async function previewForms(
  operations: OperationDeps,
  about: FormSpec['about'],
  { fields, standing }: { fields: Readonly<Record<string, string>>; standing?: InvoiceStanding },
): Promise<ReadonlyMap<OperationName, OperationPreview>> {
  const shown = listForms(about, standing).filter(({ name }) => operationOf(name).hasPreview);
  return new Map(
    await Promise.all(
      shown.map(async ({ name }) => [name, await previewOperation(operations, name, fields)] as const),
    ),
  );
}

/** A Stripe that is away, or a setting that is missing, prevents no page; an error of our own does. */
export async function previewOperation(
  operations: OperationDeps,
  name: OperationName,
  fields: Readonly<Record<string, string>>,
  say: Say = onPage(),
): Promise<OperationPreview> {
  const isDone = new AbortController();
  const tooLate = wait(WAIT_MS, undefined, { ref: false, signal: isDone.signal }).then(() => {
    throw new UpstreamError(`The preview of ${name} took longer than ${WAIT_MS / 1000} seconds.`, {
      retryable: true,
    });
  });
  try {
    const looked = await Promise.race([operationOf(name).preview(operations, fields), tooLate]);
    const { will, objection, controlGroup } = looked;
    const warning = controlGroup ? [warnOfControlGroup(controlGroup.against)] : [];
    const sentences = will ? [...warning, will(say)].flat() : undefined;
    return { will: sentences, ...(objection ? describeObjection(objection, say) : {}) };
  } catch (error) {
    if (!isOutside(error)) throw error;
    operations.logger.error({ err: error, operation: name, ...fields }, 'a preview is unavailable');
    return UNAVAILABLE;
  } finally {
    isDone.abort();
  }
}

function isOutside(error: unknown): boolean {
  const isOurs = [UpstreamError, ConfigError, DatabaseAwayError].some((known) => error instanceof known);
  return isOurs || error instanceof Stripe.errors.StripeError;
}

const OTHER_CARD = 'Ask the customer for another card instead.';
const RELEASE = 'To collect it anyway, release it first.';

/** The better operation for each obstacle. */
const BETTER: ReadonlyMap<string, string> = new Map([
  ...['hard_decline', 'few_attempts', 'payment_method', 'indian_card', 'fraud_reported'].map(
    (guard) => [guard, OTHER_CARD] as const,
  ),
  ...['stopped', 'disputed', 'payer_disputes', 'subscription', 'cancel_requested'].map(
    (guard) => [guard, RELEASE] as const,
  ),
  ['postponed', 'Postpone it to another time, or release it.'],
  ['paused', 'Resume payments first, on the page System status.'],
  ['stripe_retry_near', 'Wait for Stripe’s own attempt.'],
  ['processing', 'Wait for the bank’s answer.'],
  ['attempt_in_doubt', 'Wait until the earlier attempt is settled.'],
  ['recipient', 'Add an email address in Stripe first.'],
]);

function describeObjection(
  { guard, reason, until }: NonNullable<Preview['objection']>,
  say: Say,
): OperationPreview {
  const at = until?.toUTC().toISO();
  const when = at ? `; possible from ${say.moment(at)}` : '';
  const isOver = guard === 'network_limits' && until === undefined;
  const better = isOver ? OTHER_CARD : BETTER.get(guard);
  return {
    refusal: toSentence(`${say.reason(reason)}${when}${better === undefined ? '' : `. ${better}`}`),
    needsOtherCard: better === OTHER_CARD,
  };
}

const toSentence = (text: string) => `${beginSentence(capitalize(text)).replace(/\.$/, '')}.`;
