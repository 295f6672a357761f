/** The opaque `nextPageToken`: ordering, filters and position, signed, and good for a day. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DateTime } from 'luxon';
import { z } from 'zod';
import type { Parsed } from '../../contract/contract.ts';
import { ORDERINGS } from '../store/pages/recovery-action-pages.ts';

const TOKEN_HOURS = 24;

const pageState = z.object({
  organization: z.string(),
  orderBy: z.enum(ORDERINGS),
  direction: z.enum(['asc', 'desc']),
  pageSize: z.int(),
  filters: z.record(z.string(), z.string()),
  after: z.object({ key: z.string(), position: z.int() }),
});
export type PageState = z.infer<typeof pageState>;

const tokenContent = pageState.extend({ expires: z.int() });

export function writePageToken(key: Buffer, state: PageState, now: DateTime): string {
  const expires = Math.floor(now.plus({ hours: TOKEN_HOURS }).toSeconds());
  const content = Buffer.from(JSON.stringify({ ...state, expires }), 'utf8').toString('base64url');
  return `${content}.${sign(key, content).toString('base64url')}`;
}

export function readPageToken(key: Buffer, token: string, now: DateTime): Parsed<PageState> {
  const [, content = '', signature = ''] = /^([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  // One of ours that does not fit was written by another version of the service.
  const known = isSigned(key, content, signature) ? tokenContent.safeParse(decode(content)).data : undefined;
  if (!known) return { ok: false, message: 'pageToken: is not valid; start again from the first page' };
  const { expires, ...state } = known;
  if (now >= DateTime.fromSeconds(expires))
    return { ok: false, message: 'pageToken: has expired; start again from the first page' };
  return { ok: true, value: state };
}

function isSigned(key: Buffer, content: string, signature: string): boolean {
  const expected = sign(key, content);
  const presented = Buffer.from(signature, 'base64url');
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

function decode(content: string): unknown {
  return JSON.parse(Buffer.from(content, 'base64url').toString());
}

function sign(key: Buffer, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest();
}
