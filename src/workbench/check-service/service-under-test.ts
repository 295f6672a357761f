/** A retry service as its clients see it, and what every check of it shares. */
import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { type Clock, toIso } from '../../core/base/clock.ts';
import { tryJson } from '../../core/base/try-json.ts';
import type { SubscriptionMessage } from '../../core/contract/contract.ts';
import { askWithin, LISTING_BYTES } from '../../core/web/bounded-answer.ts';
import { type FetchAnswer, ownFetch } from '../../core/web/in-process-fetch.ts';
import type { Check } from './check-report.ts';
import type { SentenceId } from './contract-sentences.ts';

export interface ServiceUnderTest {
  readonly clock: Clock;
  /** Prefix of every id of this run, which sets its records apart from others. */
  readonly prefix: string;
  /** Answers of any status. Throws where none comes, or one without end. */
  ask(request: { path: string; method?: string; body?: unknown; key?: string | null }): Promise<Answer>;
  ingest(subscriptions: readonly unknown[]): Promise<Answer>;
  list(query?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: FetchAnswer['headers'];
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly body: unknown;
}

const BOUNDS = { withinMs: 30_000, mostBytes: LISTING_BYTES };

export function openService({ url, key }: { url: URL; key: string }, clock: Clock): ServiceUnderTest {
  const base = url.href.replace(/\/$/, '');
  const ask: ServiceUnderTest['ask'] = async ({ path, method = 'GET', body, key: other = key }) => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const request = {
      method,
      headers: {
        ...(other === null ? {} : { authorization: `Bearer ${other}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: sent }),
      redirect: 'manual' as const,
    };
    const { status, headers, text, isCut } = await askWithin(ownFetch, `${base}${path}`, request, BOUNDS);
    if (isCut) throw new Error(`answered with more than ${LISTING_BYTES / 1024 ** 2} MB`);
    return { status, headers, text, body: tryJson(text) };
  };
  return {
    clock,
    prefix: `check_${randomUUID().slice(0, 8)}`,
    ask,
    ingest: (subscriptions) => ask({ path: INGEST, method: 'POST', body: { subscriptions } }),
    list: (query = {}) => ask({ path: `${LISTING}?${new URLSearchParams(query)}` }),
  };
}

export const INGEST = '/ingest/v1/subscriptions';
export const LISTING = '/v1/recovery_actions';

/** One that is as the contract names it, whole. */
export function subscription(
  service: Pick<ServiceUnderTest, 'prefix' | 'clock'>,
  name: string,
  at = service.clock.now(),
): SubscriptionMessage {
  const stamp = (time: DateTime) => toIso(time);
  return {
    id: `${service.prefix}_sub_${name}`,
    state: 'SUBSCRIPTION_STATE_ACTIVE',
    customerId: `${service.prefix}_cus`,
    businessEntity: 'Conformance check',
    planId: 'check_plan',
    amount: 2000,
    currency: 'USD',
    createdAt: stamp(at.minus({ days: 40 })),
    updatedAt: stamp(at),
    activatedAt: stamp(at.minus({ days: 40 })),
    expiresAt: stamp(at.plus({ days: 20 })),
    billingPeriod: 1,
    billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
  };
}

/** A page of any family of records; what they hold is not in the contract. */
const page = z.object({
  recoveryActions: z.array(z.record(z.string(), z.unknown())),
  nextPageToken: z.string(),
  totalSize: z.int().nonnegative(),
});
export type ListedPage = z.output<typeof page>;

export type ServiceCheck = Check<ServiceUnderTest>;

type Row = Omit<ServiceCheck, 'about'>;
export const must = (of: SentenceId, title: string, run: Row['run']): Row => ({
  of,
  title,
  level: 'must',
  run,
});
export const should = (of: SentenceId, title: string, run: Row['run']): Row => ({
  of,
  title,
  level: 'should',
  run,
});
export const listUnder = (about: string, rows: readonly Row[]): ServiceCheck[] =>
  rows.map((row) => ({ about, ...row }));

/** Throws a sentence on what does not fit. */
export function pageOf({ status, body }: Answer): ListedPage {
  if (status !== 200) throw new Error(`answered ${status}`);
  const parsed = page.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') ?? 'the body'}: ${issue?.message ?? 'does not fit'}`);
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;
export const isRefusal = ({ status }: Answer): boolean => status >= 400 && status < 500;
