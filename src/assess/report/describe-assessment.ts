/** An assessment in a few lines, for the terminal: one currency after the other, a verdict, and what to do next. Pure. */
import type { Assessment, Counted, FailedRow } from '../figures/assessment.ts';
import { count, money, share } from './report-table.tsx';
import { NEEDS } from './report-words.ts';

interface Asked {
  readonly months: number;
  readonly isSimulated: boolean;
}

export function describeAssessment(assessment: Assessment, asked: Asked): string {
  const { total } = assessment;
  if (total.length === 0) return `No renewal failed in ${asked.months} months: there is nothing to recover.`;
  return [
    ...total.map((row) => describeCurrency(row, assessment)),
    total.map(judge).join('\n'),
    asked.isSimulated ? NEXT_WITH_A_KEY : NEXT,
  ].join('\n\n');
}

function describeCurrency(row: FailedRow, { open }: Assessment): string {
  const { currency, failed, recovered, lost, young } = row;
  const sum = ({ amount, invoices }: Counted) => `${money(amount, currency)} (${renewals(invoices)})`;
  const lines: [string, string][] =
    failed.invoices === 0
      ? []
      : [
          ['Failed at first', sum(failed)],
          ['Back', `${sum(recovered)}, ${share(recovered.amount, failed.amount)}`],
          ['Open', sum(row.open)],
          ['Lost', sum(lost)],
        ];
  if (young.invoices > 0) lines.push(['In the last 30 days', `${sum(young)} failed, and may still be paid`]);
  for (const one of open.filter((each) => each.currency === currency))
    lines.push(['Open now', `${sum(one)}; ${NEEDS[one.need]}`]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [currency.toUpperCase(), ...lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join(
    '\n',
  );
}

/** Of failures younger than 30 days nothing can be said yet. */
function judge({ currency, failed, recovered }: FailedRow): string {
  const name = currency.toUpperCase();
  if (failed.invoices === 0)
    return `Verdict for ${name}: no failure is 30 days old yet, so nothing can be said.`;
  const missing = failed.amount - recovered.amount;
  return missing <= 0
    ? `Verdict for ${name}: everything that failed was paid in the end.`
    : `Verdict for ${name}: ${money(missing, currency)} of ${money(failed.amount, currency)} that failed did not come back (${share(missing, failed.amount)}).`;
}

const renewals = (invoices: number): string =>
  `${count(invoices)} ${invoices === 1 ? 'renewal' : 'renewals'}`;

const NEXT = 'Next: npx stripe-payment-retry init   (with RETRY_MODE=observe nothing is charged or mailed)';
const NEXT_WITH_A_KEY = 'Next, on your own account: STRIPE_SECRET_KEY=rk_… npx stripe-payment-retry assess';
