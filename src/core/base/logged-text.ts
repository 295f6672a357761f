import { isError } from './errors.ts';

/** What a log may hold of a text and of an error. Whatever is not named here stays out of it. */

/** A card-update link is a way in: whoever reads it could use it. `/card-update/*` is what is left of one. */
const CARD_LINK = /card-update\/(?!\*(?:\/|$))/i;
const WORD = /\S+/g;
/** Of our own keys and Stripe's, and what a header of HTTP proves somebody with. */
const SECRET = /\b(?:sk|rk|whsec|spr)_[\w*-]{6,}|\b(?:Bearer|Basic) +\S+/gi;
const LOGIN_IN_ADDRESS = /(\w:\/\/)[^\s/@]+@/g;
/** It begins where a word does, so that a long one is read once. */
const MAIL_ADDRESS =
  /(?<![^\s<>"'`(),:;=/[\]?&#])[^\s<>"'`(),:;=/[\]?&#]+(?:@|%40)[^\s<>"'`(),:;/?&#]*[^\s<>"'`(),:;/?&#.]/gi;

/** More than any sentence of ours; what others send may be megabytes. */
const LONGEST = 2_000;

/** Text of others, such as a mail server's answer, without the links of ours that it repeats. */
export function hideCardLinks(text: string): string {
  return text.replace(WORD, (word) => (CARD_LINK.test(word) ? '[hidden]' : word));
}

/** Ends between two words: half an address or half a secret would not be known for one. */
function cutText(text: string): string {
  if (text.length <= LONGEST) return text;
  const begin = text.slice(0, LONGEST);
  return `${begin.slice(0, begin.lastIndexOf(' ') + 1)}…`;
}

/** Without addresses, links of customers and keys, wherever they stand. */
export function cleanText(text: string): string {
  return hideCardLinks(cutText(text))
    .replace(LOGIN_IN_ADDRESS, '$1')
    .replace(SECRET, '[hidden]')
    .replace(MAIL_ADDRESS, '[address]');
}

/** As the libraries that we use call what describes a failure and not whom it concerns. */
const FACTS: readonly string[] = [
  ...['code', 'status', 'statusCode', 'requestId', 'type', 'rawType', 'decline_code', 'param', 'retryable'],
  ...['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
  ...['command', 'responseCode', 'syscall', 'errno'],
];
const FACT = /^[\w.:/ -]{1,120}$/;
const DEPTH = 4;
const FRAMES = 20;

export type LoggedError = { readonly [name: string]: unknown };

/** An error as it is logged: its name, its message without values, where it was raised, and what it followed from. */
export function describeError(error: unknown, depth = DEPTH): LoggedError {
  // An object would be written as what it was made of: a query, for one.
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
    // Not `message`: pino would take it for an error and leave out the rest.
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

/** A stack without its first lines, which repeat the message. */
export function onlyFrames(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.slice(0, FRAMES).join('\n');
}

/** Of PostgreSQL: what was given does not fit a type, and stands in the message. */
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
