import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
  type CardUpdateClaims,
  cardUpdateUrl,
  createLinkToken,
  readLinkToken,
} from '../../../../src/plugin/retry/mail/card-update-link.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';
const now = DateTime.fromISO('2026-06-01T12:00:00Z', { zone: 'utc' });
const claims: CardUpdateClaims = {
  account: 'acct_1',
  customerId: 'cus_1',
  invoiceId: 'in_1',
  expiresAt: now.plus({ days: 14 }),
};
const token = createLinkToken(claims, SECRET);

const identifier = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const anyClaims = fc.record({
  account: identifier,
  customerId: identifier,
  invoiceId: identifier,
  expiresAt: fc.integer({ min: 1, max: 3000 }).map((hours) => now.plus({ hours })),
});
const anyReader = fc.record({ locale: identifier, zone: identifier }, { requiredKeys: [] });

function signed(payload: string, purpose = 'card-update:v1:'): string {
  const mac = createHmac('sha256', SECRET).update(`${purpose}${payload}`).digest('base64url');
  return `v1.${payload}.${mac}`;
}

describe('a link token', () => {
  test('a link token gives back what was put in, and is safe in a URL', () => {
    fc.assert(
      fc.property(anyClaims, fc.option(anyReader), fc.string(), (ids, reader, secret) => {
        const anything = reader ? { ...ids, reader } : ids;
        const made = createLinkToken(anything, secret);
        expect(made).toMatch(/^v1\.[\w-]+\.[\w-]{43}$/);
        expect(readLinkToken(made, secret, now)).toEqual({ kind: 'valid', claims: anything });
      }),
    );
  });

  test('a link token is invalid when any single character is changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), anyCharacter, (at, put) => {
        fc.pre(token[at] !== put);
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        expect(readLinkToken(changed, SECRET, now)).toEqual({ kind: 'invalid' });
      }),
    );
  });

  test('a link token is invalid with every other last character, also where base64 ignores the difference', () => {
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
      if (token.endsWith(last)) continue;
      expect(readLinkToken(token.slice(0, -1) + last, SECRET, now)).toEqual({ kind: 'invalid' });
    }
  });

  test('a link token is invalid when a character is missing or added', () => {
    for (let at = 0; at <= token.length; at++) {
      expect(readLinkToken(`${token.slice(0, at)}A${token.slice(at)}`, SECRET, now).kind).toBe('invalid');
      if (at < token.length)
        expect(readLinkToken(token.slice(0, at) + token.slice(at + 1), SECRET, now).kind).toBe('invalid');
    }
  });

  test('a link token is invalid under another secret', () => {
    expect(readLinkToken(token, `${SECRET}.`, now)).toEqual({ kind: 'invalid' });
  });

  test('a link token is good up to its end and expired at it', () => {
    expect(readLinkToken(token, SECRET, claims.expiresAt.minus(1)).kind).toBe('valid');
    expect(readLinkToken(token, SECRET, claims.expiresAt).kind).toBe('expired');
    expect(readLinkToken(token, SECRET, claims.expiresAt.plus({ years: 5 })).kind).toBe('expired');
  });

  test('a link token that has expired and was changed is invalid', () => {
    const changed = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    expect(readLinkToken(changed, SECRET, claims.expiresAt.plus(1))).toEqual({ kind: 'invalid' });
  });

  test('a link token made for another purpose with the same secret is invalid', () => {
    const payload = token.split('.')[1] ?? '';
    expect(readLinkToken(signed(payload), SECRET, now).kind).toBe('valid');
    expect(readLinkToken(signed(payload, 'confirm-payment:v1:'), SECRET, now)).toEqual({ kind: 'invalid' });
    expect(readLinkToken(signed(payload, ''), SECRET, now)).toEqual({ kind: 'invalid' });
  });

  test.each([
    'not json',
    '{}',
    '["a","b","c"]',
    '["","b","c",1]',
    '["a","b","c",1e300]',
    '["a","b","c",9e15]',
  ])('a link token that is signed but holds %p is invalid', (text) => {
    expect(readLinkToken(signed(Buffer.from(text).toString('base64url')), SECRET, now)).toEqual({
      kind: 'invalid',
    });
  });

  test.each([
    '',
    '.',
    '..',
    '...',
    'v1..',
    'v1.a.',
    `v1.${'a'.repeat(1e6)}.b`,
    '\u0000',
    '\ud800',
    `${token}.`,
  ])('a link token that is garbage is invalid (case %#)', (garbage) => {
    expect(readLinkToken(garbage, SECRET, now)).toEqual({ kind: 'invalid' });
  });

  test('a link token that is any text at all is invalid', () => {
    fc.assert(
      fc.property(fc.array(anyCharacter), (characters) => {
        const text = characters.join('');
        expect(readLinkToken(text, SECRET, now)).toEqual({ kind: 'invalid' });
        expect(readLinkToken(`v1.${text}`, SECRET, now)).toEqual({ kind: 'invalid' });
      }),
    );
  });
});

test.each([
  ['https://shop.example', 'https://shop.example/card-update/v1.a.b'],
  ['https://shop.example/billing/', 'https://shop.example/billing/card-update/v1.a.b'],
  ['http://localhost:8080/x', 'http://localhost:8080/x/card-update/v1.a.b'],
])('the link below %s is %s', (publicUrl, link) => {
  expect(cardUpdateUrl(new URL(publicUrl), 'v1.a.b').href).toBe(link);
});
