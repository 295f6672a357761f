import fc from 'fast-check';
import { cleanName } from '../../../src/plugin/mails/clean-name.ts';
import { anyCharacter } from '../../support/any-character.ts';

test.each([
  ['  Acme\t Ltd ', 'Acme Ltd'],
  ['Acme\r\nBcc: eve@example.com', 'Acme Bcc: eve@example.com'],
  ['Acme\u2028Ltd\u0000', 'Acme Ltd'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['مرحبا', 'مرحبا'],
  ['👩‍👩‍👧 Family', '👩‍👩‍👧 Family'],
  [' \n', undefined],
  [undefined, undefined],
])('%j becomes %j', (name, clean) => {
  expect(cleanName(name)).toBe(clean);
});

test('cuts a long name between the characters a reader sees', () => {
  const clean = cleanName('👩‍👩‍👧'.repeat(50)) ?? '';
  expect(clean).toMatch(/^(👩‍👩‍👧)+…$/u);
  expect(clean.length).toBeLessThanOrEqual(80);
  expect(cleanName('a'.repeat(80))).toBe('a'.repeat(80));
  expect(cleanName('a'.repeat(81))).toBe(`${'a'.repeat(79)}…`);
});

test('gives one bounded line without torn characters for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 3000 }), (name) => {
      const clean = cleanName(name) ?? '';
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u);
      expect(clean.length).toBeLessThanOrEqual(80);
    }),
  );
});
