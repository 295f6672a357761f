import express, { type Request, type RequestHandler, type Response } from 'express';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  InvalidRequestError,
  isRowRefused,
  SignatureError,
  StoreUnavailableError,
} from '../../../core/base/errors.ts';
import { createGroupCommit } from '../../../core/base/group-commit.ts';
import { describeIssue, isRecord, parseJson } from '../../../core/contract/contract.ts';
import { retryWhileDatabaseDown } from '../../../core/database/retry-while-database-down.ts';
import type { BaseDeps } from '../../../core/jobs/work-deps.ts';
import type { Measures } from '../../../core/telemetry/measures.ts';
import { type Carried, carryTrace, inSpan, SpanKind } from '../../../core/telemetry/spans.ts';
import { readWithinLimits, untouchedBody } from '../../../core/web/bodies-in-flight.ts';
import { timeAnswers } from '../../../core/web/metrics-router.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import { SignatureTimeError } from '../../clients/stripe-signatures.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { Config } from '../../settings/config.ts';
import type { NewEvent } from '../../store/tables/sync/events.ts';
import { recordPromptly } from '../../store/tables/sync/prompt-writes.ts';
import { word } from '../events/event-object.ts';
import type { Inbox } from './inbox.ts';
import { personOf } from './plan-events.ts';
import { isThin, parseThin, type ThinEvent } from './read-thin.ts';
import { createRefusalCount } from './refused-webhooks.ts';

export interface WebhookDeps extends BaseDeps {
  readonly stripe: Pick<StripeClient, 'verifySignature'>;
  readonly inbox: Pick<Inbox, 'give' | 'wake'>;
  readonly webhookSecrets: readonly string[];
  /** Whether an account that an event names is our own. */
  readonly isOwn: (account: string) => Promise<boolean>;
  /** The key's mode, where its name says it. */
  readonly config: Pick<Config, 'livemode'>;
  /** Whether anything is done about events of this type. */
  readonly isOfUse: (type: string) => boolean;
  readonly measures: Measures;
}

/**
 * `POST /webhooks/stripe`: verifies the untouched body, records the event once, answers after the commit. Events that arrive
 * together share one insert. Processing is woken after the answer; the sweep finds the leftovers of a crash.
 */
export function createWebhookReceiver(deps: WebhookDeps) {
  const wakeUps = createWakeUps(deps);
  const refusals = createRefusalCount(deps);
  const write = async (received: readonly Received[]) => {
    const events = received.map(({ event }) => event);
    const fresh = await recordPromptly(deps.database, events).catch((error) => {
      if (isUnsure(error)) for (const { account } of events) wakeUps.wakeUnsure(account);
      throw error;
    });
    const isFresh = new Set(fresh.map(({ account, id }) => `${account} ${id}`));
    const traces = new Map<string, Carried>();
    for (const { event, body, trace } of received) {
      if (!isFresh.has(`${event.account} ${event.id}`)) continue;
      if (body) deps.inbox.give(event, body);
      traces.set(event.account, trace);
    }
    for (const [account, trace] of traces) void wakeUps.wake(account, trace);
  };
  const record = createGroupCommit(write, {
    atOnce: AT_ONCE[deps.database.kind],
    mayBeHalved: (error) => error instanceof DatabaseBusyError || isRowRefused(error),
  });

  const time = timeAnswers(deps.measures, 'payment_retry_webhook_duration_seconds', (status) => ({ status }));
  const readBody = readWithinLimits(BODY_BYTES, express.raw({ type: () => true, limit: BODY_BYTES }));
  const take = (req: Request, res: Response) =>
    inSpan('POST /webhooks/stripe', { kind: SpanKind.SERVER }, async () => {
      const text = signedText(req);
      const receivedAt = deps.clock.now();
      verify(deps, { text, receivedAt }, req.get('stripe-signature'));
      const { row, body } = readEvent(deps, { text, receivedAt });
      await record({ event: await toOwn(deps, row), body, trace: carryTrace() }).catch((error) => {
        throw error instanceof StoreUnavailableError ? error : new StoreUnavailableError(error);
      });
      // Without the ETag that Express computes for each answer, and in one packet with the headers.
      res.setHeader('Content-Type', 'application/json; charset=utf-8');
      res.end(RECEIVED);
    });
  const receive: RequestHandler = (req, res, next) => {
    const refuse = (error: unknown) => {
      refusals.count(error);
      next(error);
    };
    try {
      time(req, res, () => {});
      requireSignature(req);
      readBody(req, res, (error) => (error ? refuse(error) : take(req, res).catch(refuse)));
    } catch (error) {
      refuse(error);
    }
  };
  return {
    receive,
    /** Resolves when a job waits for every recorded event. */
    settled: async () => {
      await Promise.all([wakeUps.settled(), refusals.settled()]);
    },
    /** Likewise; work blocked by an unavailable database is left to the next start's sweep. */
    stop: async () => {
      await Promise.all([wakeUps.stop(), refusals.stop()]);
    },
  };
}

