import { createTurns } from '../../../../src/core/database/pglite/connection-turns.ts';
import type { Call, Result } from '../../../../src/core/database/pglite/pglite-messages.ts';

/** A server that notes what it gets, and answers when it is told to. */
function createServer(commandOf = (text: string) => text.toUpperCase()) {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const turns = createTurns(({ text, inTransaction }: Call) => {
    sent.push(inTransaction ? `${text} in transaction` : text);
    const result: Result = { names: [], rows: [], json: [], command: commandOf(text) };
    return new Promise((resolve) => answers.push(() => resolve([result])));
  });
  const answerAll = async () => {
    for (let quiet = 0; quiet < 20; quiet += 1) {
      for (const answer of answers.splice(0)) answer();
      await Promise.resolve();
    }
  };
  return { sent, turns, answerAll };
}

test('statements are sent at once, and those after a transaction when its end was sent', async () => {
  const { sent, turns, answerAll } = createServer();
  const first = turns.send({ text: 'a' });
  const transaction = turns.transaction(async (send) => {
    await send({ text: 'b' });
    await send({ text: 'c' });
  });
  const last = turns.send({ text: 'd' });
  await Promise.resolve();
  expect(sent[0]).toBe('a');
  await answerAll();
  await Promise.all([first, transaction, last]);
  expect(sent).toEqual(['a', 'b in transaction', 'c in transaction', 'commit in transaction', 'd']);
});

test('a transaction whose work fails is rolled back, and one without a statement sends nothing', async () => {
  const { sent, turns, answerAll } = createServer();
  const failed = turns.transaction(async (send) => {
    await send({ text: 'a' });
    throw new Error('as the test says');
  });
  await Promise.all([expect(failed).rejects.toThrow('as the test says'), answerAll()]);
  await turns.transaction(async () => {});
  expect(sent).toEqual(['a in transaction', 'rollback in transaction']);
});

test('a transaction that the server rolled back at its commit has failed', async () => {
  const { turns, answerAll } = createServer(() => 'ROLLBACK');
  const transaction = turns.transaction(async (send) => {
    await send({ text: 'a' });
  });
  await Promise.all([expect(transaction).rejects.toMatchObject({ code: '25P02' }), answerAll()]);
});

test('a statement after the end of its transaction is refused', async () => {
  const { sent, turns, answerAll } = createServer();
  let later = async (): Promise<unknown> => undefined;
  const transaction = turns.transaction(async (send) => {
    await send({ text: 'a' });
    later = () => send({ text: 'b' });
  });
  await Promise.all([transaction, answerAll()]);
  await expect(later()).rejects.toThrow('The transaction has ended.');
  expect(sent).not.toContain('b in transaction');
});
