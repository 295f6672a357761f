import { contrast } from '../../../../src/plugin/mails/brand-colors.ts';
import { colorsOf } from './walk-probes.ts';

const READ_ON = [
  ...['text', 'soft', 'action', 'good', 'bad', 'warn'].map((text) => [text, 'card'] as const),
  ...['text', 'soft', 'action', 'bad'].map((text) => [text, 'back'] as const),
  ...['text', 'action', 'warn'].map((text) => [text, 'quiet'] as const),
];

test.each(['light', 'dark'] as const)('every text can be read in %s mode (WCAG 2.2, 1.4.3)', (mode) => {
  const color = colorsOf(mode);
  for (const [text, ground] of READ_ON)
    expect([text, ground, contrast(color(text), color(ground)) >= 4.5]).toEqual([text, ground, true]);
  expect(contrast(color('on'), color('button'))).toBeGreaterThanOrEqual(4.5);
  expect(contrast(color('on'), color('danger'))).toBeGreaterThanOrEqual(4.5);
  for (const tone of ['good', 'info', 'warn', 'bad'])
    expect([tone, contrast(color(tone), color(`${tone}back`)) >= 4.5]).toEqual([tone, true]);
  // The border of a field, the ring around what has the focus, and the marks of the plot (1.4.11).
  for (const mark of ['field', 'action'])
    expect(contrast(color(mark), color('card'))).toBeGreaterThanOrEqual(3);
});
