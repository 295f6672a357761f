/** Each sentence of the contract has a check in both directions, or says why not; each check says of which sentence it is. */
import { callbackChecks, type Receiver } from '../../../src/workbench/check-service/callback-checks.ts';
import { CHECKS } from '../../../src/workbench/check-service/checks.ts';
import { SENTENCES, type SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';
import { clientChecks } from './check-plugin-command.ts';

const receiver: Receiver = { deliveries: [], waitFor: async () => false, stayQuiet: async () => {} };
const DIRECTIONS = {
  service: [...CHECKS, ...callbackChecks(receiver, '')],
  plugin: clientChecks({ url: '', token: '' }),
} as const;
const ids = Object.keys(SENTENCES) as SentenceId[];

const rows = (['service', 'plugin'] as const).flatMap((direction) =>
  ids.map((id) => ({ direction, id, because: SENTENCES[id][direction] })),
);

test.each(rows)('check-$direction has a check of $id, or a reason for none', ({ direction, id, because }) => {
  const titles = DIRECTIONS[direction].filter(({ of }) => of === id).map(({ title }) => title);
  expect(titles.length > 0).toBe(because === undefined);
});

test.each(['service', 'plugin'] as const)('each check of check-%s has a name of its own', (direction) => {
  const names = DIRECTIONS[direction].map(({ about, title }) => `${about}: ${title}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
