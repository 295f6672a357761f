/** The API's routes in one table, from which the router and the OpenAPI document are generated. */
import { z } from 'zod';
import { PluginError } from '../../../core/base/errors.ts';
import { parseGiven } from '../../../core/contract/parse-given.ts';
import { reasonSchema } from '../../reasons/reason.ts';
import { answerFindings, findingsAnswer } from '../checks/describe-finding.ts';
import type { Finding } from '../checks/finding.ts';
import { readStatus } from '../figures/money-of-month.ts';
import { access } from '../lists/access.ts';
import { customerState, readAccess, readCustomerState } from '../lists/customer-state.ts';
import { emailOutcomesAnswer, emailOutcomesQuery, readEmailOutcomes } from '../lists/email-outcomes.ts';
import { answerExperiment, experimentAnswer } from '../lists/experiment-answer.ts';
import { failingInvoicesPage, failingInvoicesQuery, listFailingInvoices } from '../lists/failing-invoices.ts';
import { needsAttentionAnswer, needsAttentionQuery, readNeedsAttention } from '../lists/needs-attention.ts';
import {
  askingSchema,
  type OperationDeps,
  type OperationResult,
  oneCustomer,
  STATUS_OF,
  stripeId,
} from '../operations/operation.ts';
import { OPERATION_NAMES, type OperationName, operationOf } from '../operations/operations.ts';
import { describeOperation, describePreview, showPreview } from '../text/describe-operation.ts';
import { invoiceAnswer, readInvoice } from './read-invoice.ts';

export type Right = 'read' | 'full';

export interface ApiRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: object;
}

export interface RouteDeps extends OperationDeps {
  /** Asks Stripe, the service, the mail server and ourselves. */
  readonly checks: () => Promise<readonly Finding[]>;
}

export interface ApiRoute {
  readonly method: 'get' | 'post';
  /** The path in Express's syntax. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly right: Right;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Answers by status; a refusal of the operation is one, too. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
  /** The answer is kept under no Idempotency-Key. */
  readonly isSecret?: boolean;
  /** The answer in words; undefined for an answer of another version. */
  readonly inWords?: (body: unknown) => string | undefined;
  /** The schema's name in the document, if other routes answer alike. */
  readonly answerName?: string;
  readonly handle: (deps: RouteDeps, request: ApiRequest) => Promise<ApiAnswer>;
}

/** The parameters in a route's path. */
export const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

const ok = (body: object): ApiAnswer => ({ status: 200, body });

/** Every part of the status, as the command `status --json` prints it. */
const statusAnswer = z.looseObject({
  needsPerson: z.boolean(),
  concerns: z.array(z.string()).describe('Which parts need attention.'),
  counts: z.array(z.object({ table: z.string(), state: z.string(), count: z.int() })),
});

/** An answer with its description. */
interface Read extends Omit<ApiRoute, 'method' | 'right' | 'answers'> {
  readonly answer: readonly [description: string, schema: z.ZodType];
}

const READS: readonly Read[] = [
  {
    path: '/status',
    operationId: 'readStatus',
    summary: 'What waits, and what needs attention',
    description: '`money` has the overview’s figures, `timing` what the embedded service’s times are worth.',
    answer: ['As it is now.', statusAnswer],
    handle: async (deps) => ok(toJson(await readStatus(deps))),
  },
  {
    path: '/checks',
    operationId: 'readChecks',
    summary: 'What an installation needs, looked at now: settings, key, webhooks, callbacks, email and more',
    description:
      'As `doctor` does it, by the running plugin. Asks Stripe, the service and the mail server; changes nothing.',
    answer: ['In the order in which things are set up.', findingsAnswer],
    handle: async ({ checks }) => ok(answerFindings(await checks())),
  },
  {
    path: '/failing_invoices',
    operationId: 'listFailingInvoices',
    summary: 'Failed invoices',
    description: 'A page at a time: `next` of one page is the parameter `after` of the next one.',
    query: failingInvoicesQuery,
    answer: ['A page.', failingInvoicesPage],
    handle: async ({ database, clock }, { query }) =>
      ok(await listFailingInvoices(database, clock.now(), parseGiven(failingInvoicesQuery, query))),
  },
  {
    path: '/needs_attention',
    operationId: 'listNeedsAttention',
    summary: 'What needs a person, by cause',
    description: 'Each cause with its next step, the outstanding amount, and its latest invoices.',
    query: needsAttentionQuery,
    answer: ['Causes that hold for nothing are left out.', needsAttentionAnswer],
    handle: async ({ database, clock }, { query }) =>
      ok(await readNeedsAttention(database, clock.now(), parseGiven(needsAttentionQuery, query).limit)),
  },
  {
    path: '/email_outcomes',
    operationId: 'listEmailOutcomes',
    summary: 'What the emails bring, by step and language',
    description:
      'Of the emails that went out in the last days, each until the next one about the same debts.',
    query: emailOutcomesQuery,
    answer: ['A row for each step, and one for each of its languages.', emailOutcomesAnswer],
    handle: async ({ database, clock }, { query }) =>
      ok(await readEmailOutcomes(database, clock.now(), parseGiven(emailOutcomesQuery, query).days)),
  },
  {
    path: '/experiment',
    operationId: 'readExperiment',
    summary: 'What our retries recover against those of the control group, drawn at random',
    description:
      'In cases and in each currency, by side, with the difference and an interval that holds at every look.',
    answer: ['Null before the first customer was drawn.', experimentAnswer],
    handle: async ({ database, clock }) => ok(toJson(await answerExperiment(database, clock.now()))),
  },
  {
    path: '/invoices/:invoice',
    operationId: 'readInvoice',
    summary: 'The state of an invoice, and its history',
    answer: ['All that is known.', invoiceAnswer],
    handle: async ({ database }, { parameters }) =>
      ok(await readInvoice(database, parseGiven(z.object({ invoice: stripeId }), parameters).invoice)),
  },
  {
    path: '/customers/:customer',
    operationId: 'readCustomer',
    summary: 'How the payments of a customer stand',
    description: 'What is failing, since when, what comes next, and when access ends by what rule.',
    query: oneCustomer.pick({ account: true }),
    answer: ['As it is now.', customerState],
    handle: async (deps, request) => {
      const [of, key] = toCustomer(deps, request);
      const state = await readCustomerState(of, key);
      if (!state) throw new PluginError('NOT_FOUND', `Nothing is known about ${key.customerId}.`);
      return ok(state);
    },
  },
  {
    path: '/customers/:customer/access',
    operationId: 'readAccess',
    summary: 'Whether a customer may use your product, until when, and why',
    description: 'Nobody unknown is allowed: `unknown_customer`.',
    query: oneCustomer.pick({ account: true }),
    answer: ['As it is now.', access],
    handle: async (deps, request) => ok(await readAccess(...toCustomer(deps, request))),
  },
];

