/** Each shape that services of the field are known to send is read, and none is refused. */
import { DateTime } from 'luxon';
import { parseInstruction } from '../../../../src/core/contract/contract.ts';
import { extendedBodies } from '../../../../src/core/contract/contract-extensions.ts';
import { parseListingPage } from '../../../../src/core/contract/listed-record.ts';
import { judgeListedRecord } from '../../../../src/plugin/retry/instructions/judge-listed-record.ts';
import { listFieldShapes } from '../../../support/field-shapes.ts';

const TAKEN_UP = DateTime.fromISO('2026-03-01T00:00:00Z', { zone: 'utc' });

test('there are shapes of every kind, each with the month in which it was read', () => {
  const all = (['callback', 'listing', 'ingest'] as const).map(listFieldShapes);
  expect(all.map(({ length }) => length)).toEqual([10, 3, 3]);
  for (const { read } of all.flat()) expect(read).toMatch(/^20\d\d-\d\d$/);
});

test.each(listFieldShapes('callback'))('$name is an instruction', ({ path, body, reads }) => {
  expect(parseInstruction(body, { isTakeover: path !== undefined })).toMatchObject({
    ok: true,
    value: reads,
  });
});

test.each(listFieldShapes('listing'))('$name is a page of records', ({ body, reads, fate }) => {
  const page = parseListingPage(body);
  expect(page).toMatchObject({ ok: true, value: reads });
  const fates = page.ok ? page.value.records.map((one) => judgeListedRecord(one, TAKEN_UP).fate) : [];
  expect(fates).toEqual([fate]);
});

test.each(listFieldShapes('ingest'))('$name is taken as it is', ({ body, reads }) => {
  const schemas = Object.values(extendedBodies).filter((schema) => schema.safeParse(body).success);
  expect(schemas).toHaveLength(1);
  expect(schemas[0]?.parse(body)).toMatchObject(reads);
});
