/** What is planned for the next seven days. */
import { DateTime } from 'luxon';
import { formatMoney } from '../../../email/format-money.ts';
import type { Reader } from '../page-reader.ts';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { inRow } from '../parts/exchange.ts';
import { countInvoices, type MoneyFacts, totalOf } from './money-facts.ts';

export function DueSoon({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  const due = inRow(facts.row, facts.due);
  const days = [...new Set(due.map(({ day }) => day))].sort();
  return (
    <section class="card">
      <div class="head">
        <h2>Due in the next seven days</h2>
        <a href={`${reader.root}invoices?sort=next`}>All by their time</a>
      </div>
      {days.length === 0 ? (
        <p class="soft">Nothing is planned.</p>
      ) : (
        <table>
          <ColumnHeads columns={['Day', ...numbers('Payments', 'Their sum', 'Mails and others')]} />
          <tbody>
            {days.map((day) => {
              const own = due.filter((sum) => sum.day === day);
              const payments = own.filter(({ kind }) => kind === 'pay');
              const amount = totalOf(facts, facts.row, payments);
              const others = countInvoices(own) - countInvoices(payments);
              return (
                <tr>
                  <th scope="row">{nameDay(day, reader)}</th>
                  <td class="number">{countInvoices(payments).toLocaleString(reader.locale)}</td>
                  <td class="number">{formatMoney(amount, facts.row.currency, reader.locale)}</td>
                  <td class="number">{others.toLocaleString(reader.locale)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

function nameDay(day: string, { now, zone }: Reader): string {
  const at = DateTime.fromISO(day, { zone }).setLocale('en');
  const distance = Math.round(at.diff(now.setZone(zone).startOf('day'), 'days').days);
  if (distance < 0) return `${at.toFormat('ccc d LLL')}, overdue`;
  if (distance === 0) return 'Today';
  return distance === 1 ? 'Tomorrow' : at.toFormat('ccc d LLL');
}
