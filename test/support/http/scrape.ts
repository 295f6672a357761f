/** What a process tells monitoring, read as Prometheus reads it. */
export const METRICS_TOKEN = 'metrics-token-for-tests-0123456789-abcdefgh';

export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  readonly samples: readonly ScrapedSample[];
  /** By the name of each metric. */
  readonly types: ReadonlyMap<string, string>;
  /** As `label=value,label=value: figure`, sorted. */
  of(name: string): string[];
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}: ${await response.text()}`);
  const lines = (await response.text()).split('\n');
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#')).map(readSample);
  const types = lines.flatMap((line) => /^# TYPE (\S+) (\S+)$/.exec(line)?.slice(1) ?? []);
  return {
    samples,
    types: new Map(types.flatMap((name, index) => (index % 2 ? [] : [[name, types[index + 1] ?? '']]))),
    of: (name) =>
      samples
        .filter((sample) => sample.name === name)
        .map(({ labels, value }) => `${Object.entries(labels).map((pair) => pair.join('='))}: ${value}`)
        .sort(),
  };
}

function readSample(line: string): ScrapedSample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
