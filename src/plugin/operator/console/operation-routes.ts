/** The console's changes: by operations alone, in the signed-in person's name. */
import { createHash, randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response, Router } from 'express';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { sealText, unsealText } from '../../../core/base/sealed-text.ts';
import { beginSentence } from '../../../core/base/sentence-case.ts';
import { findForgery } from '../../../core/web/form-token.ts';
import { placeOf, rootFrom, toPlace } from '../../../core/web/page-place.ts';
import type { SignedIn } from '../../../core/web/sign-in/sessions.ts';
import {
  enteredIn,
  hasRole,
  isJustProven,
  operatorOf,
  readForm,
} from '../../../core/web/sign-in/sign-in-desk.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { listFailures } from '../../store/reports/money/list-failures.ts';
import { keepAnswer, reserveAnswer, takeAnswer } from '../../store/tables/api-answers.ts';
import { findPayerWords } from '../../store/tables/sync/payers.ts';
import { type OperationDeps, roleFor, STATUS_OF } from '../operations/operation.ts';
import { type AnyResult, isOperation, type OperationName, operationOf } from '../operations/operations.ts';
import { operationToUndo } from '../operations/undo.ts';
import { describePerson, money } from '../text/describe-code.ts';
import { describeOperation } from '../text/describe-operation.ts';
import { onPage } from '../text/preview-operation.ts';
import { ID } from './page-answer.ts';
import type { OperationAnswer } from './page-reader.ts';

/** Registered before the pages: a form redirects to its page, which shows the answer once. */
export function addOperations(pages: Router, operations: OperationDeps): void {
  addForm(pages, operations, '/operations/:name', carryOutOne);
  addForm(pages, operations, '/operations/:name/several', carryOutSeveral);
  pages.use(takeAnswerOnce(operations));
}

interface FormRequest {
  readonly name: OperationName;
  readonly request: Request;
  readonly response: Response;
}

type Act = (operations: OperationDeps, asked: FormRequest) => Promise<Omit<OperationAnswer, 'back'>>;

function addForm(pages: Router, operations: OperationDeps, path: string, act: Act): void {
  pages.get(path, (request, response) => response.redirect(303, rootFrom(request)));
  pages.post(path, readForm, async (request, response, next) => {
    const name = String(request.params.name);
    if (!isOperation(name) || (act === carryOutSeveral && !isForSeveral(name))) return next();
    if (isToBeProven(operations, name, response)) return askAgain(request, response);
    const back = toPlace(enteredIn(request).back);
    const answer = await keepForPage(operations, operatorOf(response), async () => ({
      ...(await act(operations, { name, request, response })),
      back,
    }));
    const mark = back.includes('?') ? '&' : '?';
    response.redirect(303, `${rootFrom(request)}${back}${mark}answer=${answer}`);
  });
}

/** Seals the answer for the session that asked, as it may name a customer or hold their link. Returns its id. */
async function keepForPage(
  { database, clock }: OperationDeps,
  { token }: SignedIn,
  act: () => Promise<OperationAnswer>,
): Promise<string> {
  const id = randomUUID();
  const key = keyOf(token, id);
  const now = clock.now();
  await reserveAnswer(database, { key, request: 'console' }, now);
  const answer = await act();
  const body = { sealed: sealText(token, JSON.stringify(answer), id) };
  await keepAnswer(database, key, { status: answer.status, body }, now);
  return id;
}

function takeAnswerOnce({ database }: OperationDeps): RequestHandler {
  return async ({ query: { answer: id } }, response, next) => {
    const { token } = operatorOf(response);
    const kept = typeof id === 'string' ? await takeAnswer(database, keyOf(token, id)) : undefined;
    const opened = kept && unsealText([token], kept.sealed, String(id));
    response.locals.answer = opened && JSON.parse(opened.text);
    next();
  };
}

function keyOf(token: string, id: string): string {
  return createHash('sha256').update(`${token} ${id}`).digest('hex');
}

const carryOutOne: Act = async (operations, asked) => {
  const carried = await carryOut(operations, asked, enteredIn(asked.request));
  return { ...carried, isGood: carried.status === 200 };
};

/** Carries out one operation with one reason for each of the chosen rows. */
const carryOutSeveral: Act = async (operations, asked) => {
  const { rows: chosen = '', ...fields } = enteredIn(asked.request);
  const all = chosen === '' ? [] : chosen.split(',');
  const rows = all.length > MOST_ROWS ? [] : all;
  const rowAnswers = new Map<string, Carried>();
  for (const row of rows) {
    const [account = '', invoice = ''] = row.split(' ');
    rowAnswers.set(row, await carryOut(operations, asked, { ...fields, account, invoice }));
  }
  const answers = [...rowAnswers.values()];
  const done = answers.filter(({ title }) => title === TITLES.changed).length;
  const lines = answers.map(({ title, lines: [first = ''] }) => `${title}: ${beginSentence(first)}`);
  return {
    status: answers[0]?.status ?? 400,
    title: `Done: ${done} of ${rows.length}`,
    isGood: done > 0 && done === rows.length,
    rowAnswers: Object.fromEntries(rowAnswers),
    lines: rows.length === 0 ? ['Nothing was changed: no row was chosen.'] : [...new Set(lines)],
  };
};

