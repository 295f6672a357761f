/** What `start` says to whoever runs it. */

import { MAIN, variablesOf } from '../support/database/databases.ts';
import { untilSaid } from '../support/process/command-process.ts';
import { startServerProcess } from '../support/process/server-process.ts';

test("start names the console's address, and the next command", async () => {
  const place = await MAIN.createMigrated();
  const running = await startServerProcess({
    ...variablesOf(place.location),
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    PUBLIC_URL: 'https://shop.example.com/payment-retry',
    CONSOLE_PASSWORD: 'correct horse battery staple',
  });
  try {
    await untilSaid(running, '"ready"');
    expect(running.output()).toMatch(
      /"console":"https:\/\/shop\.example\.com\/payment-retry\/console","next":"npx stripe-payment-retry doctor /,
    );
  } finally {
    await running.kill();
    await place.remove();
  }
});
