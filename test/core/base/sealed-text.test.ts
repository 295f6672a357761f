import { sealText, unsealText } from '../../../src/core/base/sealed-text.ts';

const KEY = 'a key of the settings, 0123456789';
const OTHER = 'another key of the settings, 0123';

test('a sealed text opens for its owner with its key, and is another one each time', () => {
  const sealed = [1, 2].map(() => sealText(KEY, 'a secret: ü€', 'acct_1'));
  expect(new Set(sealed).size).toBe(2);
  expect(sealed.join()).not.toContain('secret');
  for (const one of sealed)
    expect(unsealText([OTHER, KEY], one, 'acct_1')).toEqual({ text: 'a secret: ü€', place: 1 });
});

test.each([
  ['with another key', (sealed: string) => unsealText([OTHER], sealed, 'acct_1')],
  ['without a key', (sealed: string) => unsealText([], sealed, 'acct_1')],
  ['for another owner', (sealed: string) => unsealText([KEY], sealed, 'acct_2')],
  ['cut short', (sealed: string) => unsealText([KEY], sealed.slice(0, -2), 'acct_1')],
  ['cut to nothing', () => unsealText([KEY], 'v1.', 'acct_1')],
  ['of another form', (sealed: string) => unsealText([KEY], `v2${sealed.slice(2)}`, 'acct_1')],
])('a sealed text does not open %s', (_, open) => {
  expect(open(sealText(KEY, 'a secret', 'acct_1'))).toBeUndefined();
});

test('a sealed text that was changed anywhere does not open', () => {
  const sealed = sealText(KEY, 'a secret', 'acct_1');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let place = 0; place < bytes.length; place += 1) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(unsealText([KEY], `v1.${changed.toString('base64url')}`, 'acct_1')).toBeUndefined();
  }
});
