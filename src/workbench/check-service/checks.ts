/** What a retry service has to do, one row each: by the contract, or because its clients count on it. */
import { MAX_BATCH, type SubscriptionMessage } from '../../core/contract/contract.ts';
import type { Fault } from './check-report.ts';
import { LISTING_CHECKS } from './listing-checks.ts';
import {
  type Answer,
  INGEST,
  isRefusal,
  isSuccess,
  LISTING,
  listUnder,
  must,
  type ServiceCheck,
  type ServiceUnderTest,
  should,
  subscription,
} from './service-under-test.ts';

const refused = (answer: Answer): Fault => (isRefusal(answer) ? undefined : `answered ${answer.status}`);
const taken = (answer: Answer): Fault =>
  isSuccess(answer) ? undefined : `answered ${answer.status}: ${answer.text.slice(0, 200)}`;
const requestIdOf = ({ body }: Answer): unknown =>
  typeof body === 'object' && body !== null && 'requestId' in body ? body.requestId : undefined;

const ACCESS = listUnder('Access', [
  ...[
    ['no key', null],
    ['an unknown key', 'not-a-key-of-anybody'],
  ].map(([what, key]) =>
    must('key', `${what} is refused, by both operations`, async (service) => {
      const ingest = { path: INGEST, method: 'POST', body: { subscriptions: [] }, key: key ?? null };
      const answers = [await service.ask({ path: LISTING, key: key ?? null }), await service.ask(ingest)];
      return answers.map(refused).find((fault) => fault !== undefined);
    }),
  ),
  should('otherErrors', 'a refused key is answered 401, with a sentence as JSON', async (service) => {
    const { status, body } = await service.ask({ path: LISTING, key: null });
    if (status !== 401) return `answered ${status}`;
    return body === undefined ? 'the body is not JSON' : undefined;
  }),
  should('version', 'a path that is not there is refused, and not taken for another', async (service) =>
    refused(await service.ask({ path: '/v1/not_there' })),
  ),
]);

const INGESTS = listUnder('Ingest', [
  must('ingestAnswer', 'a subscription is taken, and the answer names the request', async (service) => {
    const answer = await service.ingest([subscription(service, 'one')]);
    const requestId = requestIdOf(answer);
    if (!isSuccess(answer)) return taken(answer);
    return typeof requestId === 'string' && requestId !== '' ? undefined : 'the answer has no requestId';
  }),
  must('ingestAnswer', 'each request has an id of its own', async (service) => {
    const [one, other] = [await service.ingest([]), await service.ingest([])].map(requestIdOf);
    return one === other ? `two requests were answered ${String(one)}` : undefined;
  }),
  must('ingestBatch', `a batch of ${MAX_BATCH} is taken`, async (service) =>
    taken(await service.ingest(batch(service, MAX_BATCH))),
  ),
  must('tooMuch', `a batch of ${MAX_BATCH + 1} is answered 429`, async (service) => {
    const { status } = await service.ingest(batch(service, MAX_BATCH + 1));
    return status === 429 ? undefined : `answered ${status}`;
  }),
  must('canceledAt', 'a canceled subscription is taken', async (service) => {
    const active = subscription(service, 'canceled');
    const canceled = { ...active, state: 'SUBSCRIPTION_STATE_CANCELED', canceledAt: active.updatedAt };
    return taken(await service.ingest([canceled]));
  }),
  must(
    'updatedAt',
    'the same record twice, and an older one after a newer, are taken: senders repeat themselves',
    async (service) => {
      const now = service.clock.now();
      const [newer, older] = [
        subscription(service, 'again', now),
        subscription(service, 'again', now.minus({ days: 1 })),
      ];
      const answers = [
        await service.ingest([newer]),
        await service.ingest([newer]),
        await service.ingest([older]),
      ];
      return answers.map(taken).find((fault) => fault !== undefined);
    },
  ),
  must(
    'times',
    'ISO 8601 is read in its usual forms: with and without fractions, in UTC and with an offset',
    async (service) => {
      const at = service.clock.now();
      const forms = [
        at.toISO({ suppressMilliseconds: true }),
        at.startOf('second').toISO({ suppressMilliseconds: true }),
        at.toISO(),
        at.setZone('UTC+2').toISO(),
      ];
      for (const [index, updatedAt] of forms.entries()) {
        const answer = await service.ingest([{ ...subscription(service, `form_${index}`), updatedAt }]);
        if (!isSuccess(answer)) return `${updatedAt}: ${taken(answer)}`;
      }
      return undefined;
    },
  ),
  must(
    'ingestBody',
    'what is no JSON, or none of the contract, is refused, and is no failure of the service',
    (service) => findUnrefused(service, NOT_OF_THE_CONTRACT),
  ),
  must(
    'subscription',
    'a field of another type or out of range is refused or taken, and is no failure of the service',
    async (service) => {
      for (const [what, record] of spoiltRecords(service)) {
        const answer = await service.ingest([record]);
        if (!isSuccess(answer) && !isRefusal(answer)) return `${what}: answered ${answer.status}`;
      }
      return undefined;
    },
  ),
  should('otherErrors', 'a refusal says in JSON which record and field it is about', async (service) => {
    const { body, text } = await service.ingest([{ ...subscription(service, 'bad'), amount: 'many' }]);
    if (body === undefined) return 'the body is not JSON';
    return text.includes('amount') ? undefined : `it does not name the field: ${text.slice(0, 200)}`;
  }),
  must('atOnce', 'five simultaneous requests are taken', async (service) => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(names.map((name) => service.ingest([subscription(service, name)])));
    return answers.map(taken).find((fault) => fault !== undefined);
  }),
]);

export const CHECKS: readonly ServiceCheck[] = [...ACCESS, ...INGESTS, ...LISTING_CHECKS];

const batch = (service: ServiceUnderTest, size: number) =>
  Array.from({ length: size }, (_, index) => subscription(service, `batch_${index}`));

const NOT_OF_THE_CONTRACT: readonly (readonly [what: string, body: string])[] = [
  ['half a body', '{"subscriptions": ['],
  ['no object', '[]'],
  ['null', 'null'],
  ['no list', '{"subscriptions": {}}'],
  ['a list of numbers', '{"subscriptions": [1]}'],
  ['a list of null', '{"subscriptions": [null]}'],
  ['an empty record', '{"subscriptions": [{}]}'],
  ['text', 'hello'],
];

async function findUnrefused(service: ServiceUnderTest, bodies: typeof NOT_OF_THE_CONTRACT): Promise<Fault> {
  for (const [what, body] of bodies) {
    const fault = refused(await service.ask({ path: INGEST, method: 'POST', body }));
    if (fault !== undefined) return `${what}: ${fault}`;
  }
  return undefined;
}

/** Each of the contract's fields with each of these in its place. */
const SPOILT: readonly unknown[] = [
  ...[null, '', 'x'.repeat(70_000), 0, -1, 1.5, 1e30, true, [], {}, { a: [[[]]] }],
  ...['\u0000', '\ud800', '🦊', '2026-02-30T00:00:00Z', '2026-13-01', 'yesterday'],
];

function* spoiltRecords(service: ServiceUnderTest): Generator<readonly [what: string, record: object]> {
  const whole: SubscriptionMessage = subscription(service, 'spoilt');
  for (const field of Object.keys(whole)) {
    for (const value of SPOILT)
      yield [`${field} = ${JSON.stringify(value).slice(0, 40)}`, { ...whole, [field]: value }];
    const { [field as keyof SubscriptionMessage]: _left, ...rest } = whole;
    yield [`without ${field}`, rest];
  }
}
