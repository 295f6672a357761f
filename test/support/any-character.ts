import fc from 'fast-check';

/** Any code point, as a unit of `fc.string`. The unit `binary` takes a second to make; with the way back, `__proto__` and the like come, too. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff }))
  .map(
    (code) => String.fromCodePoint(code),
    (text) => (typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1),
  );
