/** Sessions of signed-in people. A session is a row, so that it ends in every process together; its id is only in the browser. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Clock } from '../../base/clock.ts';
import { orUnavailable } from '../../base/errors.ts';
import type { Role } from './operators.ts';

const IDLE_HOURS = 12;
const WHOLE_DAYS = 7;
/** How exactly the last use is known: a write a request would cost more than most pages do. */
const TOUCH_MINUTES = 5;

/** The cookie's lifetime; the row decides. */
export const SESSION_SECONDS = WHOLE_DAYS * 86_400;

export interface SessionRow {
  readonly idHash: string;
  readonly name: string;
  /** The basis of the sign-in: once the settings no longer contain it, the session is over. */
  readonly access: string;
  readonly createdAt: DateTime;
  readonly seenAt: DateTime;
}

/** Sessions are over that were begun, or used last, before these. */
export interface SessionLimits {
  readonly createdAfter: DateTime;
  readonly seenAfter: DateTime;
}

export interface SessionTable {
  /** Also removes some that are over. */
  insert(row: SessionRow, limits: SessionLimits): Promise<void>;
  find(idHash: string, limits: SessionLimits): Promise<SessionRow | undefined>;
  touch(idHash: string, now: DateTime): Promise<void>;
  remove(idHash: string): Promise<void>;
}

export interface SignedIn {
  readonly name: string;
  readonly role: Role;
  /** When this person last proved to be that; undefined where another site vouched for it. */
  readonly provenAt: DateTime | undefined;
  /** The token for the forms of this session. */
  readonly token: string;
}

const ID = /^[\w-]{43}$/;

export function createSessions(table: SessionTable, clock: Clock) {
  return {
    /** Returns the new id. */
    begin: async (name: string, access: string): Promise<string> => {
      const id = randomBytes(32).toString('base64url');
      const now = clock.now();
      const row = { idHash: hashId(id), name, access, createdAt: now, seenAt: now };
      await orUnavailable(table.insert(row, limitsAt(now)));
      return id;
    },
    find: async (id: string) => {
      if (!ID.test(id)) return undefined;
      const now = clock.now();
      const row = await orUnavailable(table.find(hashId(id), limitsAt(now)));
      if (!row) return undefined;
      if (row.seenAt <= now.minus({ minutes: TOUCH_MINUTES }))
        await orUnavailable(table.touch(row.idHash, now));
      const { name, access, createdAt: provenAt } = row;
      return { name, access, provenAt, token: formTokenOf(id) };
    },
    end: async (id: string): Promise<void> => {
      if (ID.test(id)) await orUnavailable(table.remove(hashId(id)));
    },
  };
}

function limitsAt(now: DateTime): SessionLimits {
  return { createdAfter: now.minus({ days: WHOLE_DAYS }), seenAfter: now.minus({ hours: IDLE_HOURS }) };
}

/** 256 random bits: nothing to guess, so that a plain hash is enough. */
function hashId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

function formTokenOf(id: string): string {
  return createHmac('sha256', id).update('form').digest('base64url');
}
