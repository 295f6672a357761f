/** How a service may list what it asks for, a row each. No callback comes: the list is all there is. */

import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import { toIso } from '../../../src/core/base/clock.ts';
import type { Check, Fault } from '../../../src/workbench/check-service/check-report.ts';
import type { SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';
import {
  type ClientUnderTest,
  type FailedInvoice,
  inTurn,
  judgeOnce,
  type Stage,
  toCheck,
  type Way,
} from './client-under-test.ts';
import type { ListedAction, ListingManner, TwinPage } from './twin-listing.ts';
import type { TwinAnswer } from './write-answer.ts';

interface ListingWay extends Way {
  readonly manner?: Partial<ListingManner>;
  /** How the list writes an action; the contract does not show its fields. */
  readonly spell?: (action: ListedAction) => ListedAction;
  /** To the first requests, in turn. */
  readonly first?: readonly TwinAnswer[];
  /** To the first request with a token. */
  readonly toToken?: TwinAnswer;
  /** Another action appears whenever a page is asked for, five times. */
  readonly isGrowing?: boolean;
}

const inPages = (pageLimit: number): Partial<ListingManner> => ({ pageLimit });
const written = (
  title: string,
  write: (page: TwinPage) => unknown,
  of: SentenceId = 'listingPage',
): ListingWay => ({
  title,
  of,
  manner: { write, pageLimit: 3 },
});
const spelled = (
  title: string,
  spell: (action: ListedAction) => ListedAction,
  of: SentenceId = 'listingRecords',
): ListingWay => ({
  title,
  of,
  spell,
});
const fails = (title: string, answer: TwinAnswer, of: SentenceId = 'listingRead'): ListingWay => ({
  title: `${title} within a list ends nothing`,
  of,
  manner: inPages(2),
  toToken: answer,
  first: [answer],
});
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const inSnakeCase = (record: object): object =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [snake(name), value]));
const withTimes =
  (change: (iso: string) => string) =>
  (action: ListedAction): ListedAction => ({
    ...action,
    createdAt: change(action.createdAt),
    idealRetryTime: change(String(action.idealRetryTime)),
  });

const WAYS: readonly ListingWay[] = [
  {
    title: 'what only the list has is carried out',
    of: 'listingRead',
  },
  { title: 'pages of one record are followed', of: 'listingTokens', manner: inPages(1) },
  {
    title: 'records that are added between pages lose none',
    of: 'listingGrowth',
    manner: inPages(2),
    isGrowing: true,
  },
  {
    title: 'records that are pushed to a later page come twice and count once',
    of: 'listingGrowth',
    manner: { pageLimit: 2, tokens: 'offset' },
    isGrowing: true,
  },
  {
    title: 'filters may include their instant',
    of: 'listingFilters',
    manner: { isInclusive: true },
  },
  {
    ...fails(
      'a token that has expired',
      { status: 400, body: { message: 'pageToken: has expired' } },
      'expiredToken',
    ),
    first: [],
  },
  written('the last page may leave nextPageToken out', ({ nextPageToken, ...page }) =>
    nextPageToken ? { ...page, nextPageToken } : page,
  ),
  written('the last page may have null as its nextPageToken', (page) => ({
    ...page,
    nextPageToken: page.nextPageToken || null,
  })),
  written('totalSize may be a text, and wrong', (page) => ({ ...page, totalSize: '0' })),
  written('totalSize may be missing', ({ totalSize: _size, ...page }) => page),
  written('a page may have more than the contract names', (page) => ({
    ...page,
    warnings: ['none'],
    took: 0.2,
  })),
  written(
    'a page and its records may be spelled in snake case',
    ({ recoveryActions, ...page }) => ({
      recovery_actions: recoveryActions.map(inSnakeCase),
      ...inSnakeCase(page),
    }),
    'listingRecords',
  ),
  written('an empty page may be written without its list', ({ recoveryActions, ...page }) =>
    recoveryActions.length === 0 ? page : { ...page, recoveryActions },
  ),
  written(
    'a record of unknown form beside others delays none',
    (page) => ({
      ...page,
      recoveryActions: [null, 7, 'text', {}, { id: 'other', type: ['new'] }, ...page.recoveryActions],
    }),
    'listingRecords',
  ),
  written('one page may have a record twice', (page) => ({
    ...page,
    recoveryActions: page.recoveryActions.flatMap((record) => [record, record]),
  })),
  spelled('a record may go by its requestId', ({ id, ...action }) => ({ ...action, id, requestId: id })),
  spelled('a record may have an id beside its requestId', (action) => ({
    ...action,
    requestId: `${action.id}_r`,
  })),
  spelled('nothing may be written as null or as an empty text', (action) => ({
    ...action,
    executed_at: null,
    transactionId: '',
    cardCountry: null,
  })),
  spelled('a status and a type may be new ones', (action) => ({
    ...action,
    status: 'RECOVERY_ACTION_STATUS_PONDERED',
    type: 'RECOVERY_ACTION_TYPE_NEW',
  })),
  spelled('a record may lack its subscription', ({ subscriptionId: _id, ...action }) => action),
  spelled(
    'times may have offsets',
    withTimes((iso) => iso.replace('Z', '+00:00')),
    'times',
  ),
  spelled(
    'times may have nine digits of fractions',
    withTimes((iso) => iso.replace(/(\.\d+)?Z$/, '.000000001Z')),
    'times',
  ),
  spelled(
    'times may have no fractions',
    withTimes((iso) => iso.replace(/\.\d+Z$/, 'Z')),
    'times',
  ),
  ...[429, 500, 503, 401, 404, 304].map((status) =>
    fails(`${status}`, { status, headers: { 'retry-after': '2' } }),
  ),
  fails('a page of HTML', { headers: { 'content-type': 'text/html' }, body: '<html>soon</html>' }),
  fails('a redirect', { status: 302, headers: { location: '/elsewhere' } }),
  fails('a cut connection', { form: 'cut-before' }, 'wire'),
  fails(
    'a page that is cut',
    { form: 'cut-within', body: { recoveryActions: [], nextPageToken: '', totalSize: 0 } },
    'wire',
  ),
];

