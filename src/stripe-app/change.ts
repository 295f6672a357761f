/** The operations that the views ask for: those whose rows say so, for the account that is signed. */
import { z } from 'zod';
import { capitalize } from '../kit/sentence-case.ts';
import { OPERATION_NAMES, type OperationName, operationOf } from '../operator/operations/operations.ts';
import { describeOperation } from '../operator/text/describe-operation.ts';
import { type DefinedRequest, defineRequest, stripeId } from './define-request.ts';
import { sayTo } from './reader.ts';

/** `id` is of the invoice that the view shows; what else is there are parameters. */
const given = z.looseObject({ id: stripeId.optional(), why: z.string().trim().max(500).optional() });

export const CHANGES: readonly (readonly [name: string, request: DefinedRequest])[] = OPERATION_NAMES.flatMap(
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
    async ({ operations }, { account, userId, reader }, { id: invoice, why, ...parameters }) => {
      const asking = { who: { name: userId, via: 'stripe_app' as const }, ...(why ? { why } : {}) };
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
