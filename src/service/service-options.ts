/** The service's parts, and the problems with its options. */
import { IANAZone } from 'luxon';
import type { Clock } from '../core/base/clock.ts';
import { ConfigError } from '../core/base/errors.ts';
import type { Logger } from '../core/base/logger.ts';
import { isLoopback } from '../core/base/loopback.ts';
import type { Database } from '../core/database/database.ts';
import type { AttemptLimits } from '../core/limits/attempt-limits.ts';
import type { Measures } from '../core/telemetry/measures.ts';
import type { Tls } from '../core/web/http-server.ts';
import type { Organization } from './keys/organizations.ts';

export interface RetryServiceOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  host: string;
  /** The port; 0 takes any free one; undefined opens none. */
  port?: number | undefined;
  /** Those known at the start; others can be added. */
  organizations: readonly Organization[];
  /** Finds organizations that another process on the same database may have added. */
  findOrganization?: (name: string) => Organization | undefined;
  defaultTimeZone: string;
  /** Share of the failed invoices, in percent, that keep a static schedule for comparison. Default: 0. */
  holdoutPercent?: number;
  /** How often the receiver of instructions tries a card at most: the plugin's own limits, unless it is stricter. */
  attemptLimits?: AttemptLimits;
  /** Days on which a customer is asked, from the first request on. */
  reminderDays?: readonly number[];
  /** How long settled records are kept; forever by default. */
  historyDays?: number;
  /** Limit for each key. The contract's limit is 100 (stripe-facts 12.4). */
  requestsPerSecond?: number;
  /** Limit for each key in this process. The contract recommends 5 (stripe-facts 12.4). */
  concurrentRequests?: number;
  /** Believe `X-Forwarded-Proto`: only behind a proxy that sets it. As Express takes it. */
  trustProxy?: boolean | string | number;
  /** When absent, plain HTTP, which other machines cannot use unless a proxy ends TLS. */
  tls?: Tls | undefined;
  /** Its own, unless somebody else reports to monitoring. */
  measures?: Measures;
  /** Opens `/metrics`; without it the path is off. */
  metricsToken?: string | undefined;
}

/** Beyond a half it is the timing that would be the exception. */
const MAX_HOLDOUT_PERCENT = 90;

/** Each problem with what to do about it. */
const ORGANIZATION_CHECKS: readonly ((organization: Organization) => string | undefined)[] = [
  ({ name, apiKeys }) =>
    apiKeys.length === 0 || apiKeys.some((key) => !/^[\x21-\x7e]+$/.test(key))
      ? `${name}.apiKeys: give at least one key of printable characters without spaces.`
      : undefined,
  ({ name, callback }) =>
    isSafeBase(callback.baseUrl)
      ? undefined
      : `${name}.callback.baseUrl: must be an https address; plain http is only for the same machine.`,
  ({ name, callback }) => (callback.token === '' ? `${name}.callback.token: must not be empty.` : undefined),
];

const CHECKS: readonly ((options: RetryServiceOptions) => string | undefined)[] = [
  ({ organizations }) =>
    hasRepeated(organizations.map(({ name }) => name)) ? 'organizations: two have the same name.' : undefined,
  ({ organizations }) =>
    hasRepeated(organizations.flatMap(({ apiKeys }) => [...new Set(apiKeys)]))
      ? 'organizations: two have the same API key, so it would not be known whose a request is.'
      : undefined,

  ({ holdoutPercent = 0 }) =>
    Number.isInteger(holdoutPercent) && holdoutPercent >= 0 && holdoutPercent <= MAX_HOLDOUT_PERCENT
      ? undefined
      : `holdoutPercent: must be a whole number from 0 to ${MAX_HOLDOUT_PERCENT}.`,
  ({ defaultTimeZone }) =>
    IANAZone.isValidZone(defaultTimeZone)
      ? undefined
      : `defaultTimeZone: ${defaultTimeZone} is not an IANA time zone, such as Europe/Berlin.`,
];

/** Throws a ConfigError that lists every problem. */
export function checkOptions(options: RetryServiceOptions): void {
  const found = [
    ...CHECKS.map((check) => check(options)),
    ...options.organizations.flatMap((one) => ORGANIZATION_CHECKS.map((check) => check(one))),
  ];
  const problems = found.filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new ConfigError(problems);
}

function hasRepeated(values: readonly string[]): boolean {
  return new Set(values).size < values.length;
}

function isSafeBase(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
