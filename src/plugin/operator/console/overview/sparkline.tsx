/** The month's failed and recovered money, day by day. */
import { formatMoney } from '../../../mails/format-money.ts';
import { inRow } from '../../figures/exchange.ts';
import type { MoneyFacts } from '../../figures/money-facts.ts';
import { useReader } from '../page-reader.ts';

export function Sparkline({ span, row, month, zone, sums: all }: MoneyFacts) {
  const { now, locale } = useReader();
  const today = now.setZone(zone).startOf('day');
  const last = today < span.to ? today : span.to.minus({ days: 1 });
  const days = Math.round(last.diff(span.from, 'days').days) + 1;
  const own = inRow(row, all).filter((sum) => sum.month === month);
  const add = (dimension: 'failed' | 'paid') => {
    const sums = own.filter((sum) => sum.dimension === dimension);
    return Array.from({ length: days }, (_, day) => {
      const until = span.from.plus({ days: day }).toISODate() ?? '';
      return sums.filter(({ value }) => (value ?? '') <= until).reduce((sum, { amount }) => sum + amount, 0);
    });
  };
  const [failed, paid] = [add('failed'), add('paid')];
  const most = Math.max(1, ...failed, ...paid);
  const points = (values: readonly number[]) =>
    values.map((value, day) => `${day},${(100 - (96 * value) / most).toFixed(1)}`).join(' ');
  const show = (amount = 0) => formatMoney(amount, row.currency, locale);
  const name = (at: typeof last) => at.setLocale('en').toFormat('d LLL');
  const width = Math.max(1, days - 1);
  return (
    <figure class="spark">
      <figcaption aria-hidden="true">
        <svg width="14" height="8" aria-hidden="true">
          <line class="paid" x1="0" x2="14" y1="4" y2="4" />
        </svg>{' '}
        Recovered{' '}
        <svg width="14" height="8" aria-hidden="true">
          <line class="failed" x1="0" x2="14" y1="4" y2="4" />
        </svg>{' '}
        Failed
      </figcaption>
      <svg
        role="img"
        aria-label={`By ${name(last)}: ${show(failed.at(-1))} failed, ${show(paid.at(-1))} recovered within the month, from ${name(span.from)}`}
        width="100%"
        height="76"
        viewBox={`0 0 ${width} 100`}
        preserveAspectRatio="none"
      >
        <polygon class="area" points={`0,100 ${points(paid)} ${width},100`} />
        <polyline class="failed" points={points(failed)} />
        <polyline class="paid" points={points(paid)} />
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{name(span.from)}</span>
        <span>{name(last)}</span>
      </p>
    </figure>
  );
}
