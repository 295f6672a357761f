/** Every alert fires when what it is about happens, and ends with it: two real processes, read by a real Prometheus. */

import { readFileSync } from 'node:fs';
import { type OwnPostgres, startOwnPostgres } from '../../support/database/postgres-server.ts';
import { eventually } from '../../support/eventually.ts';
import { findPrometheus, RULES_FILE, withoutPrometheus } from '../../support/process/prometheus.ts';
import { firstOf } from '../../support/runner/full-run.ts';
import type { AlertCause } from './alert-cause.ts';
import { CONCERN_CAUSES } from './concern-causes.ts';
import { createMonitoredSite, type MonitoredSite } from './monitored-site.ts';
import { RULE_CAUSES } from './rule-causes.ts';

const CAUSES = [...RULE_CAUSES, ...CONCERN_CAUSES];

/** These processes work on PostgreSQL; `alert-rules.test.ts` plays this rule. */
const OF_EMBEDDED = 'PaymentRetryDatabaseLogLong';

test('each alert of the rules has a cause', () => {
  const rules = readFileSync(RULES_FILE, 'utf8').match(/(?<=- alert: )\w+/g);
  const alerts = rules?.filter((alert) => alert !== OF_EMBEDDED);
  expect([...new Set(CAUSES.map(({ alert }) => alert))].sort()).toEqual([...(alerts ?? [])].sort());
});

const program = findPrometheus('prometheus');
const postgres = program && (await startOwnPostgres());
if (!program) it.skip(withoutPrometheus('alerts that fire and end', 'prometheus'), () => {});
else if (postgres) describe('alerts by Prometheus', () => tellAlerts(program, postgres));
else it.skip('alerts that fire and end: this machine has no PostgreSQL that a test could stop', () => {});

function tellAlerts(program: string, postgres: OwnPostgres): void {
  let site: MonitoredSite;
  beforeAll(async () => {
    site = await createMonitoredSite(program, postgres);
  });
  afterAll(() => site?.stop());

  // One in the short run.
  it.each(firstOf(1, CAUSES))('$alert $labels fires when $when, and ends', (cause) =>
    expectFired(site, cause),
  );
}

async function expectFired(site: MonitoredSite, cause: AlertCause): Promise<void> {
  const labels = expect.objectContaining({ alertname: cause.alert, ...cause.labels });
  const fires = expect.objectContaining({ labels, state: 'firing' });
  // Nor is it about to.
  const exists = expect.objectContaining({ labels });
  const expectQuiet = async () => expect(await site.prometheus.listAlerts()).not.toContainEqual(exists);
  await cause.prepare?.(site);
  // On a busy machine an earlier cause may end later than its own story has waited.
  await eventually(() => expectQuiet().catch(() => site.pass({ minutes: 5 }).then(expectQuiet)));
  const end = await cause.begin(site);
  try {
    await eventually(async () => {
      await cause.goOn?.(site);
      expect(await site.prometheus.listAlerts()).toContainEqual(fires);
    });
  } finally {
    await end();
  }
  await eventually(expectQuiet);
}
