import { types } from 'node:util';

/** Stable, documented codes. A test compares the reference's table with this list. */
export const ERROR_CODES = {
  CONFIG_INVALID: 'The settings have problems; each is listed with what to do.',
  SIGNATURE_INVALID:
    'A webhook, or a request of the Stripe App, was not signed with one of the configured secrets, or its signature is too old.',
  UNAUTHORIZED: 'A caller gave no token, or a wrong one.',
  FORBIDDEN: 'The token of the caller does not allow this.',
  CONFLICT: 'The request contradicts an earlier one with the same idempotency key.',
  TOO_MANY_GUESSES: 'Wrong credentials came too often from this address.',
  REQUEST_INVALID: 'A request does not fit; the message names the field.',
  REQUEST_TOO_LARGE: 'A request body is over the limit.',
  NOT_FOUND: 'There is nothing at this path or in this folder.',
  HTTPS_REQUIRED: 'Plain HTTP is accepted only from the same machine.',
  NOT_STARTED: 'The plugin has not started yet, or has stopped; the sender should try again.',
  STORE_UNAVAILABLE: 'The database cannot be reached; the sender should try again.',
  STORE_DAMAGED:
    'The embedded database reported damage and is used no more; the next start repairs what a crash can leave.',
  DATABASE_TOO_OLD: 'The database was made by a version before 0.1.0.',
  DATA_DIR_LOCKED: 'Another process has the embedded database open.',
  LISTEN_FAILED: 'The address or port to listen on cannot be had; nothing was started.',
  UPSTREAM_FAILED: 'Stripe, the retry service or the mail server gave an error or no answer.',
  EFFECTS_PAUSED: 'A person, or the limit on charges, has paused all payments and emails; nothing was sent.',
  ACCOUNT_SETTINGS_UNREADABLE:
    'What a connected account saved does not open with ACCOUNT_SETTINGS_KEY; nothing is sent or taken for it meanwhile.',
  INTERNAL: 'Something unexpected happened; the log has the cause.',
} as const;

/** Stable code of an error; messages may change, codes do not. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Same as `instanceof Error`, in any realm: test runners have an `Error` of their own. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value) || value instanceof DOMException;
}

/** Code of an error of the system, Node, the database or a library. */
export function codeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error ? String(error.code) : undefined;
}

/** Message of any thrown value. */
export const messageOf = (error: unknown): string => (isError(error) ? error.message : String(error));

/** Includes the cause, which is more precise for connections. */
export const messageWithCause = (error: unknown): string =>
  isError(error) && isError(error.cause)
    ? `${error.message.replace(/\.$/, '')}: ${error.cause.message}`
    : messageOf(error);

/** Base of all errors of this package: a stable `code`, and `help` with the remedy. */
export class PluginError extends Error {
  readonly code: ErrorCode;
  /** The remedy. */
  readonly help: string | undefined;

  constructor(code: ErrorCode, message: string, options: { help?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.help = options.help;
  }
}

/** Stops the start and lists all problems. */
export class ConfigError extends PluginError {
  /** One sentence each, with the setting's name. */
  readonly problems: readonly string[];

  /** `hint` names the source of the settings. */
  constructor(problems: readonly string[], hint?: string) {
    const lines = [
      `The settings have ${problems.length} problem(s):`,
      ...problems.map((what) => `- ${what}`),
    ];
    super('CONFIG_INVALID', [...lines, ...(hint === undefined ? [] : [hint])].join('\n'), {
      help: 'Correct the settings named above and start again.',
    });
    this.problems = problems;
  }
}

/** A command got options that it does not accept. */
export class UsageError extends PluginError {
  /** One sentence each, with the option's name. */
  constructor(problems: readonly string[]) {
    super('REQUEST_INVALID', problems.join('\n'), {
      help: 'Run the command with --help to see what it takes.',
    });
  }
}

/** Answered with 400: the sender is not authentic, or the body was altered. */
export class SignatureError extends PluginError {
  constructor(message: string, options: { help?: string; cause?: unknown } = {}) {
    super('SIGNATURE_INVALID', message, options);
  }
}

/** Answered with 401. */
export class UnauthorizedError extends PluginError {
  constructor(message = 'The Authorization header has no valid token.') {
    super('UNAUTHORIZED', message);
  }
}

/** Answered with 400: the sender must change the request. */
export class InvalidRequestError extends PluginError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('REQUEST_INVALID', message, options);
  }
}

/** The database is down or read-only: stopped, starting or failing over. Callers retry once it is back. */
export class DatabaseAwayError extends PluginError {
  /** The connection's message. It contains addresses: for logs and terminals, not for answers. */
  readonly reason: string;

