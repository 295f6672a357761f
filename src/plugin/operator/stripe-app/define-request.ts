import { z } from 'zod';
import type { Clock } from '../../../core/base/clock.ts';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Database } from '../../../core/database/database.ts';
import type { Config } from '../../settings/config.ts';
import type { Finding } from '../checks/finding.ts';
import type { Ability, OperationDeps } from '../operations/operation.ts';
import { parseJson } from './app-request.ts';
import { type Reader, readerParameters } from './reader.ts';

export interface AnswerDeps {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly operations: OperationDeps;
  /** Findings of the whole installation. */
  readonly checks: () => Promise<Finding[]>;
}

/** Who asks, and about whose records. */
export interface AppQuery {
  readonly account: string;
  /** Stripe's id of the account. */
  readonly accountId: string;
  readonly userId: string;
  readonly abilities: readonly Ability[];
  readonly reader: Reader;
}

export interface DefinedRequest {
  /** What its user must be allowed to; with it the request changes something, and is carried out once. */
  readonly needs: Ability | undefined;
  /** `parameters` is the JSON of the request. Throws InvalidRequestError. */
  readonly answer: (deps: AnswerDeps, asked: Omit<AppQuery, 'reader'>, parameters: string) => Promise<object>;
}

export function defineRequest<Parameters extends z.ZodObject>(
  parameters: Parameters,
  answer: (deps: AnswerDeps, asked: AppQuery, given: z.output<Parameters>) => Promise<object>,
  needs?: Ability,
): DefinedRequest {
  return {
    needs,
    answer: async (deps, asked, text) => {
      const given = parseJson(text);
      const parsed = parameters.safeParse(given);
      if (!parsed.success) throw new InvalidRequestError(`parameters: ${describeIssue(parsed.error)}`);
      return answer(deps, { ...asked, reader: readerParameters.parse(given) }, parsed.data);
    },
  };
}

/** No id of Stripe is longer or has spaces in it. */
export const stripeId = z.string().regex(/^[!-~]{1,255}$/);