/** What a person does to invoices on a list, and can do to each again. */
export function isForSeveral(name: OperationName): boolean {
  const { form } = operationOf(name);
  return form?.about === 'invoice' && (form.asks ?? []).every(({ as }) => as === 'check');
}

const MOST_ROWS = 100;

/** Whether the person must sign in again, as before irreversible operations. */
function isToBeProven({ clock }: OperationDeps, name: OperationName, response: Response): boolean {
  const operation = operationOf(name);
  const operator = operatorOf(response);
  return (
    operation.isFinal === true &&
    hasRole(operator, roleFor(operation)) &&
    !isJustProven(operator, clock.now())
  );
}

function askAgain(request: Request, response: Response): void {
  const place = keepForm(request, enteredIn(request));
  response.redirect(303, `${rootFrom(request)}login?again&to=${encodeURIComponent(place)}`);
}

/** The page of a form that was sent too late, with its entries, which its forms then show. */
export function keepForm(request: Request, fields: Readonly<Record<string, string>>): string {
  const place = placeOf(request);
  const [, name] = /^operations\/(\w+)(?:\/several)?$/.exec(place) ?? [];
  if (name === undefined) return place;
  const { token: _token, back = '', typed: _typed, ...entered } = fields;
  const [page = '', query = ''] = back.split('?');
  const kept = new URLSearchParams({
    ...Object.fromEntries(new URLSearchParams(query)),
    ...entered,
    do: name,
  });
  const whole = `${page}?${kept}`;
  return toPlace(whole) === '' ? back : whole;
}

const TITLES: Readonly<Record<AnyResult['outcome'], string>> = {
  changed: 'Done',
  unchanged: 'Nothing changed',
  refused: 'Not done',
  not_found: 'Not found',
};

type Carried = Pick<OperationAnswer, 'status' | 'title' | 'lines' | 'undo'>;

async function carryOut(
  operations: OperationDeps,
  { name, request, response }: FormRequest,
  { token, back: _back, reason = '', typed = '', ...given }: Given,
): Promise<Carried> {
  const operator = operatorOf(response);
  const forgery = findForgery(request, token, [operator.token]);
  if (forgery !== undefined)
    return { status: 403, title: 'Not done', lines: [`Nothing was changed: ${forgery}.`] };
  // What undoes takes the role of what it undoes.
  const asked = name === 'undo' ? ((await operationToUndo(operations, given)) ?? name) : name;
  const role = roleFor(operationOf(asked));
  if (!hasRole(operator, role)) {
    const who = role === 'operator' ? 'operators' : 'administrators';
    const line = `Nothing was changed: this is for ${who}, and you sign in as ${operator.role}.`;
    return { status: 403, title: 'Not done', lines: [line] };
  }
  const asking = {
    who: { name: operator.name, via: 'console' as const },
    ...(reason.trim() === '' ? {} : { reason }),
  };
  try {
    const operation = operationOf(name);
    if (operation.form?.isTyped && !(await isNamed(operations, given, typed)))
      return {
        status: 400,
        title: 'Not done',
        lines: ['Nothing was changed: what was typed is neither the customer’s name nor their id.'],
      };
    const about = await nameInvoice(operations, given);
    const result = await operation.carryOut(operations, asking, given);
    const lines = describeOperation(name, result, onPage(about)).split('\n');
    const { invoice, account } = given;
    const undo =
      'undo' in result
        ? { line: String(result.undo), ...(invoice && { invoice }), ...(account && { account }) }
        : undefined;
    return { status: STATUS_OF[result.outcome], title: TITLES[result.outcome], lines, undo };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return { status: 400, title: 'Not done', lines: [`Nothing was changed: ${error.message}.`] };
  }
}

type Given = Readonly<Record<string, string>>;

/** `€24.90 of Wanda Nowak`, as far as it is known. */
async function nameInvoice({ database }: OperationDeps, { invoice, account }: Given) {
  if (invoice === undefined || !ID.test(invoice)) return undefined;
  const [failure] = await listFailures(
    database,
    { invoices: [invoice], account },
    { sort: 'failed', limit: 1 },
  );
  if (!failure) return undefined;
  const { amount, currency, customerName, customerEmail, customerId } = failure;
  const who = describePerson([customerName]) || describePerson([customerEmail]) || customerId;
  return `the ${money(amount, currency)} invoice${who === null ? '' : ` of ${who}`}`;
}

async function isNamed({ database }: OperationDeps, { customer = '', account }: Given, typed: string) {
  const payer = { account: account ?? OWN_ACCOUNT, customerId: customer, method: undefined };
  const { name } = ID.test(customer) ? await findPayerWords(database, payer) : { name: null };
  const plain = (text: string) => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
  return plain(typed) !== '' && [customer, name ?? customer].some((one) => plain(one) === plain(typed));
}
