import { CAST } from '../../../src/sandbox/demo/cast.ts';
import type { DemoWorld } from '../../../src/sandbox/demo/demo-world.ts';
import { runDemo } from '../../../src/sandbox/demo/run-demo.ts';
import { newMigratedDirectory } from '../../support/data-directory.ts';
import { IS_FULL_RUN } from '../../support/full-run.ts';

const NAMES = ['Ben Carter', 'Kate Moore', 'Arjun Mehta', 'Bella Novak', 'Victor Lopez', 'Carl Berg'];
const SMALL_CAST = CAST.filter(({ name }) => NAMES.includes(name));
const RETOLD = IS_FULL_RUN ? SMALL_CAST : SMALL_CAST.slice(0, 2);

interface Played {
  code: number;
  story: string;
  ending: string;
}

async function play(cast: typeof CAST, beforeBalance?: (world: DemoWorld) => Promise<void>): Promise<Played> {
  let output = '';
  const code = await runDemo({
    cast,
    // To make a new one takes it a third of the play; `npm run demo` does.
    ...(IS_FULL_RUN ? {} : { directory: newMigratedDirectory() }),
    write: (text) => {
      output += text;
    },
    ...(beforeBalance ? { beforeBalance } : {}),
  });
  const [story = '', ending = ''] = output.split('\noutcome ');
  return { code, story, ending };
}

async function falsify({ sandbox, plugin }: DemoWorld): Promise<void> {
  const charge = [...sandbox.state.charges.newestFirst()].find(({ status }) => status === 'succeeded');
  if (charge) sandbox.state.charges.add({ ...charge, id: 'ch_once_more' });
  await plugin.parts.database.query(
    `delete from payment_retry.invoices where id = (select min(id) from payment_retry.invoices)`,
  );
}

describe('the demo', () => {
  let honest: Played;
  let falsified: Played;
  beforeAll(async () => {
    process.env.DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    try {
      honest = await play(SMALL_CAST);
      falsified = await play(RETOLD, falsify);
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
    expect(honest.ending).toMatch(
      /\nretries after 1, 3, 5, and 7 days alone, simulated with the same customers: \$[\d,.]+ of \$[\d,.]+ recovered, \d+ % \(\d+ invoices\)\nNobody is asked/,
    );
    expect(honest.code).toBe(0);
  });

  it('the demo tells of each step', () => {
    expect(honest.story).toMatch(/Ben Carter +retry 1 of \$29\.00: no clear answer/);
    expect(honest.story).toMatch(/Kate Moore +retry 1 of \$29\.00 with the new card: paid/);
    expect(honest.story).toMatch(/Arjun Mehta +opens the link of the mail and confirms the payment/);
    expect(honest.story).toMatch(/Bella Novak +debit of \$113\.00 came back: insufficient funds/);
    expect(honest.story).toMatch(/Carl Berg +no mail: the customer has no e-mail address/);
  });

  if (IS_FULL_RUN)
    it('the demo tells the same story again', () => {
      expect(falsified.story).toBe(honest.story);
    });

  it('the demo fails when an invoice was charged twice or lost', () => {
    expect(falsified.ending).toMatch(/FAILED {2}no invoice charged twice.*\n.*paid with 2 succeeded charges/);
    expect(falsified.ending).toMatch(/FAILED {2}the plugin shows every invoice.*\n.*does not know it/);
    expect(falsified.code).toBe(1);
  });
});
