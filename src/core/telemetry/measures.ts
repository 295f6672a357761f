/** What this process measures, and the registry that it is asked for with. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type DatabaseMetric,
  type LabelsOf,
  METRICS,
  type MetricName,
  type MetricSpec,
  type ProcessCounter,
  type ProcessHistogram,
} from './metric-table.ts';

/** Labels without a value are left out. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Measures {
  count<Name extends ProcessCounter>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  observe<Name extends ProcessHistogram>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
  /** Runs the work and observes how long it took. `labels` is asked when it has ended, however it did. */
  timed<Name extends ProcessHistogram, Result>(
    name: Name,
    work: () => Promise<Result>,
    labels: (result: PromiseSettledResult<Result>) => LabelsOf<Name>,
  ): Promise<Result>;
  /** Replaces the known samples. */
  keep(name: DatabaseMetric, samples: readonly Sample[]): void;
  /** Prometheus's text with its media type. */
  expose(): Promise<{ readonly type: string; readonly text: string }>;
}

/** Creates all metrics, or the named ones. */
export function createMeasures(names: readonly string[] = Object.keys(METRICS)): Measures {
  const registry = new Registry();
  const metrics = new Map<string, Metric>();
  for (const [name, spec] of Object.entries(METRICS))
    if (names.includes(name)) metrics.set(name, createMetric(name, spec, registry));

  function metricOf<Kind extends Metric>(name: MetricName, kind: new (...given: never[]) => Kind): Kind {
    const metric = metrics.get(name);
    if (!(metric instanceof kind)) throw new Error(`${name} is no ${kind.name}.`);
    return metric;
  }
  const observe: Measures['observe'] = (name, labels, seconds) =>
    metricOf(name, Histogram).observe(labels, seconds);

  return {
    count: (name, labels, by = 1) => metricOf(name, Counter).inc(labels, by),
    observe,
    timed: async (name, work, labels) => {
      const begin = performance.now();
      const [result] = await Promise.allSettled([work()]);
      observe(name, labels(result), (performance.now() - begin) / 1000);
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    },
    keep: (name, samples) => {
      const metric = metrics.get(name);
      if (metric instanceof Histogram) throw new Error(`${name} is a histogram.`);
      metric?.reset();
      for (const { labels, value } of samples) metric?.inc(labels, value);
    },
    expose: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}

type Metric = Counter | Gauge | Histogram;

function createMetric(
  name: string,
  { type, help, labels: labelNames, buckets = [] }: MetricSpec,
  registry: Registry,
): Metric {
  const settings = { name, help, labelNames: [...labelNames], registers: [registry] };
  if (type === 'counter') return new Counter(settings);
  if (type === 'gauge') return new Gauge(settings);
  return new Histogram({ ...settings, buckets: [...buckets] });
}