  constructor(cause: unknown, message = 'The database cannot be reached.', help = helpAfter(cause)) {
    super('STORE_UNAVAILABLE', message, { help, cause });
    this.reason = reasonOf(cause);
  }
}

/** Another session's lock lasts longer than we wait. Nothing was done, and the connection is intact. */
export class DatabaseBusyError extends DatabaseAwayError {
  constructor(cause: unknown) {
    super(
      cause,
      'Another session keeps a part of the database locked.',
      'It passes with that session: pg_stat_activity shows it, as a dump, a change of a table, or a transaction that was left open.',
    );
  }
}

/** Help by code of the connection's error; the first match counts. */
const CONNECTION_HELP: readonly (readonly [code: RegExp, help: string])[] = [
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|^CERT_UNTRUSTED$/,
    "Its certificate is signed by an authority that this machine does not know, often the provider's own. Download the provider's CA file, and put ?sslmode=verify-full&sslrootcert=/path/to/ca.pem in DATABASE_URL.",
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'Its certificate is for another name: use that name in DATABASE_URL.'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "Renew its certificate, or set this machine's clock."],
  [/^28/, 'The server refuses the login: see the user and the password in DATABASE_URL, and pg_hba.conf.'],
  [/^3D000$/, 'The server has no such database: create it, or name another in DATABASE_URL.'],
  [/^/, 'See that it runs and takes connections from here, and that DATABASE_URL names it.'],
];

function helpAfter(cause: unknown): string {
  const code = codeOf(cause) ?? '';
  return CONNECTION_HELP.find(([which]) => which.test(code))?.[1] ?? '';
}

/** If all addresses of a name fail, the error has a code and no message. */
function reasonOf(cause: unknown): string {
  if (!isError(cause)) return typeof cause === 'object' ? 'its file system failed' : String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/**
 * The embedded database cannot open its files or has broken them: further writes could do more damage. Reopened, it returns to its committed
 * state. `cause` is its own message.
 */
export class DatabaseDamagedError extends PluginError {
  constructor(cause: unknown) {
    super('STORE_DAMAGED', `The embedded database is used no more, for it reports: ${reasonOf(cause)}`, {
      help: 'Start the process again: what was committed is there. If it comes again, see to the disk and to the limit of open files (`ulimit -n`), or put the folder back from a copy.',
      cause,
    });
  }
}

/** A change at Stripe was withheld until `resume`. */
export class EffectsPausedError extends PluginError {
  readonly reason: string;

  constructor(account: string, reason: string) {
    super(
      'EFFECTS_PAUSED',
      `Payments and emails are paused for account ${account}: ${reason}. Nothing was sent.`,
      {
        help: '`resume` ends the pause.',
      },
    );
    this.reason = reason;
  }
}

/** PostgreSQL's error classes for values: data, constraints, limits. Other rows of the statement are not at fault. */
const OF_ITS_VALUES = /^(22|23|54)/;

/** Whether the database refused a row for its values, so that a retry fails, too. */
export const isRowRefused = (error: unknown): boolean => OF_ITS_VALUES.test(codeOf(error) ?? '');

/** Codes of a NUL in a text (22021), or a NUL or half a character in JSON (22P05). In UTF-8, which `openPostgres` requires, nothing else is refused. */
const UNSTORABLE = /^(22021|22P05)$/;

/** Turns a refused text of a request into an InvalidRequestError, so that the sender does not repeat it. */
export function blameText(error: unknown): unknown {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const isText = isError(cause) && 'code' in cause && UNSTORABLE.test(String(cause.code));
  return isText
    ? new InvalidRequestError('A text has a NUL or half a character in it; nothing was stored.', { cause })
    : error;
}

/** Answered with 503: the sender should try again. */
export class StoreUnavailableError extends PluginError {
  constructor(cause: unknown) {
    super('STORE_UNAVAILABLE', 'The database did not take the record; nothing was stored. Send it again.', {
      cause,
    });
  }
}

/** Turns a database failure during a request into StoreUnavailableError. */
export function orUnavailable<Value>(work: Promise<Value>): Promise<Value> {
  return work.catch((cause: unknown) => {
    throw new StoreUnavailableError(cause);
  });
}

/** Another system failed: Stripe, the retry service or the mail server. */
export class UpstreamError extends PluginError {
  /** Whether a later call may succeed. */
  readonly retryable: boolean;
  /** The other side's requested wait in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | undefined; help?: string; cause?: unknown },
  ) {
    super('UPSTREAM_FAILED', message, options);
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
