/** Two merchants' installations in one PostgreSQL database, each below a prefix of its own. */
import { openDatabase } from '../../src/core/database/open-database.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { onPostgres, type TestLocation } from '../support/database/databases.ts';
import { attemptsOf, chargesOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

onPostgres('two installations in one database', ({ create }) => {
  let place: TestLocation;
  const worlds: World[] = [];
  beforeAll(async () => {
    place = await create();
    const engine = { createMigrated: async () => ({ location: place.location, remove: async () => {} }) };
    for (const databaseSchema of ['shop_a', 'shop_b'])
      worlds.push(await createWorld({ engine, plugin: { databaseSchema } }));
  });
  afterAll(async () => {
    for (const world of worlds) await world.stop();
    await place.remove();
  });

  it('each recovers its own invoices and sees nothing of the other', async () => {
    const failed = await Promise.all(
      worlds.map((world, index) => failingInvoice(world, declinesTimes(1 + index, 'insufficient_funds'))),
    );
    await Promise.all(worlds.map((world) => world.advance({ days: 16 })));
    for (const [index, world] of worlds.entries()) {
      const { invoiceId = '' } = failed[index] ?? {};
      expect(statusOf(world, invoiceId)).toBe('paid');
      expect(chargesOf(world, invoiceId)).toHaveLength(2 + index);
      expect(await attemptsOf(world, invoiceId)).toHaveLength(2 + index);
      const invoices = await world.query<{ id: string }>('select id from payment_retry.invoices');
      expect(invoices.length).toBe(2);
      expect(await world.query('select 1 as one from payment_retry.processes')).toHaveLength(1);
    }
  });

  it('everything is below the two prefixes', async () => {
    const database = await openDatabase(place.location);
    const schemas = await database.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$|public$)' order by 1`,
    );
    await database.close();
    const below = (prefix: string) =>
      ['', '_jobs', '_service', '_service_jobs'].map((end) => `${prefix}${end}`);
    expect(schemas.map(({ name }) => name)).toEqual([...below('shop_a'), ...below('shop_b')]);
  });
});
