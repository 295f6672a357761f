/** The transports of a process, with the schedule before each: its database, Stripe, the service and the emails. */
import Stripe from 'stripe';
import type { Logger } from '../../../src/core/base/logger.ts';
import {
  type Database,
  type Queryable,
  type QueueDatabase,
  RESULTS,
} from '../../../src/core/database/database.ts';
import { openPostgres } from '../../../src/core/database/postgres-database.ts';
import type { Transports } from '../../../src/plugin/app/open-stripe.ts';
import type { HttpClient } from '../../../src/plugin/clients/http/measured-http.ts';
import type { SendEmail } from '../../../src/plugin/clients/mailer.ts';
import type { Schedule } from './schedule.ts';

/** A fault that is planted: another statement in place of one. */
export type Rewrite = (text: string) => string;

type Pass = <Result>(what: string, make: () => Promise<Result>, session?: number) => Promise<Result>;

/** An insert into a table of ours, where another session's row may be in the way. The order of inserted jobs shows in nothing. */
const MAY_MEET_NEW_ROW = /do update|insert into payment_retry\..*do nothing/is;

/** No limit of real time decides. */
const NO_LIMIT = { statementMs: 3_600_000, lockMs: 0, idleMs: 0 };

export function standBefore(
  schedule: Pick<Schedule, 'pass'>,
  process: string,
  rewrite: Rewrite = (text) => text,
): Transports & { sendEmail: (to: SendEmail) => SendEmail } {
  const pass: Pass = (what, make, session) =>
    schedule.pass({ process, what: nameOf(what), mayMeetNewRow: MAY_MEET_NEW_ROW.test(what), session }, make);
  return {
    openDatabase: async (location, logger: Pick<Logger, 'info' | 'warn' | 'error'> | undefined) => {
      if (location.kind !== 'postgres' || !logger) throw new Error('Several processes need PostgreSQL.');
      return behind(pass, await openPostgres(location.url, logger, NO_LIMIT), rewrite);
    },
    stripe: httpBehind(pass),
    // The signal is left out: a call that is parked is no slow one.
    fetch: (url, { signal: _, ...request }) =>
      pass(`service ${request.method} ${new URL(url).pathname}`, async () => {
        const answer = await fetch(url, request);
        return new Response(await answer.text(), { status: answer.status, headers: answer.headers });
      }),
    sendEmail: (send) => (email) => pass(`email ${email.subject}`, async () => send(email)),
  };
}

/** The answer's body is read before it is handed over, so that nothing is left that takes its own time. */
function httpBehind(pass: Pass): HttpClient {
  const plain = Stripe.createNodeHttpClient();
  const makeRequest: HttpClient['makeRequest'] = (...request) => {
    const [, , path, method] = request;
    return pass(`stripe ${method} ${path}`, async () => {
      const answer = await plain.makeRequest(...request);
      const body: unknown = await answer.toJSON();
      return Object.assign(Object.create(answer), { toJSON: async () => body });
    });
  };
  return Object.assign(Object.create(plain), { makeRequest });
}

function behind(pass: Pass, database: Database, rewrite: Rewrite): Database {
  return {
    ...database,
    ...statementsBehind(pass, database, rewrite),
    exec: (text) => pass(text, () => database.exec(text)),
    transaction: async (work, options) => {
      let close = () => {};
      let fail = (_: unknown) => {};
      const ended = new Promise<void>((resolve, reject) => {
        close = resolve;
        fail = reject;
      });
      let whole = Promise.resolve();
      let session: number | undefined;
      const tx = await pass(
        'begin',
        () =>
          new Promise<Parameters<typeof work>[0]>((resolve, reject) => {
            whole = database.transaction(async (inner) => {
              session = (await inner.query<{ id: number }>('select pg_backend_pid() as id'))[0]?.id;
              resolve(inner);
              return ended;
            }, options);
            whole.catch(reject);
          }),
      );
      const end = (what: string, how: () => void) =>
        pass(what, () => {
          how();
          return whole;
        });
      let result: Awaited<ReturnType<typeof work>>;
      try {
        const inSession: Pass = (what, make) => pass(what, make, session);
        result = await work(statementsBehind(inSession, tx, rewrite));
      } catch (error) {
        await end('rollback', () => fail(error));
        throw error;
      }
      await end('commit', close);
      return result;
    },
  };
}

function statementsBehind<Inner extends Queryable & { readonly queue: QueueDatabase }>(
  pass: Pass,
  inner: Inner,
  rewrite: Rewrite,
) {
  return {
    ...RESULTS,
    query: <Row extends object>(text: string, params?: readonly unknown[]) =>
      pass(text, () => inner.query<Row>(withNumbers(rewrite(text)), params)),
    queue: {
      ...inner.queue,
      executeSql: (text: string, values?: unknown[]) =>
        pass(text, () => inner.queue.executeSql(withNumbers(text), values)),
    },
  };
}

/** Ids that the database makes: see `numberIds`. */
const withNumbers = (text: string) => text.replaceAll('gen_random_uuid()', 'numbered.gen_random_uuid()');

const NAME_LENGTH = 110;

/** The statement's beginning, without the values. */
const nameOf = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, NAME_LENGTH);
