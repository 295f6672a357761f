/** A test email over the API: it reaches the given address alone, marked, and leaves a line in the history. */
import { createWorld, type World } from '../../../support/world.ts';

const TOKEN = 'an-operator-token-for-tests';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { operatorToken: TOKEN } });
});
afterAll(() => world?.stop());

async function send(parameters: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${world.url}/api/v1/operations/sendTestEmail`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ by: 'grace', parameters }),
  });
  return { status: answer.status, body: await answer.json() };
}

test('a test email goes to the given address, in the wanted language', async () => {
  const to = 'grace@merchant.example';
  expect(await send({ to, template: 'failure_notice', language: 'de' })).toMatchObject({
    status: 200,
    body: { code: 'test_email_sent', to, template: 'failure_notice' },
  });
  expect(world.email.emails).toHaveLength(1);
  expect(JSON.stringify(world.email.emails[0])).toContain(to);
  expect(world.email.emails[0]?.subject).toMatch(/^\[Test\] .*Zahlung/);
  const lines = await world.query<{ detail: object }>(
    "select detail from payment_retry.audit where kind = 'operator.tested_email'",
  );
  expect(lines).toMatchObject([{ detail: { recipient: to, by: 'grace' } }]);
});

test('an address that is none is refused, and nothing is sent', async () => {
  const before = world.email.emails.length;
  expect((await send({ to: 'grace' })).status).toBe(400);
  expect(world.email.emails).toHaveLength(before);
});
