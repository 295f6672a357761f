/** The OpenAPI 3.1 document of `/api/v1`, generated from the routes. */
import { z } from 'zod';
import {
  type DescribedRoute,
  documentRoute,
  type JsonSchema,
  listParameters,
  refer,
  toComponents,
  writeOpenApi,
} from '../../../core/web/openapi.ts';
import { reasonSchema } from '../../reasons/reason.ts';
import { access } from '../lists/access.ts';
import { owedInvoice } from '../lists/customer-state.ts';
import { failingInvoice } from '../lists/failing-invoices.ts';
import { oneCustomer } from '../operations/operation.ts';
import { OPERATION_NAMES, OPERATIONS, operationOf } from '../operations/operations.ts';
import { objected } from '../operations/retry.ts';
import { invoiceParameters, invoiceUnknown } from '../operations/subjects.ts';
import { pauseView } from '../operations/switch-effects.ts';
import { API_ROUTES, type ApiRoute, namesIn, objection } from './api-routes.ts';

export const refusal = z.object({
  success: z.literal(false),
  code: z.string().describe('One of the error codes of docs/reference/settings.md.'),
  message: z.string().describe('What happened, to what, and what to do.'),
});

/** Refusals by status: the name among `components.responses`, and its meaning. */
const REFUSALS = {
  400: ['BadRequest', 'The request does not fit; the message names the field.'],
  401: ['Unauthorized', 'There is no token, or a wrong one.'],
  403: ['Forbidden', 'The token may only read, or the request came over plain HTTP from another machine.'],
  404: ['NotFound', 'Nothing is known of it.'],
  413: ['TooLarge', 'The body is larger than 100 kB.'],
  429: ['TooMany', 'Too many wrong tokens from this address.'],
  500: ['Unforeseen', 'Something unexpected happened; the log has the cause.'],
  502: ['StripeSilent', 'Stripe did not answer.'],
  503: ['Unavailable', 'The database cannot be reached. Try again.'],
} as const;

const REFUSAL = refer('Refusal');

export function describeOperatorApi() {
  return writeOpenApi({
    title: 'Payment retry: operator',
    summary: 'What an operator can read and do.',
    description:
      'JSON in UTF-8, over HTTPS; times are ISO 8601 in UTC, money is in the smallest unit of its currency.',
    tags: [
      { name: 'reading', description: 'With either token.' },
      { name: 'operations', description: 'With OPERATOR_TOKEN: what a person can do.' },
    ],
    routes: [
      documentRoute('reading', undefined, { refusals: [401, 403, 429] }),
      ...API_ROUTES.map(describeRoute),
    ],
    refusals: REFUSALS,
    schemas: listSchemas(),
    parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
    tokens: { token: 'OPERATOR_TOKEN, or to read OPERATOR_READ_TOKEN.' },
  });
}

const pascal = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const requestOf = ({ operationId }: ApiRoute) => `${pascal(operationId)}Request`;
/** One schema answers every status of a route. */
const answerOf = ({ operationId, answerName }: ApiRoute) => answerName ?? `${pascal(operationId)}Answer`;

function listSchemas(): Record<string, JsonSchema> {
  const requests: Record<string, z.ZodType> = { ...listParameterSchemas() };
  const answers: Record<string, z.ZodType> = {
    Refusal: refusal,
    Reason: reasonSchema,
    Objection: objection,
    InvoiceUnknown: invoiceUnknown,
    GuardObjects: objected,
    Pause: pauseView,
    FailingInvoice: failingInvoice,
    OwedInvoice: owedInvoice,
    Access: access,
  };
  for (const route of API_ROUTES) {
    if (route.body) requests[requestOf(route)] = route.body;
    for (const { schema } of Object.values(route.answers)) answers[answerOf(route)] = schema;
  }
  return { ...toComponents(requests, 'input'), ...toComponents(answers, 'output') };
}

/** Each once, also where several operations take the same. */
function listParameterSchemas(): Record<string, z.ZodType> {
  const names = new Map<z.ZodType, string>([
    [invoiceParameters, 'InvoiceParameters'],
    [oneCustomer, 'CustomerParameters'],
    [OPERATIONS.pause.parameters, 'AccountParameters'],
  ]);
  for (const name of OPERATION_NAMES) {
    const { parameters } = operationOf(name);
    if (!names.has(parameters)) names.set(parameters, `${pascal(name)}Parameters`);
  }
  return Object.fromEntries([...names].map(([schema, name]) => [name, schema]));
}

function describeRoute(route: ApiRoute): DescribedRoute {
  const { method, path, operationId, summary, description, query, body, answers, right } = route;
  const isWrite = right === 'full';
  const hasBody = method === 'post' && body !== undefined;
  const names = namesIn(path);
  const given = Object.entries(answers).map(([status, { description }]) => {
    const shown = refer(answerOf(route));
    // The same status also says that the key was used before.
    const isShared = isWrite && status === '409';
    return [status, { description, schema: isShared ? { anyOf: [shown, REFUSAL] } : shown }];
  });
  return {
    method,
    path,
    operationId,
    tag: isWrite ? 'operations' : 'reading',
    summary,
    description,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(query ? listParameters(query.shape) : []),
      ...(isWrite ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(hasBody && { body: { schema: refer(requestOf(route)), required: false } }),
    answers: Object.fromEntries(given),
    refusals: listStatuses({ canMiss: names.length > 0, hasBody }),
  };
}

type Status = keyof typeof REFUSALS;

function listStatuses(can: { canMiss: boolean; hasBody: boolean }): Status[] {
  const some: Status[] = [...(can.canMiss ? [404 as const] : []), ...(can.hasBody ? [413 as const] : [])];
  return [400, 401, 403, ...some, 429, 500, 502, 503];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your own. A repeated request with it is answered as the first one for a day, and nothing is done.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};
