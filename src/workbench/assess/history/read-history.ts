/** Reads a year of invoices, their payments and charges. Reads only, at a pace that leaves most of Stripe's limit to others. */
import PQueue from 'p-queue';
import type { ListedPage, ListRequest, StripeLists } from '../../../plugin/clients/reads/stripe-lists.ts';
import { HISTORY_LISTS, type HistoryFile, type HistoryList, type HistoryPage } from './history-file.ts';
import { toChargeRecord, toInvoiceRecord, toPaymentRecord } from './history-record.ts';

export interface HistoryRequest {
  readonly account: string;
  /** Requests a second to each of the three lists. */
  readonly perSecond: number;
  readonly isInterrupted: () => boolean;
  /** Called after each page with the share that is read, from 0 to 1. */
  readonly onPage: (share: number, records: number) => void;
}

type Lists = Pick<
  StripeLists,
  'listInvoices' | 'listInvoicePayments' | 'listChargesPage' | 'listRecordedAttempts'
>;

/** Stretches read in parallel, each page by page. */
const READERS = 4;
const STRETCHES = 12;

interface Position {
  readonly list: HistoryList;
  readonly stretch: number;
  readonly from: number;
  readonly to: number;
  after: string | null;
  reached: number;
  isDone: boolean;
}

/** Returns whether everything was read; false when interrupted. Throws Stripe's failures; pages already read are kept. */
export async function readHistory(
  lists: Lists,
  file: HistoryFile,
  request: HistoryRequest,
): Promise<boolean> {
  const positions = findPositions(file);
  const queue = new PQueue({ concurrency: READERS });
  let records = countRecords(file.pages);
  const readStretch = async (position: Position): Promise<void> => {
    while (!position.isDone && !request.isInterrupted()) {
      const next = await readPage(lists, request, position);
      file.append(next);
      move(position, next);
      records += next.invoices.length + next.payments.length + next.charges.length;
      request.onPage(shareRead(positions), records);
    }
  };
  request.onPage(shareRead(positions), records);
  const results = await queue.addAll(
    positions.filter(({ isDone }) => !isDone).map((position) => () => settle(readStretch(position))),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return positions.every(({ isDone }) => isDone);
}

/** The others finish their page, and what they read is kept. */
async function settle(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function findPositions({ scope, pages }: HistoryFile): Position[] {
  const length = (scope.to - scope.from + 1) / STRETCHES;
  const positions = HISTORY_LISTS.flatMap((list) =>
    Array.from({ length: STRETCHES }, (_, stretch): Position => {
      const from = scope.from + Math.ceil(stretch * length);
      const to = scope.from + Math.ceil((stretch + 1) * length) - 1;
      return { list, stretch, from, to, after: null, reached: to, isDone: false };
    }),
  );
  for (const page of pages) {
    const position = positions.find(({ list, stretch }) => list === page.list && stretch === page.stretch);
    if (position) move(position, page);
  }
  return positions;
}

function move(position: Position, { after, reached }: HistoryPage): void {
  position.after = after;
  position.reached = reached;
  position.isDone = after === null;
}

async function readPage(lists: Lists, request: HistoryRequest, position: Position): Promise<HistoryPage> {
  const { account, perSecond } = request;
  const { list, stretch, from, to, after } = position;
  const asked: ListRequest = { account, perSecond, from, to, after };
  const place = <Item extends { id: string; created: number }>({ data, hasMore }: ListedPage<Item>) => {
    const last = hasMore ? data.at(-1) : undefined;
    return { list, stretch, after: last?.id ?? null, reached: last?.created ?? from };
  };
  const nothing = { invoices: [], payments: [], charges: [] };
  switch (list) {
    case 'invoices': {
      const page = await lists.listInvoices(asked);
      return {
        ...nothing,
        ...place(page),
        invoices: page.data.flatMap((item) => toInvoiceRecord(item) ?? []),
      };
    }
    case 'payments': {
      const page = await lists.listInvoicePayments(asked);
      const recorded = await lists.listRecordedAttempts({ account, perSecond }, page.data);
      return {
        ...nothing,
        ...place(page),
        payments: [
          ...page.data.flatMap((item) => toPaymentRecord(item) ?? []),
          ...recorded.map(({ attempt, invoiceId }) => ({ payment: attempt.id, invoice: invoiceId })),
        ],
        charges: recorded.map(({ attempt }) => toChargeRecord(attempt)),
      };
    }
    case 'charges': {
      const page = await lists.listChargesPage(asked);
      return { ...nothing, ...place(page), charges: page.data.map(toChargeRecord) };
    }
  }
}

/** Progress by time: Stripe does not give the number of objects. */
function shareRead(positions: readonly Position[]): number {
  const total = positions.reduce((sum, { from, to }) => sum + (to - from + 1), 0);
  const read = positions.reduce((sum, { isDone, from, to, reached }) => {
    return sum + (isDone ? to - from + 1 : to - reached);
  }, 0);
  return read / total;
}

function countRecords(pages: readonly HistoryPage[]): number {
  return pages.reduce(
    (sum, { invoices, payments, charges }) => sum + invoices.length + payments.length + charges.length,
    0,
  );
}