/** Those that share an insert are of different traces. */
interface Received {
  readonly event: NewEvent;
  /** The parsed payload of a snapshot that is handled. */
  readonly body: object | undefined;
  readonly trace: Carried;
}

/** One that is held up by another session's lock does not hold the next ones. The embedded database does one thing at a time. */
const AT_ONCE = { postgres: 4, embedded: 1 } as const;

/** Whether the event may have been recorded nevertheless. */
const isUnsure = (error: unknown) =>
  error instanceof DatabaseAwayError && !(error instanceof DatabaseBusyError);

/** Wakes the processing of recorded events, as soon as the database allows it. */
function createWakeUps(deps: Pick<WebhookDeps, 'inbox' | 'logger'>) {
  const pending = new Set<Promise<void>>();
  let isStopping = false;
  /** Accounts of which something may have been recorded although the answer was lost. */
  const unsure = new Set<string>();
  const wakeTogether = createGroupCommit<readonly [account: string, trace: Carried]>((recorded) =>
    retryWhileDatabaseDown(
      () => deps.inbox.wake(new Map(recorded)),
      () => isStopping,
    ),
  );
  const wake = (account: string, trace: Carried): Promise<void> => {
    const waking: Promise<void> = wakeTogether([account, trace])
      .catch((error) => deps.logger.warn({ err: error }, 'recorded events wait for the next sweep'))
      .finally(() => pending.delete(waking));
    pending.add(waking);
    return waking;
  };
  const settled = async () => {
    await Promise.all(pending);
  };
  return {
    wake,
    /** Once for each account, however long the database is away: Stripe's next try finds the event there and wakes nobody. */
    wakeUnsure: (account: string): void => {
      if (unsure.has(account)) return;
      unsure.add(account);
      void wake(account, {}).finally(() => unsure.delete(account));
    },
    settled,
    stop: () => {
      isStopping = true;
      return settled();
    },
  };
}

/** Stripe shows the answer on the endpoint's page in its Dashboard. */
function signedText(req: Request): string {
  const bytes = untouchedBody(req);
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new SignatureError(
    'The body was parsed before it reached the plugin, so its signature cannot be checked. In the application, mount plugin.router before express.json() and other body parsers, or keep the bytes: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } }).',
  );
}

const RECEIVED = JSON.stringify({ received: true });
const BODY_BYTES = 1024 * 1024;
/** `t=…,v1=…` (stripe-facts 1.1). */
const SIGNATURE = /^(?=.*\bt=\d)(?=.*\bv1=[0-9a-f]).{1,1000}$/;

/** A body that nobody signed is not even read. */
function requireSignature(req: Request): void {
  const signature = req.get('stripe-signature');
  if (signature === undefined) throw new SignatureError('The request has no Stripe-Signature header.');
  if (!SIGNATURE.test(signature))
    throw new SignatureError('The Stripe-Signature header is not of the form t=…,v1=….');
}

