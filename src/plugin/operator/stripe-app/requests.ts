/**
 * Every request of the views, by name: what they read, and the operations whose rows say that they are asked for there, for the account
 * that is signed.
 */
import { z } from 'zod';
import { capitalize } from '../../../core/base/sentence-case.ts';
import { OPERATION_NAMES, type OperationName, operationOf } from '../operations/operations.ts';
import { describeOperation } from '../text/describe-operation.ts';
import type { ChangeAnswer } from './answers.ts';
import { answerCustomer } from './customer-answer.ts';
import { type DefinedRequest, defineRequest, stripeId } from './define-request.ts';
import { answerInvoice } from './invoice-answer.ts';
import { sayTo } from './reader.ts';
import { answerOnboarding, answerSettings } from './settings-answer.ts';
import { answerWork } from './work-answer.ts';

/** `id` is of the invoice that the view shows; what else is there are parameters. */
const given = z.looseObject({ id: stripeId.optional(), reason: z.string().trim().max(500).optional() });

const CHANGES: readonly (readonly [name: string, request: DefinedRequest])[] = OPERATION_NAMES.flatMap(
  (name) => {
    const { app } = operationOf(name);
    return app ? [[app.request ?? name, toRequest(name, app)] as const] : [];
  },
);

function toRequest(
  name: OperationName,
  { needs, words = {} }: NonNullable<ReturnType<typeof operationOf>['app']>,
): DefinedRequest {
  return defineRequest(
    given,
    async (
      { operations },
      { account, userId, reader },
      { id: invoice, reason, ...parameters },
    ): Promise<ChangeAnswer> => {
      const asking = { who: { name: userId, via: 'stripe_app' as const }, ...(reason ? { reason } : {}) };
      const asked = { ...parameters, invoice, account };
      const result = await operationOf(name).carryOut(operations, asking, asked);
      const { outcome, code } = result;
      const text = words[code] ?? describeOperation(name, result, sayTo(reader));
      return { outcome, code, text: text.split('\n').map(toSentence).join(' ') };
    },
    needs,
  );
}

const toSentence = (line: string) => `${capitalize(line)}${/[.:]$/.test(line) ? '' : '.'}`;

const one = z.object({ id: stripeId });
const none = z.object({});

export const REQUESTS: ReadonlyMap<string, DefinedRequest> = new Map([
  ['invoice', defineRequest(one, answerInvoice)],
  ['customer', defineRequest(one, answerCustomer)],
  ['work', defineRequest(none, answerWork)],
  ['settings', defineRequest(none, answerSettings)],
  ['onboarding', defineRequest(none, answerOnboarding)],
  ...CHANGES,
]);