export const LISTING_CHECKS_OF_CLIENTS: readonly Check<Stage>[] = WAYS.map((way) =>
  toCheck('Listing', way, play),
);

const HISTORY = 5;

async function play(stage: Stage, { manner = {}, spell = (one) => one, ...way }: ListingWay): Promise<Fault> {
  const { twin, client, uniform } = stage;
  const invoices = [await client.failInvoice(), await client.failInvoice()];
  twin.manner = { ...twin.manner, ...manner };
  const began = client.now();
  twin.actions.push(
    ...Array.from({ length: HISTORY }, (_, age) => executedAction(began.minus({ hours: age + 1 }))),
  );
  twin.actions.push(...invoices.map((failed) => spell(retryOf(client, failed))));
  const next = inTurn(way.first ?? []);
  const nextToToken = inTurn(way.toToken ? [way.toToken] : []);
  let grown = way.isGrowing ? 3 + Math.floor(uniform() * 3) : 0;
  twin.onListing = ({ pageToken }) => {
    if (grown-- > 0) twin.actions.push(executedAction(client.now()));
    return next() ?? (pageToken === undefined ? undefined : nextToToken());
  };
  await client.until(() => invoices.every(({ invoiceId }) => client.timesCarriedOut(invoiceId) > 0));
  await client.stayQuiet();
  return invoices.map(({ invoiceId }) => judgeOnce(client, invoiceId)).find((fault) => fault !== undefined);
}

const nextId = (): string => `listed_${randomUUID()}`;

function retryOf(client: ClientUnderTest, failed: FailedInvoice): ListedAction {
  return {
    id: nextId(),
    ...failed,
    type: 'RECOVERY_ACTION_TYPE_RETRY',
    status: 'RECOVERY_ACTION_STATUS_PENDING',
    actionSuggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryTime: client.now().plus(client.soon).toISO(),
    createdAt: toIso(client.now()),
  };
}

/** Of an invoice that the client need not know. */
function executedAction(at: DateTime): ListedAction {
  const id = nextId();
  return {
    id,
    invoiceId: `in_of_${id}`,
    type: 'RECOVERY_ACTION_TYPE_RETRY',
    status: 'RECOVERY_ACTION_STATUS_SUCCEEDED',
    createdAt: toIso(at),
    executedAt: toIso(at),
  };
}
