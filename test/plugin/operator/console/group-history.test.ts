import { DateTime } from 'luxon';
import { groupHistory } from '../../../../src/plugin/operator/console/invoices/invoice-view.tsx';
import type { HistoryEntry } from '../../../../src/plugin/operator/text/describe-history.ts';

const at = DateTime.fromISO('2026-03-02T10:00:00Z');
const entry = (what: HistoryEntry['what'], text: string, record: object): HistoryEntry => ({
  at,
  what,
  text,
  record,
});
const ACTION = { id: 'a1', requestId: 'r1' } as Parameters<typeof groupHistory>[1]['actions'][number];

test('an instruction stands with the attempts, decisions and ends that follow from it', () => {
  const entries = [
    entry('charge', 'first failure', { actionId: null }),
    entry('instruction', 'asked', { requestId: 'r1' }),
    entry('instruction', 'asked again', { requestId: 'r2' }),
    entry('decision', 'put off', { id: 7, detail: { actionId: 'a1' } }),
    entry('attempt', 'declined', { actionId: 'a1' }),
    entry('end', 'done', ACTION),
    entry('attempt', 'of a card change', { actionId: 'a9' }),
  ];
  const groups = groupHistory(entries, { actions: [ACTION] });
  expect(groups.map((group) => group.map(({ text }) => text))).toEqual([
    ['first failure'],
    ['asked', 'put off', 'declined', 'done'],
    ['asked again'],
    ['of a card change'],
  ]);
});
