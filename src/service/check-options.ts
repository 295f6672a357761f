import { IANAZone } from 'luxon';
import { ConfigError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import type { RetryServiceOptions } from './service.ts';

/** Each problem with what to do about it. */
const CHECKS: readonly ((options: RetryServiceOptions) => string | undefined)[] = [
  ({ apiKeys }) =>
    apiKeys.length === 0 || apiKeys.some((key) => !/^[\x21-\x7e]+$/.test(key))
      ? 'apiKeys: give at least one key of printable characters without spaces.'
      : undefined,
  ({ callback }) =>
    isSafeBase(callback.baseUrl)
      ? undefined
      : 'callback.baseUrl: must be an https address; plain http is only for the same machine.',
  ({ callback }) => (callback.token === '' ? 'callback.token: must not be empty.' : undefined),
  ({ defaultTimeZone }) =>
    IANAZone.isValidZone(defaultTimeZone)
      ? undefined
      : `defaultTimeZone: ${defaultTimeZone} is not an IANA time zone, such as Europe/Berlin.`,
];

/** Throws a ConfigError that lists every problem. */
export function checkOptions(options: RetryServiceOptions): void {
  const problems = CHECKS.map((check) => check(options)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new ConfigError(problems);
}

function isSafeBase(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
