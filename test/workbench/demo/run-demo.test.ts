import { CAST } from '../../../src/workbench/customers/cast.ts';
import type { CustomerWorld } from '../../../src/workbench/customers/customer-world.ts';
import { readLedger } from '../../../src/workbench/customers/ledger.ts';
import { checkBalance } from '../../../src/workbench/demo/checks/balance.ts';
import type { Check } from '../../../src/workbench/demo/checks/check.ts';
import { type DemoOptions, runDemo } from '../../../src/workbench/demo/run-demo.ts';
import { newMigratedDirectory } from '../../support/database/data-directory.ts';
import { IS_FULL_RUN } from '../../support/runner/full-run.ts';

const NAMES = ['Ben Carter', 'Kate Moore', 'Arjun Mehta', 'Bella Novak', 'Victor Lopez', 'Carl Berg'];
const SMALL_CAST = CAST.filter(({ name }) => NAMES.includes(name));

interface Played {
  code: number;
  story: string;
  ending: string;
}

async function play(hooks: Pick<DemoOptions, 'beforeBalance' | 'afterwards'>): Promise<Played> {
  let output = '';
  const code = await runDemo({
    cast: SMALL_CAST,
    // To make a new one takes it a third of the play; `npm run demo` does.
    ...(IS_FULL_RUN ? {} : { directory: newMigratedDirectory() }),
    write: (text) => {
      output += text;
    },
    ...hooks,
  });
  const [story = '', ending = ''] = output.split('\noutcome ');
  return { code, story, ending };
}

async function falsify({ sandbox, plugin }: CustomerWorld): Promise<void> {
  const charge = [...sandbox.state.charges.newestFirst()].find(({ status }) => status === 'succeeded');
  if (charge) sandbox.state.charges.add({ ...charge, id: 'ch_once_more' });
  await plugin.parts.database.query(
    `delete from payment_retry.invoices where id = (select min(id) from payment_retry.invoices)`,
  );
}

describe('the demo', () => {
  let honest: Played;
  let falsified: readonly Check[];
  beforeAll(async () => {
    process.env.DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    try {
      honest = await play({
        afterwards: async (world) => {
          await falsify(world);
          falsified = await checkBalance(world, await readLedger(world));
        },
      });
    } finally {
      delete process.env.DATABASE_URL;
    }
  });

  it('the demo ends with balanced books, whatever the environment says', () => {
    expect(honest.ending).not.toContain('FAILED');
    expect(honest.ending).toContain('\n4 of 7 failed invoices recovered');
    expect(honest.ending).toMatch(
      /\nin US dollars: \$[\d,.]+ of \$[\d,.]+ recovered, \d+ % \(7 invoices\)\n/,
    );
    expect(honest.ending).toMatch(/\nof what failed: (\d+ % by [a-z ]+(, )?)+\nWhat the times are worth/);
    expect(honest.code).toBe(0);
  });

  it('the demo prints each step', () => {
    expect(honest.story).toMatch(/Ben Carter +retry 1 of \$29\.00: no clear answer/);
    expect(honest.story).toMatch(/Kate Moore +retry 1 of \$29\.00 with the new card: paid/);
    expect(honest.story).toMatch(/Arjun Mehta +opens the link of the email and confirms the payment/);
    expect(honest.story).toMatch(/Bella Novak +debit of \$113\.00 came back: insufficient funds/);
    expect(honest.story).toMatch(/Carl Berg +no email: the customer has no email address/);
  });

  it('the balance of the demo shows an invoice that was charged twice, and one that was lost', () => {
    const problems = falsified.map(({ name, problems }) => [name, ...problems].join('\n')).join('\n');
    expect(problems).toMatch(/no invoice charged twice.*\n.*paid with 2 succeeded charges/);
    expect(problems).toMatch(/the plugin shows every invoice.*\n.*does not know it/);
  });

  if (IS_FULL_RUN)
    it('the demo plays the same a second time, and fails when the books do not balance', async () => {
      const again = await play({ beforeBalance: falsify });
      expect(again.story).toBe(honest.story);
      expect(again.ending).toMatch(/FAILED {2}no invoice charged twice.*\n.*paid with 2 succeeded charges/);
      expect(again.ending).toMatch(/FAILED {2}the plugin shows every invoice.*\n.*does not know it/);
      expect(again.code).toBe(1);
    });
});
