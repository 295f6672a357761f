import { extendedInvoice } from '../../../src/contract/contract-extensions.ts';
import { parseBatch } from '../../../src/service/http/parse-ingest.ts';

function read(createdAt: string) {
  const invoice = {
    id: 'in_1',
    state: 'INVOICE_STATE_UNPAID',
    customerId: 'cus_1',
    amount: 900,
    currency: 'EUR',
  };
  const record = { ...invoice, createdAt, updatedAt: '2026-03-02T10:00:00Z' };
  return parseBatch('invoices', extendedInvoice, { invoices: [record] });
}

test.each([
  ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00.125Z', '2026-03-02T10:00:00.125Z'],
  ['2026-03-02T12:00:00+02:00', '2026-03-02T10:00:00.000Z'],
  ['20260302T100000', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('ingest keeps %s as %s', (given, kept) => {
  expect(read(given)).toMatchObject({ ok: true, value: [{ createdAt: kept }] });
});

test.each([
  ['1969-12-31T23:59:59Z', 'must be a date-time between 1970 and 9999'],
  ['1970-01-01T00:00:00+01:00', 'must be a date-time between 1970 and 9999'],
  ['9999-12-31T23:59:59-01:00', 'must be an ISO 8601 date-time'],
  ['2026-02-30T10:00:00Z', 'must be an ISO 8601 date-time'],
])('ingest refuses %s: %s', (given, complaint) => {
  expect(read(given)).toEqual({ ok: false, message: `invoices.0.createdAt: ${complaint} (id in_1)` });
});
