/** A platform with the embedded service: whoever connects is served, each as an organization of its own. */

import { recoveryActionsPage } from '../../src/core/contract/contract.ts';
import { createAccounts } from '../../src/plugin/settings/accounts.ts';
import type { ConnectedAccount } from '../../src/workbench/sandbox/connect.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { inFull } from '../support/runner/full-run.ts';
import { failingInvoice, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    // The service does not ask there for anybody.
    plugin: { servicePort: 0, recoveryCallbackToken: undefined, publicUrl: 'http://127.0.0.1:1' },
    arrange: async (sandbox) => ({
      stripeWebhookSecret: `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`,
      connectedAccounts: '{"*": {}}',
    }),
  });
  world.sandbox.addConnectEndpoint(`${world.url}/webhooks/stripe`);
});
afterAll(() => world?.stop());

const as = ({ state, ...account }: ConnectedAccount): World => ({
  ...world,
  sandbox: { ...world.sandbox, ...account, state: { ...world.sandbox.state, ...state } } satisfies Sandbox,
});

async function listedTo(account: string): Promise<string[]> {
  const access = createAccounts(world.plugin.config).find(account);
  const response = await fetch(`${world.plugin.parts.service?.url}/v1/recovery_actions`, {
    headers: { authorization: `Bearer ${access?.service.apiKey}` },
  });
  return recoveryActionsPage.parse(await response.json()).recoveryActions.map(({ invoiceId }) => invoiceId);
}

test('an account that connects later gets its own organization, and its invoice is recovered', async () => {
  const [ann, ben] = [world.sandbox.connectAccount(), world.sandbox.connectAccount()];
  const broke = (last4: string) => declinesTimes(1, 'insufficient_funds', {}, { last4 });
  const failed = await failTogether(
    world,
    { ann: broke('1001'), ben: broke('1002'), own: broke('1003') },
    { placeOf: (name) => (name === 'own' ? world : as(name === 'ann' ? ann : ben)) },
  );
  const { invoiceId: anns } = failed('ann');
  const { invoiceId: bens } = failed('ben');
  const { invoiceId: owns } = failed('own');
  await world.advance({ days: 20 });
  for (const [account, invoiceId] of [
    [ann, anns],
    [ben, bens],
  ] as const) {
    expect(statusOf(as(account), invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId).map((call) => call.account)).toEqual([account.id]);
    expect(new Set(await listedTo(account.id))).toEqual(new Set([invoiceId]));
  }
  expect(new Set(await listedTo('own'))).toEqual(new Set([owns]));
  await world.plugin.parts.requestActionsSync();
  await world.settle();
  const kept = await world.query<{ account: string; id: string }>(
    'select account, invoice_id as id from payment_retry.recovery_cases order by account, id',
  );
  expect(kept.map(({ account, id }) => `${account} ${id}`).sort()).toEqual(
    [`${ann.id} ${anns}`, `${ben.id} ${bens}`, `own ${owns}`].sort(),
  );
  const organizations = await world.query<{ organization: string }>(
    'select distinct organization from retry_service.invoices order by organization',
  );
  expect(organizations.map(({ organization }) => organization).sort()).toEqual(
    ['default', ann.id, ben.id].sort(),
  );
});

inFull(
  'one that was seen before goes on after a restart, and catch-up goes through all accounts',
  async () => {
    const late = world.sandbox.connectAccount();
    await failingInvoice(as(late), declinesTimes(1, 'insufficient_funds'));
    await world.plugin.stop();
    await world.plugin.start();
    late.webhookFaults.drop = 1;
    const { invoiceId } = await failingInvoice(as(late), declinesTimes(1, 'insufficient_funds'));
    await world.plugin.parts.requestCatchUp();
    await world.settle();
    const [row] = await world.query(
      'select status from payment_retry.invoices where account = $1 and id = $2',
      [late.id, invoiceId],
    );
    expect(row).toEqual({ status: 'open' });
    const cursors = await world.query<{ account: string }>(
      "select account from payment_retry.cursors where name = 'events'",
    );
    const known = await world.query<{ account: string }>('select account from payment_retry.accounts');
    const accounts = cursors.map(({ account }) => account).sort();
    expect(accounts).toEqual(['own', ...known.map(({ account }) => account)].sort());
  },
);
