/** One life of a plugin, cut off from everything outside at a call that is counted: nothing of it gets out any more. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Outside } from '../world.ts';

export const CALLS = ['database', 'stripe', 'service', 'email'] as const;
export type Called = (typeof CALLS)[number];

export interface LastCall {
  readonly to: Called;
  /**
   * 1 for the first call there that changes something. Between two of those it makes no difference which call is the last: what
   * was read is lost with the process, and what was written inside a transaction is taken back.
   */
  readonly number: number;
  /** It does not arrive; or it is carried out, and the answer does not arrive. */
  readonly when: 'before' | 'after';
}

export interface Life {
  /** Lays a wire to each of them. */
  through(outside: Outside): Promise<Outside>;
  /** Counts from now on, and ends with this call. */
  count(last?: LastCall): void;
  /** Counts no more. */
  rest(): void;
  /** What was called and changes something, in order: the statement, or the request's first line. */
  readonly calls: Readonly<Record<Called, readonly string[]>>;
  /** How many calls there were, with those that only read. */
  readonly total: () => number;
  isOver(): boolean;
  /** Resolves when it is over, and whoever was called has noticed. */
  readonly over: Promise<void>;
  /** Like `kill -9`. */
  end(): void;
  /** Its addresses lead nowhere until then. */
  release(): Promise<void>;
}

export function createLife(): Life {
  const calls: Record<Called, string[]> = { database: [], stripe: [], service: [], email: [] };
  const servers: Server[] = [];
  const nearEnds = new Set<Socket>();
  const farEnds = new Map<Socket, Promise<unknown>>();
  let last: LastCall | undefined;
  let isCounting = false;
  let total = 0;
  let isOver = false;
  let tellOver = () => {};
  const over = new Promise<void>((resolve) => {
    tellOver = resolve;
  });

  function end(): void {
    if (isOver) return;
    isOver = true;
    for (const near of nearEnds) near.destroy();
    // A server that is in the middle of something ends that, and then sees that nobody is there.
    for (const far of farEnds.keys()) far.end();
    void Promise.all(farEnds.values()).then(() => tellOver());
  }
  /** Whether the process ends before this call, or after it. */
  function begin(to: Called, text: string, isInTransaction: boolean): LastCall['when'] | undefined {
    if (!isCounting) return undefined;
    total += 1;
    if (!changes(to, text, isInTransaction)) return undefined;
    const number = calls[to].push(text);
    return last?.to === to && last.number === number ? last.when : undefined;
  }
  function join(to: Called, near: Socket, far: Socket): void {
    let isAsking = false;
    let isLast = false;
    let isInTransaction = false;
    let tail: Buffer | undefined;
    near.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (!isAsking && !isFarewell(to, chunk)) {
        isAsking = true;
        const text = to === 'database' && !tail ? CONNECT : describe(chunk);
        const when = begin(to, text, isInTransaction);
        if (when === 'before') {
          end();
          return;
        }
        isLast = when === 'after';
      }
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      if (isOver) return;
      tail = Buffer.concat([tail ?? chunk, chunk]).subarray(-READY_LENGTH);
      if (to !== 'database' || isReady(tail)) {
        isAsking = false;
        isInTransaction = tail.toString('latin1', READY_LENGTH - 1) === 'T';
        if (isLast) {
          end();
          return;
        }
      }
      if (!isLast) near.write(chunk);
    });
    near.on('end', () => far.end()).on('close', () => far.end());
    far.on('end', () => near.end()).on('close', () => near.end());
  }
  function layWire(to: Called, address: string): Promise<string> {
    const { hostname, port } = new URL(address);
    const server = createServer((near) => {
      near.on('error', () => {});
      if (isOver) {
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname).on('error', () => near.destroy());
      nearEnds.add(near.on('close', () => nearEnds.delete(near)));
      farEnds.set(
        far,
        new Promise((resolve) => far.on('close', resolve)).then(() => farEnds.delete(far)),
      );
      join(to, near, far);
    });
    servers.push(server);
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(moved(address, server))));
  }
  return {
    through: async ({ database, stripe, service, email }) => {
      if (database.kind !== 'postgres') throw new Error('Only calls to PostgreSQL pass a wire.');
      return {
        database: { ...database, url: await layWire('database', database.url) },
        stripe: await layWire('stripe', stripe),
        service: await layWire('service', service),
        email: await layWire('email', email),
      };
    },
    count: (call) => {
      last = call;
      isCounting = true;
    },
    rest: () => {
      isCounting = false;
    },
    calls,
    total: () => total,
    isOver: () => isOver,
    over,
    end,
    release: async () => {
      end();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function moved(address: string, server: Server): string {
  const url = new URL(address);
  const at = server.address();
  url.host = `127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
  // Named, a socket file would lead past the wire.
  url.searchParams.delete('host');
  return url.href.replace(/\/$/, '');
}

/** ReadyForQuery ends PostgreSQL's answer: after the commit, where there is one. */
const READY_LENGTH = 6;
const isReady = (tail: Buffer) =>
  tail.length === READY_LENGTH && tail.toString('latin1', 0, 1) === 'Z' && tail.readUInt32BE(1) === 5;

const CONNECT = 'connect';
const CHANGES_NOTHING: Readonly<Record<Called, RegExp>> = {
  database: /^(connect$|begin$|rollback$|select |show |set )/i,
  stripe: /^GET /,
  service: /^GET /,
  email: /^(EHLO|MAIL|RCPT|DATA)/i,
};

function changes(to: Called, text: string, isInTransaction: boolean): boolean {
  if (isInTransaction) return /^commit$/i.test(text);
  return !CHANGES_NOTHING[to].test(text);
}

/** Has no answer. */
function isFarewell(to: Called, chunk: Buffer): boolean {
  const text = chunk.toString('latin1');
  return (to === 'database' && text === 'X\0\0\0\x04') || (to === 'email' && /^QUIT/i.test(text));
}

const SHOWN = 160;

/** The statement, or the request's first line. */
function describe(chunk: Buffer): string {
  const text = chunk.toString('latin1', 0, 2_000).replace(/^P.{4}[^\0]*\0|^Q.{4}/s, '');
  const [shown = ''] = text.split(/\0|\r\n/).filter((part) => /\w{3}/.test(part));
  return shown.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
}
