/** The list of recovery actions: pages, orders, filters. */
import { DateTime } from 'luxon';
import {
  isRefusal,
  isSuccess,
  type ListedPage,
  listUnder,
  must,
  pageOf,
  type ServiceUnderTest,
  should,
} from './service-under-test.ts';

/** Pages followed; a service with more records is checked by its first ones. */
const MOST_PAGES = 50;
const FIRST_PAGE = { orderBy: 'created_at', orderDirection: 'asc', pageSize: '100' };

export const LISTING_CHECKS = listUnder('Listing', [
  must(
    'listingPage',
    'a page has recoveryActions, nextPageToken and totalSize',
    async (service) => void pageOf(await service.list()),
  ),
  ...(['1', '100'] as const).map((pageSize) =>
    must(
      'listingTokens',
      `with pageSize ${pageSize} a page has at most that many records, and following nextPageToken alone shows each record once`,
      async (service) => {
        const pages = await follow(service, { ...FIRST_PAGE, pageSize }, Number(pageSize));
        const ids = pages.flatMap(({ recoveryActions }) => recoveryActions.map(idOf));
        const twice = ids.find((id, index) => ids.indexOf(id) !== index);
        if (twice !== undefined) return `${twice} came twice`;
        const [first] = pages;
        const isWhole = pages.at(-1)?.nextPageToken === '';
        if (isWhole && first && ids.length < first.totalSize)
          return `${ids.length} came of ${first.totalSize}`;
        return undefined;
      },
    ),
  ),
  ...(['created_at', 'executed_at'] as const).flatMap((orderBy) =>
    (['asc', 'desc'] as const).map((orderDirection) =>
      must('listingOrder', `orderBy ${orderBy} ${orderDirection} is kept`, async (service) => {
        const { recoveryActions } = pageOf(await service.list({ ...FIRST_PAGE, orderBy, orderDirection }));
        const times = recoveryActions.flatMap((record) => timeOf(record, orderBy) ?? []);
        const sign = orderDirection === 'asc' ? 1 : -1;
        const wrong = times.findIndex(
          (time, index) => index > 0 && sign * (time - (times[index - 1] ?? time)) < 0,
        );
        return wrong === -1 ? undefined : `record ${wrong + 1} comes after record ${wrong}`;
      }),
    ),
  ),
  must(
    'listingFilters',
    'executedAfter and executedBefore leave out what was executed outside of them',
    async (service) => {
      const now = service.clock.now();
      const [executedAfter, executedBefore] = [now.minus({ days: 30 }), now.minus({ days: 1 })];
      const filter = { executedAfter: executedAfter.toISO(), executedBefore: executedBefore.toISO() };
      const { recoveryActions } = pageOf(await service.list({ ...FIRST_PAGE, ...filter }));
      const outside = recoveryActions.find((record) => {
        const at = timeOf(record, 'executed_at');
        return at !== undefined && (at < executedAfter.toMillis() || at > executedBefore.toMillis());
      });
      return outside && `${idOf(outside)} was executed outside`;
    },
  ),
  must('expiredToken', 'a pageToken that it did not make is answered 400', async (service) => {
    const { status } = await service.list({ pageToken: 'not-a-token-of-this-service' });
    return status === 400 ? undefined : `answered ${status}`;
  }),
  should(
    'listingSize',
    'a pageSize of 0, of 101 or of letters is refused, or taken for one that is allowed; it is no failure',
    async (service) => {
      for (const pageSize of ['0', '101', 'many', '-1']) {
        const answer = await service.list({ pageSize });
        if (!isSuccess(answer) && !isRefusal(answer))
          return `pageSize ${pageSize}: answered ${answer.status}`;
        if (isSuccess(answer) && pageOf(answer).recoveryActions.length > 100)
          return `pageSize ${pageSize} is too large a page`;
      }
      return undefined;
    },
  ),
]);

async function follow(
  service: ServiceUnderTest,
  query: Readonly<Record<string, string>>,
  most: number,
): Promise<ListedPage[]> {
  const pages = [pageOf(await service.list(query))];
  for (
    let last = pages[0];
    last && last.nextPageToken !== '' && pages.length < MOST_PAGES;
    last = pages.at(-1)
  )
    pages.push(pageOf(await service.list({ pageToken: last.nextPageToken })));
  const large = pages.find(({ recoveryActions }) => recoveryActions.length > most);
  if (large) throw new Error(`a page has ${large.recoveryActions.length} records`);
  return pages;
}

const idOf = (record: Record<string, unknown>): string =>
  String(record.id ?? record.requestId ?? JSON.stringify(record));

/** The time in either spelling (stripe-facts 12.2). */
function timeOf(record: Record<string, unknown>, name: 'created_at' | 'executed_at'): number | undefined {
  const value = record[name] ?? record[name === 'created_at' ? 'createdAt' : 'executedAt'];
  const at = typeof value === 'string' ? DateTime.fromISO(value, { zone: 'utc' }) : undefined;
  return at?.isValid ? at.toMillis() : undefined;
}
