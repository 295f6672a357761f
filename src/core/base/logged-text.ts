import { isError } from './errors.ts';

/** Parts of texts and errors that a log may contain; everything else is left out. */

/** Card-update links grant access. `/card-update/*` is a cleaned one. */
const CARD_LINK = /card-update\/(?!\*(?:\/|$))/i;
const WORD = /\S+/g;
/** Our keys, Stripe's keys, and HTTP credentials. */
const SECRET = /\b(?:sk|rk|whsec|spr)_[\w*-]{6,}|\b(?:Bearer|Basic) +\S+/gi;
const LOGIN_IN_ADDRESS = /(\w:\/\/)[^\s/@]+@/g;
/** Starts at a word, so that a long one is read once. */
const EMAIL_ADDRESS =
  /(?<![^\s<>"'`(),:;=/[\]?&#])[^\s<>"'`(),:;=/[\]?&#]+(?:@|%40)[^\s<>"'`(),:;/?&#]*[^\s<>"'`(),:;/?&#.]/gi;

/** Longer than our sentences; other systems may send megabytes. */
const LONGEST = 2_000;

/** Removes card-update links from other systems' texts. */
export function hideCardLinks(text: string): string {
  return text.replace(WORD, (word) => (CARD_LINK.test(word) ? '[hidden]' : word));
}

/** Cuts between words: half an address or secret would not be recognized. */
function cutText(text: string): string {
  if (text.length <= LONGEST) return text;
  const begin = text.slice(0, LONGEST);
  return `${begin.slice(0, begin.lastIndexOf(' ') + 1)}…`;
}

/** Removes addresses, customers' links and keys. */
export function cleanText(text: string): string {
  return hideCardLinks(cutText(text))
    .replace(LOGIN_IN_ADDRESS, '$1')
    .replace(SECRET, '[hidden]')
    .replace(EMAIL_ADDRESS, '[address]');
}

/** Library fields that describe a failure, not a person. */
const FACTS: readonly string[] = [
  ...['code', 'status', 'statusCode', 'requestId', 'type', 'rawType', 'decline_code', 'param', 'retryable'],
  ...['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
  ...['command', 'responseCode', 'syscall', 'errno'],
];
const FACT = /^[\w.:/ -]{1,120}$/;
const DEPTH = 4;
const FRAMES = 20;

export type LoggedError = { readonly [name: string]: unknown };

/** An error for the log: name, message without values, origin and cause. */
export function describeError(error: unknown, depth = DEPTH): LoggedError {
  // Other objects may contain anything, such as a query.
  if (typeof error === 'object' && !isError(error)) return { type: 'object', reason: 'not an Error' };
  if (!isError(error)) return { type: typeof error, reason: cleanText(String(error)) };
  const given = new Map<string, unknown>(Object.entries(error));
  const facts = FACTS.flatMap((name) => {
    const value = given.get(name);
    const isFact =
      typeof value === 'boolean' || FACT.test(typeof value === 'number' ? `${value}` : toText(value));
    return isFact ? [[name === 'type' ? 'kind' : name, value] as const] : [];
  });
  const help = given.get('help');
  const { cause } = error;
  return {
    type: error.name,
    // Not `message`: pino would take it for an error and drop the rest.
    reason: messageOf(error, given),
    ...Object.fromEntries(facts),
    ...(typeof help === 'string' ? { help: cleanText(help) } : {}),
    stack: onlyFrames(error.stack ?? ''),
    ...(cause === undefined || depth === 0 ? {} : { cause: describeError(cause, depth - 1) }),
    ...('errors' in error && Array.isArray(error.errors) && depth > 0
      ? { errors: error.errors.map((one) => describeError(one, depth - 1)) }
      : {}),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A stack without its message. */
export function onlyFrames(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.slice(0, FRAMES).join('\n');
}

/** PostgreSQL's data exceptions, whose messages contain values. */
const DATA_EXCEPTION = /^22/;
const QUOTED = /(["'`“])(?:(?!\1|”).)*(?:\1|”)/gs;
const ID_OF_STRIPE = /^.[a-z]{2,10}_\w+.$/;

function messageOf(error: Error, given: ReadonlyMap<string, unknown>): string {
  const answer = toText(given.get('response'));
  const text = cutText(answer === '' ? error.message : error.message.replaceAll(answer, '[answer]'));
  const isOfDatabase = given.has('severity') && DATA_EXCEPTION.test(toText(given.get('code')));
  const repeatsWhatWasGiven = isOfDatabase || error.name === 'SyntaxError' || given.has('rawType');
  return cleanText(repeatsWhatWasGiven ? text.replace(QUOTED, hideQuoted) : text);
}

function hideQuoted(quoted: string): string {
  return ID_OF_STRIPE.test(quoted) ? quoted : '"…"';
}
