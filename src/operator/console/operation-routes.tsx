/** What the console changes: by operations alone, in the name of whoever is signed in. */
import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { findForgery } from '../../http/form-token.ts';
import { rootFrom, toPlace } from '../../http/page-place.ts';
import { hasRole, isJustProven, operatorOf } from '../../http/sign-in/sign-in-desk.ts';
import { InvalidRequestError } from '../../kit/errors.ts';
import { beginSentence } from '../../kit/sentence-case.ts';
import { type OperationDeps, roleFor, STATUS_OF } from '../operations/operation.ts';
import { type AnyResult, isOperation, type OperationName, operationOf } from '../operations/operations.ts';
import { describeOperation } from '../text/describe-operation.ts';
import type { ConsolePage } from './console-layout.tsx';
import { MarkedWords } from './marked-words.tsx';
import { readerOf } from './page-reader.ts';

const FORM_LIMIT = '10kb';

type Send = (request: Request, response: Response, page: ConsolePage) => Promise<void>;

/** Nothing is sent anew by a reload that would do more than the first time: every operation is safe to repeat. */
export function addOperations(pages: Router, operations: OperationDeps, send: Send): void {
  pages.post(
    '/operations/:name',
    express.urlencoded({ extended: false, limit: FORM_LIMIT }),
    async (request, response, next) => {
      const name = String(request.params.name);
      if (!isOperation(name)) return next();
      const operator = operatorOf(response);
      const place = toPlace(formOf(request).back);
      const back = `${rootFrom(request)}${place}`;
      if (
        operationOf(name).isFinal &&
        hasRole(operator, roleFor(operationOf(name))) &&
        !isJustProven(operator, operations.clock.now())
      )
        return response.redirect(303, `${rootFrom(request)}login?again&to=${encodeURIComponent(place)}`);
      const { status, title, text } = await carryOut(operations, { name, request, response });
      const main = (
        <>
          <h1>{title}</h1>
          <div class={`card ${status === 200 ? 'good' : 'warn'}`} role="status">
            {text.split('\n').map((line) => (
              <p>
                <MarkedWords text={beginSentence(line)} reader={readerOf(request, operations.clock.now())} />
              </p>
            ))}
          </div>
          <p>
            <a href={back}>Back</a>
          </p>
        </>
      );
      await send(request, response.status(status), { title, main });
    },
  );
}

const form = z.record(z.string(), z.string()).catch({});

function formOf(request: Request): Readonly<Record<string, string>> {
  return form.parse(request.body);
}

const TITLES: Readonly<Record<AnyResult['outcome'], string>> = {
  changed: 'Done',
  unchanged: 'Nothing changed',
  refused: 'Not done',
  not_found: 'Not found',
};
interface Asked {
  readonly name: OperationName;
  readonly request: Request;
  readonly response: Response;
}

async function carryOut(operations: OperationDeps, { name, request, response }: Asked) {
  const { token, back: _back, why = '', ...given } = formOf(request);
  const operator = operatorOf(response);
  const forgery = findForgery(request, token, [operator.token]);
  if (forgery !== undefined)
    return { status: 403, title: 'Not done', text: `Nothing was changed: ${forgery}.` };
  const role = roleFor(operationOf(name));
  if (!hasRole(operator, role))
    return {
      status: 403,
      title: 'Not done',
      text: `Nothing was changed: this is for ${role === 'operator' ? 'operators' : 'administrators'}, and you sign in as ${operator.role}.`,
    };
  const asking = {
    who: { name: operator.name, via: 'console' as const },
    ...(why.trim() === '' ? {} : { why }),
  };
  try {
    const result = await operationOf(name).carryOut(operations, asking, given);
    return {
      status: STATUS_OF[result.outcome],
      title: TITLES[result.outcome],
      text: describeOperation(name, result),
    };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return { status: 400, title: 'Not done', text: `Nothing was changed: ${error.message}.` };
  }
}
