import type { Call, Result, Statement } from './pglite-messages.ts';

export type Send = (statement: Statement) => Promise<readonly Result[]>;

export interface Turns {
  readonly send: Send;
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (send: Send) => Promise<T>): Promise<T>;
}

/**
 * Shares the only connection: a transaction has it exclusively, and requests meanwhile follow it. All others are sent in order
 * without waiting for each other's answers.
 */
export function createTurns(send: (call: Call) => Promise<readonly Result[]>): Turns {
  let free = Promise.resolve();

  async function transaction<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const before = free;
    let release = () => {};
    free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    const { sendWithin, end } = begin(send);
    let result: T;
    try {
      result = await work(sendWithin);
    } catch (error) {
      const ended = end('rollback');
      release();
      await ended;
      throw error;
    }
    // What comes next is answered after the commit: it need not wait to be sent.
    const ended = end('commit');
    release();
    await ended;
    return result;
  }

  return {
    transaction,
    send: async (statement) => {
      await free;
      return send(statement);
    },
  };
}

/** Nothing is sent for a transaction without statements. */
function begin(send: (call: Call) => Promise<readonly Result[]>) {
  let state: 'new' | 'begun' | 'over' = 'new';
  const sendWithin: Send = async (statement) => {
    if (state === 'over') throw new Error('The transaction has ended.');
    state = 'begun';
    return send({ ...statement, inTransaction: true });
  };
  const end = async (text: 'commit' | 'rollback'): Promise<void> => {
    const isEmpty = state === 'new';
    state = 'over';
    if (isEmpty) return;
    const [ended] = await send({ text, inTransaction: true });
    // So the server answers where a statement has failed and the work went on regardless.
    if (text === 'commit' && ended?.command === 'ROLLBACK')
      throw Object.assign(new Error('The transaction was rolled back instead of committed.'), {
        severity: 'ERROR',
        code: '25P02',
      });
  };
  return { sendWithin, end };
}
