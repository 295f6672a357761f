/** The operations that the views ask for: those of the console and the commands, for the account that is signed. */
import { z } from 'zod';
import type { Asking } from '../operator/operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../operator/operations/operations.ts';
import type { Ability } from './app-roles.ts';
import {
  type AnswerDeps,
  type Asked,
  type DefinedRequest,
  defineRequest,
  stripeId,
} from './define-request.ts';
import { explain, type Reader } from './reader.ts';

const why = z.string().trim().max(500).optional();
const onInvoice = z.object({ id: stripeId, why });

async function carryOut(
  deps: AnswerDeps,
  { account, userId, reader }: Asked,
  name: OperationName,
  given: { why?: string | undefined; [parameter: string]: unknown },
): Promise<object> {
  const { why: reason, ...parameters } = given;
  const asking: Asking = { who: { name: userId, via: 'stripe_app' }, ...(reason ? { why: reason } : {}) };
  const result = await operationOf(name).carryOut(deps.operations, asking, { ...parameters, account });
  return toAnswer(reader, result);
}

/** The views have words for the code; why a guard objects is described as everywhere else. */
function toAnswer(reader: Reader, result: AnyResult): object {
  const { outcome, code } = result;
  return {
    outcome,
    code,
    why: 'reason' in result ? explain(reader, result.reason) : null,
    until: 'until' in result ? (result.until ?? null) : null,
    stripeTriesAt: 'stripeTriesAt' in result ? (result.stripeTriesAt ?? null) : null,
    isObserved: 'observed' in result && result.observed !== undefined,
  };
}

function onInvoices(name: OperationName): DefinedRequest {
  return defineRequest(
    onInvoice,
    (deps, asked, { id, why }) => carryOut(deps, asked, name, { invoice: id, why }),
    'operate',
  );
}

/** Everything that the account's recovery does at Stripe and for its customers. */
function onAccount(name: 'pause' | 'resume', needs: Ability): DefinedRequest {
  return defineRequest(z.object({ why }), (deps, asked, given) => carryOut(deps, asked, name, given), needs);
}

export const CHANGES: readonly (readonly [name: string, request: DefinedRequest])[] = [
  ['retryNow', onInvoices('retryNow')],
  ['stop', onInvoices('stop')],
  ['release', onInvoices('release')],
  ['sendMailAgain', onInvoices('sendMailAgain')],
  [
    'postpone',
    defineRequest(
      onInvoice.extend({ until: z.iso.datetime() }),
      (deps, asked, { id, until, why }) => carryOut(deps, asked, 'postpone', { invoice: id, until, why }),
      'operate',
    ),
  ],
  [
    'saveSettings',
    defineRequest(
      z.object({ businessEntity: z.unknown().optional(), credentials: z.unknown().optional() }),
      (deps, asked, given) => carryOut(deps, asked, 'setAccount', given),
      'configure',
    ),
  ],
  ['disconnect', onAccount('pause', 'configure')],
  ['connect', onAccount('resume', 'configure')],
];