/** Tries each configured secret: two are valid while one replaces the other. */
function verify(deps: WebhookDeps, { text, receivedAt }: Arrived, given = ''): void {
  // A proxy may join the parts as it joins other lists.
  const signature = given
    .split(',')
    .map((part) => part.trim())
    .join(',');
  let cause: unknown;
  for (const secret of deps.webhookSecrets) {
    try {
      deps.stripe.verifySignature(text, signature, secret, receivedAt.toMillis());
      return;
    } catch (error) {
      // Another secret does not fit at all, and says less.
      if (!(cause instanceof SignatureTimeError)) cause = error;
    }
  }
  if (cause instanceof SignatureTimeError)
    throw new SignatureError(`The signature fits, but ${describeTime(cause)}.`, {
      help: "Set this machine's clock (NTP): Stripe signs each try with the time of that moment.",
      cause,
    });
  throw new SignatureError('The signature does not fit the body and any configured secret.', {
    help: "Compare STRIPE_WEBHOOK_SECRET with the signing secret on the endpoint's page in the Stripe Dashboard.",
    cause,
  });
}

function describeTime({ aheadMs }: SignatureTimeError): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return `this machine's clock is ${minutes} min ${aheadMs > 0 ? 'ahead of' : 'behind'} its time`;
}

/** One that names our own account belongs to the same rows as one that names none. */
async function toOwn({ isOwn }: WebhookDeps, row: NewEvent): Promise<NewEvent> {
  const isNamed = row.account !== OWN_ACCOUNT && (await isOwn(row.account));
  return isNamed ? { ...row, account: OWN_ACCOUNT } : row;
}

const LAST_SECOND = 253_402_300_799;

/** The row's parts. A row that the database would refuse must not fail the others of its insert. */
const eventParts = z.compile(
  z.object({
    id: word,
    type: word,
    created: z.int().min(0).max(LAST_SECOND),
    account: word.nullish(),
    context: word.nullish(),
  }),
);

type EventParts = Pick<ThinEvent, 'id' | 'type' | 'account' | 'createdAt'>;

/** It is signed: what does not fit is another kind of message, and its name says what to change. */
function readParts(event: unknown): EventParts {
  if (Array.isArray(event))
    throw new InvalidRequestError(
      'The body is a list of events: send each in a request of its own, as Stripe does.',
    );
  const parsed = isThin(event) ? parseThin(event) : eventParts.safeParse(event);
  if (!parsed.success)
    throw new InvalidRequestError(`The body is not an event: ${describeIssue(parsed.error)}`);
  if ('createdAt' in parsed.data) return parsed.data;
  const { id, type, created, account, context } = parsed.data;
  // Events of an organization name it by the path that ends with it.
  return { id, type, account: account ?? context?.split('/').at(-1), createdAt: fromUnixSeconds(created) };
}

interface Arrived {
  readonly text: string;
  readonly receivedAt: DateTime<true>;
}

function readEvent({ isOfUse, config }: WebhookDeps, { text, receivedAt }: Arrived) {
  const event = parseJson(text);
  const { account = OWN_ACCOUNT, id, type, createdAt } = readParts(event);
  if (account === OWN_ACCOUNT) refuseOtherMode(event, config);
  const payload = isOfUse(type) ? text : JSON.stringify(withoutObjects(event));
  const row: NewEvent = { account, id, type, createdAt, receivedAt, person: personOf(event), payload };
  return { row, body: payload === text && isRecord(event) && !isThin(event) ? event : undefined };
}

/** A live endpoint is also sent test events of connected accounts (stripe-facts 1.5), which are recorded and ignored; never our own. */
function refuseOtherMode(event: unknown, { livemode }: WebhookDeps['config']): void {
  const { livemode: given } = { livemode: undefined, ...Object(event) };
  if (livemode === undefined || typeof given !== 'boolean' || given === livemode) return;
  const [its, ours] = given ? ['live', 'test'] : ['test', 'live'];
  throw new InvalidRequestError(
    `The event is of ${its} mode, and STRIPE_SECRET_KEY is a key of ${ours} mode: take key and webhook secret of the same mode.`,
  );
}

/** However deep they are nested. */
function withoutObjects(event: unknown): object {
  const fields: [string, unknown][] = Object.entries(Object(event));
  return Object.fromEntries(fields.filter(([, value]) => typeof value !== 'object'));
}
