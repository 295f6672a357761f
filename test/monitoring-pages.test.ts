/** Dashboard, alert rules and pages name metrics that exist, with labels that they have, and every alert says what to do. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';
import { renderMetrics, replaceMetrics } from '../scripts/docs/render-metrics.ts';
import { METRICS, type MetricSpec } from '../src/core/telemetry/metric-table.ts';
import { ALERT_TITLES, runbookOf } from '../src/plugin/operator/text/alerts/describe-alert.ts';

const RULES = 'files/prometheus-rules.yaml';
const pathOf = (name: string) => fileURLToPath(new URL(`../docs/how-to/${name}`, import.meta.url));
const read = (name: string) => readFileSync(pathOf(name), 'utf8');

const ruleFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const rules = ruleFile.parse(parse(read(RULES))).groups.flatMap((group) => group.rules);

const dashboard = z
  .object({
    panels: z.array(
      z.object({
        title: z.string(),
        targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(read('files/grafana-dashboard.json')));
const targets = dashboard.panels.flatMap((panel) => panel.targets);

const known = new Map<string, MetricSpec>(Object.entries(METRICS));
/** Of Prometheus itself. */
const FOREIGN: ReadonlySet<string> = new Set(['up', 'job']);
const SUFFIX = /_(bucket|sum|count)$/;

function specOf(name: string): MetricSpec | undefined {
  const base = known.get(name.replace(SUFFIX, ''));
  return known.get(name) ?? (base?.type === 'histogram' ? base : undefined);
}

/** What the parser cannot read; names of metrics, and labels that are matched or grouped by, which none of the metrics has. */
function unknownIn(expr: string): string[] {
  const found = new Map<string, string[]>();
  // Grafana puts a duration in the place of its own.
  const query = expr.replaceAll('$__rate_interval', '5m');
  parser.parse(query).iterate({
    enter: ({ name, type, from, to }) => {
      const kind = type.isError ? 'Error' : name;
      found.set(kind, [...(found.get(kind) ?? []), query.slice(from, to)]);
    },
  });
  const names = found.get('Identifier') ?? [];
  const labels = names.flatMap((name) => [...(specOf(name)?.labels ?? []), 'le']);
  if (found.has('Error')) return [`${expr} cannot be read`];
  if (names.length === 0) return [`no metric in ${expr}`];
  return [
    ...names.filter((name) => specOf(name) === undefined && !FOREIGN.has(name)),
    ...(found.get('LabelName') ?? []).filter((label) => !labels.includes(label) && !FOREIGN.has(label)),
  ];
}

test('rules and dashboard ask for metrics that exist, by labels that they have', () => {
  expect(targets.length).toBeGreaterThan(30);
  const asked = [...rules, ...targets].map(({ expr }) => expr);
  expect(asked.flatMap(unknownIn)).toEqual([]);
  expect(unknownIn('sum by (customer) (rate(payment_retry_attempts_total{outcome="paid"}[5m]))')).toEqual([
    'customer',
  ]);
  expect(unknownIn('payment_retry_atempts_total')).toEqual(['payment_retry_atempts_total']);
  for (const broken of ['sum(up', 'rate(up[5m)', 'up{job=1}', 'up by (job)'])
    expect(unknownIn(broken)).toEqual([`${broken} cannot be read`]);
});

test('what the database counts is not added up over processes, and what each process counts is', () => {
  const wrong = [...rules, ...targets].filter(({ expr }) => {
    const [name = ''] = expr.match(/(?:payment_retry|retry_service)_\w+/) ?? [];
    const from = specOf(name)?.from;
    const inner = /(\w+)(?: by \([^)]*\))? ?\((?:(?:rate|increase)\()?(?:payment_retry|retry_service)_/.exec(
      expr,
    )?.[1];
    return from === 'database'
      ? !['max', 'absent'].includes(inner ?? '')
      : from === 'process' && inner !== 'sum';
  });
  expect(wrong.map(({ expr }) => expr)).toEqual([]);
});

test('the dashboard shows every metric', () => {
  const shown = targets.map(({ expr }) => expr).join('\n');
  expect([...known.keys()].filter((name) => !shown.includes(name))).toEqual([]);
});

test('labels in legends are those of the expression', () => {
  const strange = targets.filter(({ expr, legendFormat }) =>
    [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].some(
      ([, label = '']) => !new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr),
    ),
  );
  expect(strange).toEqual([]);
});

test('the table of metrics is the one of the code', () => {
  const page = read('monitoring.md');
  expect(replaceMetrics(page, renderMetrics())).toBe(page);
});

test('every alert, of the rules and of our own, has a heading that says what to do', () => {
  const sections = new Map(
    read('alerts.md')
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n')[0]?.toLowerCase() ?? '', section]),
  );
  const generic = rules.find(({ alert }) => alert === 'PaymentRetryAttention');
  expect(generic?.annotations.runbook_url).toBe(
    runbookOf('X').replace('#x', '#{{ $labels.concern | toLower }}'),
  );
  const linked = rules.filter((rule) => rule !== generic).map(({ annotations }) => annotations.runbook_url);
  const anchors = [...linked, ...Object.keys(ALERT_TITLES).map(runbookOf)].map(
    (url) => url.split('#')[1] ?? '',
  );
  expect(anchors.filter((anchor) => !sections.has(anchor))).toEqual([]);
  expect([...sections.keys()].filter((heading) => !anchors.includes(heading))).toEqual([]);
  for (const [concern, title] of Object.entries(ALERT_TITLES))
    expect(sections.get(concern.toLowerCase())).toContain(`**${title}.**`);
  const silent = [...sections].filter(([, text]) => !text.includes('- Do: ') && !text.includes('See ['));
  expect(silent.map(([heading]) => heading)).toEqual([]);
});
