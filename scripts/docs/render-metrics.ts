/** The table of metrics in docs/how-to/monitoring.md. */
import { METRICS, type MetricSpec } from '../../src/core/telemetry/metric-table.ts';

const MARKED = /(<!-- metrics -->\n)[\s\S]*?(<!-- \/metrics -->)/;

export function renderMetrics(metrics: Readonly<Record<string, MetricSpec>> = METRICS): string {
  const rows = Object.entries(metrics).map(([name, { type, labels, from, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type}, by ${from} | ${named} | ${help.replaceAll('|', '\\|')} |`;
  });
  return ['| Metric | | Labels | |', '|---|---|---|---|', ...rows, ''].join('\n');
}

export function replaceMetrics(page: string, table: string): string {
  return page.replace(MARKED, (_, before: string, after: string) => `${before}\n${table}\n${after}`);
}
