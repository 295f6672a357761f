/** What bodies may take together: large ones the process's memory, slow ones the place of others. */
import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler } from 'express';
import { InvalidRequestError, PluginError } from '../base/errors.ts';

const KIB = 1024;
/** Bodies announced as this small have room of their own, which no larger body takes. Stripe's events are rarely larger. */
const SMALL_BYTES = 64 * KIB;
/** A piece of a body is an object of its own, however short. */
const PIECE_BYTES = 200;
/** What a byte may become: deflate makes one of 1,032 at best, and others know no end. */
const GROWTH: ReadonlyMap<string, number> = new Map([
  ['identity', 1],
  ['gzip', 1_032],
  ['deflate', 1_032],
]);

interface Room {
  readonly mostBytes: number;
  readonly mostOfOne: number;
}

export interface BodyLimits {
  readonly small: Room;
  readonly large: Room;
  /** A body that brings less than `slowBytes` in each of `slowLooks` looks is let go. */
  readonly pace: { readonly lookMs: number; readonly slowBytes: number; readonly slowLooks: number };
}

export const BODY_LIMITS: BodyLimits = {
  small: { mostBytes: 32 * KIB * KIB, mostOfOne: 96 * KIB },
  large: { mostBytes: 32 * KIB * KIB, mostOfOne: Number.POSITIVE_INFINITY },
  pace: { lookMs: 1_000, slowBytes: 8 * KIB, slowLooks: 3 },
};

/** Limits a path to `limit` bytes. Counts those that have come: an announcement costs its sender nothing. */
export function readWithinLimits(limit: number, read: RequestHandler, limits = BODY_LIMITS): RequestHandler {
  const [small, large] = [createRoom(limits.small), createRoom(limits.large)];
  const pace = watchPace(limits.pace);
  return (request, response, next) => {
    const announced = Number(request.get('content-length') ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(announced) && announced > limit)
      throw new PluginError('REQUEST_TOO_LARGE', `The body is larger than ${limit / KIB / KIB} MiB.`);
    const growth = growthOf(request);
    const place = (growth === 1 && announced <= SMALL_BYTES ? small : large).enter();
    let [arrived, pieces, isOver] = [0, 0, false];
    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      pace.remove(coming);
      next(error);
    };
    const refuse = (problem: string) => {
      // The rest is not read, and must not be taken for the next request.
      request.off('data', take).unpipe().pause();
      response.set('Connection', 'close');
      end(new PluginError('STORE_UNAVAILABLE', `${problem}; send it again.`));
    };
    const coming = { arrived: 0, slowLooks: 0, refuse: () => refuse('The body came too slowly') };
    const take = (piece: Buffer) => {
      coming.arrived += piece.length;
      arrived += piece.length;
      pieces += 1;
      const weight = Math.min(limit, arrived * growth) + pieces * PIECE_BYTES;
      if (!place.grow(weight)) refuse('Too many large requests at the same time');
    };
    response.once('close', () => {
      pace.remove(coming);
      place.leave();
    });
    pace.add(coming);
    request.on('data', take);
    read(request, response, end);
  };
}

function growthOf(request: Request): number {
  return GROWTH.get(request.get('content-encoding')?.toLowerCase() ?? 'identity') ?? Number.POSITIVE_INFINITY;
}

function createRoom({ mostBytes, mostOfOne }: Room) {
  let taken = 0;
  return {
    enter: () => {
      let own = 0;
      return {
        /** Grows to this many bytes; false where there is no room. */
        grow: (bytes: number): boolean => {
          if (bytes > mostOfOne || taken + bytes - own > mostBytes) return false;
          taken += bytes - own;
          own = bytes;
          return true;
        },
        leave: () => {
          taken -= own;
          own = 0;
        },
      };
    },
  };
}

interface Coming {
  /** Bytes since the last look. */
  arrived: number;
  slowLooks: number;
  refuse(): void;
}

/** Several looks, so that a process that stood still finds what arrived meanwhile before it lets anybody go. */
function watchPace({ lookMs, slowBytes, slowLooks }: BodyLimits['pace']) {
  const all = new Set<Coming>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const coming of all) {
      coming.slowLooks = coming.arrived < slowBytes ? coming.slowLooks + 1 : 0;
      coming.arrived = 0;
      if (coming.slowLooks >= slowLooks) coming.refuse();
    }
  };
  return {
    add: (coming: Coming) => {
      all.add(coming);
      timer ??= setInterval(look, lookMs).unref();
    },
    remove: (coming: Coming) => {
      all.delete(coming);
      if (all.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** A body as read here, or kept as `rawBody` by whoever parsed it before (Google's functions framework). Undefined where it is lost. */
export function untouchedBody(request: Request & { readonly rawBody?: unknown }): Buffer | undefined {
  const { body, rawBody, headers } = request;
  for (const kept of [body, rawBody]) {
    if (Buffer.isBuffer(kept)) return kept;
    if (typeof kept === 'string') return Buffer.from(kept);
  }
  const isEmpty =
    headers['content-length'] === '0' || !('content-length' in headers || 'transfer-encoding' in headers);
  return isEmpty ? Buffer.alloc(0) : undefined;
}

/** The `verify` of a body parser, which would replace invalid bytes by U+FFFD and make one id of two. */
export function requireUtf8(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8' || isUtf8(body)) return;
  throw new InvalidRequestError(
    'The body is not UTF-8 throughout; nothing was stored. Encode it as UTF-8 and send it again.',
  );
}
