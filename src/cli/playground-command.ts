import { UsageError } from '../kit/errors.ts';
import { createPlayground, runPlayground } from '../sandbox/playground/playground.ts';
import { BAD_PORT, findPortFree, portOption } from './process/loopback-port.ts';
import { reportFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

/** Runs until it is stopped; keeps nothing. */
export async function runPlaygroundCommand(options: unknown): Promise<undefined> {
  const parsed = portOption.safeParse(options);
  if (!parsed.success) throw new UsageError([BAD_PORT]);
  const { port } = parsed.data;
  await findPortFree(port);
  process.stdout.write('Opening the shop…\n');
  const opening = createPlayground({ port });
  let end = () => {};
  // From the beginning, so that nothing of it stays.
  stopOnSignal(async () => {
    end();
    await (await opening).stop();
    process.stdout.write('The shop is closed. Nothing was kept.\n');
  });
  const playground = await opening;
  end = runPlayground(playground, (error) => process.exit(reportFailure(error)));
  process.stdout.write(`
A simulated shop with the plugin beside it, to play with in a browser:

  ${playground.url}

No account, no money: Stripe, the customers and their mail box are in this process. Ctrl+C ends it.
The same by command, in another terminal: npx stripe-payment-retry sandbox next
`);
}
