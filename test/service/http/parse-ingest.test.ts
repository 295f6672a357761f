import { DateTime } from 'luxon';
import { extendedInvoice } from '../../../src/core/contract/contract-extensions.ts';
import { parseBatch } from '../../../src/service/http/ingest.ts';

const NOW = DateTime.fromISO('2026-03-02T12:00:00Z', { zone: 'utc' });

function read(createdAt: string, updatedAt = '2026-03-02T10:00:00Z') {
  const invoice = {
    id: 'in_1',
    state: 'INVOICE_STATE_UNPAID',
    customerId: 'cus_1',
    amount: 900,
    currency: 'EUR',
  };
  const record = { ...invoice, createdAt, updatedAt };
  return parseBatch({ name: 'invoices', schema: extendedInvoice, now: NOW }, { invoices: [record] });
}

test.each([
  ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00.125Z', '2026-03-02T10:00:00.125Z'],
  ['2026-03-02T12:00:00+02:00', '2026-03-02T10:00:00.000Z'],
  ['20260302T100000', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['2036-03-02T11:59:59.999Z', '2036-03-02T11:59:59.999Z'],
  ['2026-03-02T10:00:00.1234560Z', '2026-03-02T10:00:00.123456Z'],
  ['2026-03-02T12:00:00,999999999+02:00', '2026-03-02T10:00:00.999999999Z'],
])('ingest keeps %s as %s', (given, kept) => {
  expect(read(given)).toMatchObject({ ok: true, value: [{ createdAt: kept }] });
});

test('ingest reads null as an absent field, and a currency in lower case', () => {
  const at = '2026-03-02T10:00:00Z';
  const given = { id: 'in_1', state: 'INVOICE_STATE_UNPAID', customerId: 'cus_1', amount: 900 };
  const record = { ...given, currency: 'eur', subscriptionId: null, createdAt: at, updatedAt: at };
  const form = { name: 'invoices', schema: extendedInvoice, now: NOW };
  const read = parseBatch(form, { invoices: [record] });
  expect(read).toMatchObject({ ok: true, value: [{ id: 'in_1', currency: 'EUR' }] });
  expect(read.ok && 'subscriptionId' in (read.value[0] ?? {})).toBe(false);
  expect(parseBatch(form, { invoices: [{ ...record, customerId: null }] })).toMatchObject({ value: [] });
});

const LIMITS = 'must be a date-time from 1970 on, and at most ten years ahead';

test.each([
  ['1969-12-31T23:59:59Z', LIMITS],
  ['1970-01-01T00:00:00+01:00', LIMITS],
  ['2036-03-02T12:00:00.001Z', LIMITS],
  ['9999-12-31T23:59:59.999Z', LIMITS],
  ['9999-12-31T23:59:59-01:00', 'must be an ISO 8601 date-time'],
  ['2026-02-30T10:00:00Z', 'must be an ISO 8601 date-time'],
])('ingest refuses %s: %s', (given, complaint) => {
  expect(read(given)).toMatchObject({
    value: [],
    problem: `invoices.0.createdAt: ${complaint} (id in_1)`,
  });
});

test('ingest refuses an updatedAt after which nothing would be newer', () => {
  expect(read('2026-03-02T10:00:00Z', '9999-12-31T23:59:59Z')).toMatchObject({
    value: [],
    problem: `invoices.0.updatedAt: ${LIMITS} (id in_1)`,
  });
});
