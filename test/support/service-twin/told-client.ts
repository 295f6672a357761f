/** A client of somebody else: it asks what happens, and says what it has done, over HTTP and in real time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { DateTime, Duration } from 'luxon';
import { z } from 'zod';
import { systemClock } from '../../../src/core/base/clock.ts';
import type { SubscriptionMessage } from '../../../src/core/contract/contract.ts';
import { subscription } from '../../../src/workbench/check-service/service-under-test.ts';
import type { ClientUnderTest, FailedInvoice } from './client-under-test.ts';
import { writeAnswer } from './write-answer.ts';

interface Patience {
  readonly longestMs: number;
  readonly quietMs: number;
}

export interface ToldClient {
  readonly client: ClientUnderTest;
  /** Of the two addresses; false for any other. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const carriedOut = z.object({ invoiceId: z.string() });
const LOOK_EVERY_MS = 20;

export function createToldClient({ longestMs, quietMs }: Patience): ToldClient {
  let subscriptions: SubscriptionMessage[] = [];
  let failedInvoices: FailedInvoice[] = [];
  const told = new Map<string, SubscriptionMessage>();
  const done: string[] = [];
  const now = () => systemClock.now();
  const source = { prefix: `check_${now().toMillis()}`, clock: systemClock };
  const create = (mark: string): SubscriptionMessage => ({
    ...subscription(source, String(told.size + 1)),
    businessEntity: mark,
  });
  const tell = (record: SubscriptionMessage): string => {
    told.set(record.id, record);
    subscriptions.push(record);
    return record.id;
  };
  const client: ClientUnderTest = {
    now,
    change: async (mark, id) => {
      const before = told.get(id ?? '');
      if (!before) return tell(create(mark));
      const later = DateTime.max(now(), DateTime.fromISO(before.updatedAt).plus(1)).toUTC();
      return tell({ ...before, businessEntity: mark, updatedAt: later.toISO() ?? before.updatedAt });
    },
    failInvoice: async () => {
      const subscriptionId = tell(create('failing'));
      const failed = { invoiceId: `${subscriptionId}_in`, subscriptionId };
      failedInvoices.push(failed);
      await client.until(() => failedInvoices.length === 0);
      return failed;
    },
    timesCarriedOut: (invoiceId) => done.filter((one) => one === invoiceId).length,
    until: async (isSo) => {
      const end = now().plus(longestMs);
      while (!isSo() && now() < end) await wait(LOOK_EVERY_MS);
      return isSo();
    },
    stayQuiet: () => wait(quietMs),
    soon: Duration.fromMillis(quietMs / 2),
  };
  return {
    client,
    answer: async (request, response) => {
      if (request.method === 'GET' && request.url === '/check/changes') {
        const body = { subscriptions, failedInvoices };
        subscriptions = [];
        failedInvoices = [];
        await writeAnswer(response, { body });
        return true;
      }
      if (request.method !== 'POST' || request.url !== '/check/carried-out') return false;
      const parsed = carriedOut.safeParse(JSON.parse(await readText(request)));
      if (parsed.success) done.push(parsed.data.invoiceId);
      await writeAnswer(response, { status: parsed.success ? 200 : 400 });
      return true;
    },
  };
}
