import { IANAZone } from 'luxon';
import { isLoopback } from '../config/loopback.ts';
import { ConfigError } from '../errors.ts';
import type { Organization } from './keys/organizations.ts';
import type { RetryServiceOptions } from './service.ts';

/** Beyond a half it is the timing that would be the exception. */
const MAX_HOLDOUT_PERCENT = 50;

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