function toReadRoute({ answer: [description, schema], ...row }: Read): ApiRoute {
  return { ...row, method: 'get', right: 'read', answers: { 200: { description, schema } } };
}

function toCustomer({ database, clock, config }: OperationDeps, { parameters, query }: ApiRequest) {
  const { customer, account } = parseGiven(oneCustomer, { ...z.looseObject({}).parse(query), ...parameters });
  return [
    { database, clock, config: config() },
    { account, customerId: customer },
  ] as const;
}

/** `by`: whose name the history has, such as the one signed in to your own back office. */
const person = z.object({
  by: askingSchema.shape.who.shape.name.default('api').describe('Whose name the history has.'),
  reason: askingSchema.shape.reason.describe('Kept in the history.'),
});

export const objection = z.object({ guard: z.string(), reason: reasonSchema, until: z.string().optional() });
const checked = z.object({
  objection: objection.nullable().describe('What would prevent it now; null where nothing is known to.'),
  will: z.string().nullable().describe('What it would do now, in a sentence; null where that is not known.'),
  controlGroup: z
    .enum(['stripe', 'schedule'])
    .nullable()
    .describe(
      'The customer is in the control group of EXPERIMENT: what is done for them distorts the comparison.',
    ),
});

function toRoutes(name: OperationName): ApiRoute[] {
  const operation = operationOf(name);
  const { description, parameters, movesMoney } = operation;
  const body = z.object({ ...person.shape, parameters: parameters.prefault({}) });
  const schema = operation.result;
  return [
    {
      method: 'post',
      path: `/operations/${name}`,
      operationId: name,
      summary: description,
      description: `${movesMoney ? 'It may charge a customer. ' : ''}${operation.isSecret ? 'Its answer is kept nowhere, whatever the Idempotency-Key.' : 'Safe to repeat: what is so already stays unchanged.'}`,
      right: 'full',
      isSecret: operation.isSecret ?? false,
      body,
      answers: {
        200: { description: 'Done (changed), or so already (unchanged).', schema },
        404: { description: 'No such invoice or account.', schema },
        409: { description: 'Prevented: nothing was done.', schema },
      },
      inWords: (given) => {
        const done = schema.safeParse(given);
        return done.success ? describeOperation(name, done.data) : undefined;
      },
      handle: async (deps, request) => {
        const given = parseGiven(body, request.body ?? {});
        const asking = { who: { name: given.by, via: 'api' as const }, reason: given.reason };
        const done: OperationResult = await operation.carryOut(deps, asking, given.parameters);
        return { status: STATUS_OF[done.outcome], body: done };
      },
    },
    {
      method: 'post',
      path: `/operations/${name}/check`,
      operationId: `check${name[0]?.toUpperCase()}${name.slice(1)}`,
      summary: `What it would do now, or what prevents it: ${description}`,
      description: 'Changes nothing. Guards are asked again when it is carried out.',
      right: 'read',
      body: z.object({ parameters: parameters.prefault({}) }),
      answers: {
        200: {
          description: 'As it is now.',
          schema: checked,
        },
      },
      answerName: 'CheckAnswer',
      inWords: (given) => {
        const found = checked.safeParse(given);
        return found.success ? describePreview(found.data) : undefined;
      },
      handle: async (deps, request) => {
        const given = parseGiven(z.object({ parameters: z.unknown().optional() }), request.body ?? {});
        return ok(showPreview(await operation.preview(deps, given.parameters ?? {})));
      },
    },
  ];
}

export const API_ROUTES: readonly ApiRoute[] = [
  ...READS.map(toReadRoute),
  ...OPERATION_NAMES.flatMap(toRoutes),
];

/** Dates as text, as they go out. */
function toJson(value: object): object {
  return z.looseObject({}).parse(JSON.parse(JSON.stringify(value)));
}
