/** The kinds of settings. Every value arrives as text; a problem continues the sentence that the setting's name begins. */

import { isIP } from 'node:net';
import express from 'express';
import { z } from 'zod';
import { isLoopback } from '../../../core/base/loopback.ts';
import type { NaturalKind } from './natural-values.ts';

export interface SettingNotes {
  /** The option of `createPlugin`. */
  readonly place: string;
  /** The value's form in JavaScript, in addition to the text. */
  readonly natural?: NaturalKind;
  /** The documentation's text for a default that depends on something else. */
  readonly usual?: string;
  /**
   * What an operator may see of a text: all of it, or an address without its login and what follows a question mark. Without
   * it a text is hidden, so that a new secret is not shown because somebody forgot it.
   */
  readonly shown?: 'open' | 'address';
  /** The page of advanced settings lists it. */
  readonly isAdvanced?: true;
}

/** The configuration has it by its name in camelCase. */
export type Setting<Schema> = Part<Schema> & { readonly stands: 'alone' };

type Part<Schema> = Schema & { readonly notes: SettingNotes };

/** A setting that the configuration has as it is read: its row is all there is to it. */
export function setting<Schema extends z.ZodType>(
  meaning: string,
  schema: Schema,
  notes: SettingNotes,
): Setting<Schema> {
  const stands = 'alone' as const;
  return Object.assign(part(meaning, schema, notes), { stands });
}

/** A setting that has meaning together with others: a reader next to `config.ts` combines them. */
export function part<Schema extends z.ZodType>(
  meaning: string,
  schema: Schema,
  notes: SettingNotes,
): Part<Schema> {
  return Object.assign(schema.describe(meaning), { notes });
}

export const text = () => z.string();

export function integer(min: number, max: number) {
  const help = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number<number>(help).int(help).min(min, help).max(max, help);
}

/** Its default is one before it is read, `prefault`: a description leaves out the other kind. */
export function boolean() {
  const read = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value);
  return z.preprocess(read, z.boolean('must be one of true, false'));
}

export function forwarded() {
  const read = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value);
  return z.preprocess(read, z.union([z.boolean(), z.literal('auto')], 'must be one of auto, true, false'));
}

export function onOff() {
  return oneOf('off', 'on')
    .default('off')
    .transform((choice) => choice === 'on');
}

export function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

/** An address that plain HTTP is refused for, unless it is this machine's; or one of the words. */
export function address(...words: readonly string[]) {
  return z.string().superRefine((value, { addIssue }) => {
    if (words.includes(value)) return;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) addIssue('must be an https address');
    else if (url.protocol === 'http:' && !isLoopback(url.hostname))
      addIssue('must be https; plain http is for this machine only');
  });
}

/** Entries with commas, none where it is not given; each wrong one is named. */
export function list<Entry = string>(
  form: RegExp,
  help: string,
  read: (entry: string) => Entry = (entry) => entry as Entry,
) {
  return z
    .string()
    .superRefine((value, { addIssue }) => {
      for (const entry of splitEntries(value))
        if (!form.test(entry)) addIssue(`must be ${help} with commas, and has "${entry}"`);
    })
    .optional()
    .transform((value) => splitEntries(value ?? '').map(read));
}

export const lower = (entry: string) => entry.toLowerCase();

/** `name=value`; more equals signs are the value's. */
export function splitPair(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim()];
}

export function splitEntries(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** What goes into a header of HTTP, several with commas while rotating. Never shown. */
export function secrets(most: number, start = { form: /^/, help: '' }) {
  return z.string().superRefine((value, { addIssue }) => {
    for (const problem of findSecretProblems(value, most)) addIssue(problem);
    const given = splitSecrets(value).filter((secret) => secret !== '');
    if (!given.every((secret) => start.form.test(secret))) addIssue(start.help);
  });
}

/** `word`: what may stand in their place. */
export function chosenSecrets(most: number, word?: string) {
  return secrets(most).refine(
    (value) => value === word || splitSecrets(value).every((one) => one === '' || isStrong(one)),
    TOO_WEAK,
  );
}

function findSecretProblems(value: string, most: number): string[] {
  const parts = splitSecrets(value);
  const many = most === 2 ? 'or two separated by a comma while rotating' : `or up to ${most} with commas`;
  if (parts.length > most || parts.includes('')) return [`takes one secret, ${many}`];
  return parts.every(isCredential) ? [] : [BAD_CREDENTIAL];
}

export function splitSecrets(value: string): string[] {
  return value.split(',').map((part) => part.trim());
}

const CHOSEN_LENGTH = 24;
/** More of 24 random characters differ than this, also of hexadecimal ones. */
const DIFFERENT = 6;

const STRENGTH = `at least ${CHOSEN_LENGTH} characters that nobody can guess; \`openssl rand -base64 24\` makes one, and so does \`node -p "require('node:crypto').randomBytes(24).toString('base64')"\``;
export const TOO_WEAK = `must have ${STRENGTH}`;
export const TOO_WEAK_PASSWORD = `must have a password of ${STRENGTH}`;

/** The rule for every secret that a person chooses and a machine shows. What another party issues is as that party has it. */
export function isStrong(secret: string): boolean {
  return secret.length >= CHOSEN_LENGTH && new Set(secret).size >= DIFFERENT;
}

export function chosenSecret() {
  return z.string().refine(isStrong, TOO_WEAK);
}

/** `user:password`, of which the password alone is secret. */
export function basicCredentials() {
  return z
    .string()
    .regex(/^[^:]+:.+$/, { error: 'must have the form user:password', abort: true })
    .refine((value) => isStrong(value.slice(value.indexOf(':') + 1)), TOO_WEAK_PASSWORD);
}

export const BAD_CREDENTIAL = 'must be printable characters without spaces';

export function isCredential(value: string): boolean {
  return /^[!-~]+$/.test(value);
}

/** HOST and TRUST_PROXY: where a process listens, and whose word it takes about who asks. */
const HOST_NAME = /^[\w.-]+$/;
const DIGITS_AND_DOTS = /^[\d.]+$/;

export const NO_HOST = 'must be an address or a host name of this machine, without a port';

export function isHost(value: string): boolean {
  return isIP(value) !== 0 || (HOST_NAME.test(value) && !DIGITS_AND_DOTS.test(value));
}

/** Names of address ranges that Express knows. */
const RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

const NO_PROXIES =
  'must be the number of proxies in front (1), or their addresses, subnets, loopback, linklocal, uniquelocal, with commas between';

/** `true` is refused: Express would then believe any sender's headers. */
export function trustProxy() {
  return z
    .union([z.string(), z.number(), z.literal(false)])
    .refine((value) => isTrustable(parseProxies(String(value))), NO_PROXIES)
    .transform((value) => parseProxies(String(value)));
}

function parseProxies(text: string): string | number | undefined {
  if (text === 'false') return undefined;
  return /^\d{1,2}$/.test(text) ? Number(text) : text;
}

function isTrustable(proxies: string | number | undefined): boolean {
  if (typeof proxies !== 'string') return true;
  const parts = proxies.split(',').map((part) => part.trim());
  if (!parts.every((part) => RANGES.has(part) || isIP(part.split('/')[0] ?? '') !== 0)) return false;
  try {
    express().set('trust proxy', proxies);
    return true;
  } catch {
    return false;
  }
}
