import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import { openBefore } from '../../support/database-before.ts';
import { MAIN } from '../../support/databases.ts';

test('instructions from before the listing was read keep their order of arrival', async () => {
  const { database, close } = await openBefore(MAIN, '0004');
  // The clock was moved back before the second arrived.
  for (const [id, hour] of [
    ['first', 12],
    ['second', 10],
    ['third', 13],
  ])
    await database.query(
      `insert into payment_retry.instructions (account, request_id, source, received_at, type, invoice_id, body, state)
       values ('own', $1, 'callback', $2, 'suggestion', 'in_1', '{}', 'received')`,
      [id, `2026-03-02T${hour}:00:00Z`],
    );
  expect(await migratePlugin(database)).toContain('0004_listing.sql');
  const rows = await database.query<{ id: string; at: Date }>(
    'select request_id as id, issued_at as at from payment_retry.instructions order by issued_at, position',
  );
  expect(rows.map(({ id, at }) => [id, at.getUTCHours()])).toEqual([
    ['first', 12],
    ['second', 12],
    ['third', 13],
  ]);
  await close();
});
