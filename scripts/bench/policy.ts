/** CPU time of one decision of the timing policy, for a customer with a long history. */
import { DateTime } from 'luxon';
import { createPolicy } from '../../src/service/policy/create-policy.ts';
import type { PaymentCase } from '../../src/service/policy/payment-case.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const TIMES = 2000;
const FIRST = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

function buildCase(index: number, zone: string): PaymentCase {
  return {
    id: `in_${index}`,
    amount: 2000,
    currency: 'EUR',
    zone,
    brand: 'visa',
    attempts: [0, 3].map((day) => ({
      at: FIRST.plus({ days: day, minutes: index }),
      code: 'insufficient_funds',
      methodType: 'card',
      fingerprint: 'card_1',
    })),
    instructions: [],
    past: Array.from({ length: 40 }, (_, one) => ({
      at: FIRST.minus({ days: 200 - 5 * one, minutes: index }),
      isPaid: one % 5 === 0,
      code: 'insufficient_funds',
      methodType: 'card',
      fingerprint: 'card_1',
    })),
  };
}

function measure(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / TIMES;
}

const policy = createPolicy();
const now = FIRST.plus({ days: 4 });
console.log('| | CPU ms (median) | worst round |\n|---|---|---|');
for (const zone of ['UTC', 'America/New_York', 'Africa/Casablanca']) {
  const cases = Array.from({ length: TIMES }, (_, index) => buildCase(index, zone));
  const decisions: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    decisions.push(
      measure(() => {
        for (const one of cases) policy.decide(one, now);
      }),
    );
  }
  report(`a decision, ${zone}`, decisions);
}
function report(name: string, values: number[]): void {
  const sorted = values.sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(`| ${name} | ${median.toFixed(3)} | ${(sorted.at(-1) ?? 0).toFixed(3)} |`);
}
