import { DateTime } from 'luxon';
import { createHandover } from '../../../../src/plugin/sync/receive/handover.ts';
import { eventually } from '../../../support/eventually.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const give = (handover: ReturnType<typeof createHandover>, id: string, more = {}) =>
  handover.give(
    { account: 'own', id, type: 'ping', createdAt: START, receivedAt: START, payload: '{}', ...more },
    { id },
  );

test('an event is handed over once', () => {
  const handover = createHandover();
  give(handover, 'evt_1');
  expect(handover.take({ account: 'acct_other', id: 'evt_1' })).toBeUndefined();
  expect(handover.take({ account: 'own', id: 'evt_1' })).toEqual({ id: 'evt_1' });
  expect(handover.take({ account: 'own', id: 'evt_1' })).toBeUndefined();
});

test('of two bodies of one event the first is kept, as in the table', () => {
  const handover = createHandover();
  give(handover, 'evt_1');
  handover.give(
    { account: 'own', id: 'evt_1', type: 'ping', createdAt: START, receivedAt: START, payload: '{} ' },
    { second: true },
  );
  expect(handover.take({ account: 'own', id: 'evt_1' })).toEqual({ id: 'evt_1' });
});

test('takes no more than 500 events, until room is made', () => {
  const handover = createHandover();
  for (let count = 0; count <= 500; count += 1) give(handover, `evt_${count}`);
  expect(handover.take({ account: 'own', id: 'evt_500' })).toBeUndefined();
  expect(handover.take({ account: 'own', id: 'evt_0' })).toEqual({ id: 'evt_0' });
  give(handover, 'evt_next');
  expect(handover.take({ account: 'own', id: 'evt_next' })).toEqual({ id: 'evt_next' });
});

test('leaves a body of more than 16 KiB to its row', () => {
  const handover = createHandover();
  give(handover, 'evt_large', { payload: 'x'.repeat(16 * 1024 + 1) });
  expect(handover.take({ account: 'own', id: 'evt_large' })).toBeUndefined();
});

test('lets go of what nobody took, though no other event comes', async () => {
  const handover = createHandover(1);
  for (let count = 0; count < 500; count += 1) give(handover, `evt_${count}`);
  let looks = 0;
  await eventually(() => {
    looks += 1;
    expect(handover.take({ account: 'own', id: `evt_${looks}` })).toBeUndefined();
  });
});
