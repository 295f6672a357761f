/** How a service may answer what it is told, a row each. */
import type { DateTime } from 'luxon';
import type { Check, Fault } from '../../../src/workbench/check-service/check-report.ts';
import type { SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';
import { inTurn, type Stage, toCheck, type Way } from './client-under-test.ts';
import { countRepeated, findLost, findSteadyPauses, judgeDeliveries } from './judge-deliveries.ts';
import { type Delivery, ELSEWHERE, type Twin } from './twin-service.ts';
import type { TwinAnswer } from './write-answer.ts';

interface DeliveryWay extends Way {
  /** To the first requests, in turn; later ones are simply taken. */
  readonly first?: readonly ((stage: Stage) => TwinAnswer)[];
  /** To every request, by what it is. */
  readonly each?: (delivery: Delivery, ids: readonly string[]) => TwinAnswer | undefined;
  /** Subscriptions, at least; 1 without it. */
  readonly count?: number;
  /** The first subscription is never taken, and nothing else may suffer from it. */
  readonly isFirstRefused?: boolean;
  /** A subscription changes while the first request waits for its answer. */
  readonly isChangedMeanwhile?: boolean;
  /** Besides what holds for all. */
  readonly judge?: (twin: Twin) => Fault;
}

const acknowledges = (title: string, answer: TwinAnswer, of: SentenceId = 'ingestStatus'): DeliveryWay => ({
  title: `${title} acknowledges`,
  of,
  each: () => answer,
});
const repeats = (title: string, answer: TwinAnswer, of: SentenceId = 'otherErrors'): DeliveryWay => ({
  title: `after ${title} all is sent again`,
  of,
  first: [() => answer, () => answer],
});
/** Another origin, for whoever follows. */
const elsewhere = ({ url }: Twin): string => `${url.replace('127.0.0.1', 'localhost')}${ELSEWHERE}`;
const HTML = { 'content-type': 'text/html' };
const WAIT_MS = 2000;
const waits = (
  form: string,
  headers: (now: DateTime) => Record<string, string>,
  status = 429,
): DeliveryWay => ({
  title: `${status} with Retry-After ${form} is heeded`,
  of: status === 429 ? 'backoff' : 'otherErrors',
  first: [({ client }) => ({ status, headers: headers(client.now()), waitMs: WAIT_MS })],
});

const ACKNOWLEDGED: readonly DeliveryWay[] = [
  acknowledges('200 with a requestId', { body: { requestId: 'req_1' } }),
  acknowledges('201 with request_id', { status: 201, body: { request_id: 'req_1' } }),
  acknowledges('202 without a body', { status: 202, body: '' }),
  acknowledges('204', { status: 204 }),
  acknowledges(
    'a body with more than the contract names',
    { body: { requestId: 'r', queued: 3, more: { a: [1] } } },
    'ingestAnswer',
  ),
  acknowledges('a requestId that is a number', { body: { requestId: 42 } }, 'ingestAnswer'),
  acknowledges('a requestId that is null', { body: { requestId: null } }, 'ingestAnswer'),
  acknowledges(
    'a requestId of 10,000 characters',
    { body: { requestId: 'r'.repeat(10_000) } },
    'ingestAnswer',
  ),
  acknowledges(
    'a requestId with a NUL and half a character',
    { body: '{"requestId":"a\\u0000\\ud800"}' },
    'ingestAnswer',
  ),
  acknowledges('an id in a header alone', { headers: { 'x-request-id': 'req_1' }, body: '' }, 'ingestAnswer'),
  acknowledges(
    'a body that begins with a byte order mark',
    { body: '\ufeff{"requestId":"r"}' },
    'ingestAnswer',
  ),
  acknowledges(
    'a body of 300,000 bytes',
    { body: { requestId: 'r', more: 'x'.repeat(300_000) } },
    'ingestAnswer',
  ),
];

const ODD: readonly DeliveryWay[] = [
  repeats('a list', { body: [] }, 'ingestAnswer'),
  repeats('a page of HTML', { headers: HTML, body: '<html>Sign in</html>' }, 'ingestAnswer'),
  repeats('success: false', { body: { success: false } }, 'ingestAnswer'),
  repeats('an error', { body: { error: 'no' } }, 'ingestAnswer'),
];

const TRANSFERRED: readonly DeliveryWay[] = [
  acknowledges('an answer in gzip', { form: 'gzip' }, 'wire'),
  acknowledges('an answer byte by byte in chunks', { form: 'chunks' }, 'wire'),
  acknowledges('an answer with trailers', { form: 'trailers' }, 'wire'),
  acknowledges('a slow answer', { form: 'slow' }, 'wire'),
  acknowledges('an answer after 102', { form: 'hints' }, 'wire'),
  acknowledges('an answer that ends the connection', { form: 'close' }, 'wire'),
  acknowledges(
    'an answer after which the connection ends unannounced',
    { form: 'close-unannounced' },
    'wire',
  ),
  repeats('a connection that is cut before the work', { form: 'cut-before', isTaken: false }, 'wire'),
  repeats('a connection that is cut before the answer', { form: 'cut-before', isTaken: true }, 'wire'),
  repeats(
    'a connection that is cut within the answer',
    { form: 'cut-within', body: { requestId: 'req_1' } },
    'wire',
  ),
];

const TROUBLED: readonly DeliveryWay[] = [
  waits('in seconds', () => ({ 'retry-after': '2' })),
  waits('as a date', (now) => ({ 'retry-after': now.plus({ seconds: 3 }).toHTTP() ?? '' })),
  waits('as a date of another clock', () => ({
    date: 'Mon, 02 Jan 2023 10:00:00 GMT',
    'retry-after': 'Mon, 02 Jan 2023 10:00:02 GMT',
  })),
  waits('in seconds', () => ({ 'retry-after': '2' }), 503),
  repeats(
    '429 with a Retry-After that nobody reads',
    { status: 429, headers: { 'retry-after': 'soon' } },
    'backoff',
  ),
  repeats(
    '429 with a Retry-After of the past',
    { status: 429, headers: { 'retry-after': 'Mon, 02 Jan 2023 10:00:00 GMT' } },
    'backoff',
  ),
  ...[429, 503].map(
    (status): DeliveryWay => ({
      title: `after ${status} in a row the pauses grow`,
      of: status === 429 ? 'backoff' : 'otherErrors',
      first: [() => ({ status }), () => ({ status }), () => ({ status })],
      judge: ({ deliveries }) => findSteadyPauses(deliveries),
    }),
  ),
  ...[401, 403, 404, 408, 409, 500, 502, 504, 304].map((status) =>
    repeats(`${status} for a while`, { status, headers: HTML, body: '<html>no</html>' }),
  ),
  ...[302, 307, 308].map(
    (status): DeliveryWay => ({
      title: `${status} to another address does not take the key there`,
      of: 'keyElsewhere',
      first: [({ twin }) => ({ status, headers: { location: elsewhere(twin) } })],
      judge: ({ strangers }) =>
        strangers.some(({ key }) => key !== undefined) ? 'the key went to another address' : undefined,
    }),
  ),
];

const CONTENT: readonly DeliveryWay[] = [
  ...[400, 413, 422].map(
    (status): DeliveryWay => ({
      title: `${status} for a record does not hold up the others`,
      of: 'otherErrors',
      count: 3,
      isFirstRefused: true,
      each: ({ records }, [bad]) => (records.some(({ id }) => id === bad) ? { status } : undefined),
    }),
  ),
  {
    title: 'a service that takes two records at once gets all',
    of: 'ingestBatch',
    count: 5,
    each: ({ records }) => (records.length > 2 ? { status: 413 } : undefined),
  },
  {
    title: 'a service that takes 100 records at once gets all',
    of: 'tooMuch',
    count: 120,
    each: ({ records }) => (records.length > 100 ? { status: 429 } : undefined),
  },
];

const CHANGED: readonly DeliveryWay[] = (
  [
    ['is taken', {}],
    ['fails', { status: 503 }],
    ['is taken and never answered', { form: 'cut-before', isTaken: true }],
  ] satisfies [string, TwinAnswer][]
).map(([end, answer]) => ({
  title: `what changes while a request is under way is told after it, when that ${end}`,
  of: 'updatedAt',
  isChangedMeanwhile: true,
  first: [() => answer],
}));

const WAYS: readonly DeliveryWay[] = [
  ...ACKNOWLEDGED,
  ...ODD,
  ...TRANSFERRED,
  ...TROUBLED,
  ...CONTENT,
  ...CHANGED,
];

/** The last rows look back on all. */
export function deliveryChecks(): Check<Stage>[] {
  const all: Delivery[] = [];
  const played = WAYS.map((way) =>
    toCheck('Ingest', way, async (stage) => {
      const fault = await play(stage, way);
      all.push(...stage.twin.deliveries);
      return fault;
    }),
  );
  const mostAtOnce = () => Math.max(0, ...all.map(({ atOnce }) => atOnce));
  return [
    ...played,
    {
      about: 'Ingest',
      of: 'atOnce',
      title: 'at most five requests are under way at once',
      level: 'should',
      run: async () => (mostAtOnce() > 5 ? `there were ${mostAtOnce()}` : undefined),
    },
    {
      about: 'Ingest',
      of: 'ingestAnswer',
      title: 'what was acknowledged is not sent again',
      level: 'should',
      run: async () => (countRepeated(all) > 0 ? `${countRepeated(all)} records were` : undefined),
    },
  ];
}

/** So often subscriptions change, one at a time. */
const CHANGES = 2;

async function play(stage: Stage, way: DeliveryWay): Promise<Fault> {
  const { twin, client, uniform } = stage;
  const count = (way.count ?? 1) + Math.floor(uniform() * 3);
  const expected = new Map<string, number>();
  const change = async (number: number) => {
    const ids = [...expected.keys()];
    const id = await client.change(String(number), ids[Math.floor(uniform() * ids.length)]);
    expected.set(id, number);
  };
  const next = inTurn(way.first ?? []);
  let changes = 0;
  twin.onDelivery = async (delivery) => {
    const isFirst = twin.deliveries.length === 1;
    if (isFirst && way.isChangedMeanwhile) await change(++changes);
    return next()?.(stage) ?? way.each?.(delivery, [...expected.keys()]);
  };
  for (let made = 0; made < count; made += 1) expected.set(await client.change('0'), 0);
  while (changes < CHANGES) {
    const before = twin.deliveries.length;
    await client.until(() => twin.deliveries.length > before);
    await change(++changes);
  }
  const [refused = ''] = way.isFirstRefused ? expected.keys() : [];
  const due = () => new Map([...expected].filter(([id]) => id !== refused));
  await client.until(() => findLost(twin.deliveries, due()) === undefined);
  await client.stayQuiet();
  return judgeDeliveries(twin.deliveries, due()) ?? way.judge?.(twin);
}
