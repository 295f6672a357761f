import { alignColumns, type TextCell } from '../../../../src/plugin/operator/text/text-table.ts';

const rows: TextCell[][] = [
  [{ text: 'State' }, { text: 'Amount', isNumber: true }, { text: 'Customer' }],
  [{ text: 'Back', tone: 'good' }, { text: '¥5', isNumber: true }, { text: '山田' }],
  [{ text: '失敗', tone: 'bad' }, { text: '$1,200.00', isNumber: true }, { text: '' }],
];

test('columns stand below each other, numbers by their end, whatever the script', () => {
  expect(alignColumns(rows, false)).toEqual([
    'State     Amount  Customer',
    'Back          ¥5  山田',
    '失敗   $1,200.00',
  ]);
});

test('colours are around the words alone, and only where they are shown', () => {
  const [, back] = alignColumns(rows, true);
  expect(back).toBe('\u001b[32mBack\u001b[39m          ¥5  山田');
  expect(alignColumns(rows, false).join('')).not.toContain('\u001b');
});
