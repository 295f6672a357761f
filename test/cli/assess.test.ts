/** `assess` on the simulated account: its report, and a run that was interrupted. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAssess } from '../../src/cli/assess-command.ts';

const out = mkdtempSync(join(tmpdir(), 'assess-command-'));
afterAll(() => rmSync(out, { recursive: true }));

let text = '';
const output = {
  write: (more: string) => {
    text += more;
  },
};
const never = new Promise<void>(() => {});
const OPTIONS = { sandbox: true, out, months: 2 };

test('an interrupted assessment goes on where it stopped, and writes a report that needs nothing else', async () => {
  expect(await runAssess(OPTIONS, { output, interrupted: Promise.resolve() })).toBe(1);
  expect(text).toMatch(/Run it again to go on there/);
  expect(existsSync(join(out, 'history.part.jsonl'))).toBe(true);

  expect(await runAssess(OPTIONS, { output, interrupted: never })).toBe(0);
  expect(text).toMatch(
    /\nUSD\n {2}Failed at first {6}\$[\d,.]+ \(\d+ renewals?\)\n {2}Recovered {12}\$[\d,.]+ /,
  );
  expect(text).toMatch(/\nVerdict for USD: .*\n/);
  expect(text.trimEnd()).toMatch(/\n\nNext, on your own account: \S+ npx stripe-payment-retry assess$/);
  expect(existsSync(join(out, 'history.part.jsonl'))).toBe(false);
  const page = readFileSync(join(out, 'report.html'), 'utf8');
  expect(page).toMatch(/The customers are simulated/);
  expect(page).not.toMatch(/insufficient_funds|do_not_honor|>visa</);
  expect(page).toMatch(/Visa/);
  expect(page).not.toMatch(/<script|<link|<img|src=|https?:/);
  const { assessment, isSimulated } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  expect(isSimulated).toBe(true);
  expect(assessment.total.length).toBeGreaterThan(0);
});

test('months that make no sense are refused', async () => {
  await expect(runAssess({ months: '0' }, { output, interrupted: never })).rejects.toThrow(/--months/);
});
