/** Prometheus itself, of Debian's package `prometheus`, as a process that a test starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../database/postgres-server.ts';
import { eventually } from '../eventually.ts';
import { METRICS_TOKEN } from '../http/scrape.ts';

type Program = 'prometheus' | 'promtool';

/** Where PROMETHEUS or PROMTOOL says, or on the path. Undefined if this machine has none. */
export function findPrometheus(program: Program): string | undefined {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const given = process.env[program.toUpperCase()];
  return [...(given ? [given] : []), ...folders.map((folder) => join(folder, program))].find(existsSync);
}

/** The name of a test or suite that is skipped for want of the program. */
export const withoutPrometheus = (title: string, program: Program): string =>
  `${title}: this machine has no ${program} (apt-get install prometheus, or ${program.toUpperCase()})`;

export const RULES_FILE = fileURLToPath(
  new URL('../../../docs/how-to/files/prometheus-rules.yaml', import.meta.url),
);

/** An hour of Prometheus is 36 seconds of the test. */
export const SHORTER = 100;
const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const isUnit = (text: string): text is keyof typeof UNITS_MS => text in UNITS_MS;

/**
 * The durations of rules and expressions, each a hundredth of what it is: what follows `for:`, and ranges in brackets. Thresholds stay as they are: they
 * are about the plugin's time, which tests move. Its own times are what promtool tests.
 */
export function shorten(text: string): string {
  return text.replaceAll(/(for: |\[)(\d+)([smhd])\b/g, (_, before: string, amount: string, unit: string) =>
    isUnit(unit) ? `${before}${(Number(amount) * UNITS_MS[unit]) / SHORTER}ms` : '',
  );
}

const SCRAPE_MS = 500;
const EVALUATE_MS = 250;

export interface PrometheusProcess {
  /** Alerts that fire or are about to. */
  listAlerts(): Promise<FoundAlert[]>;
  /** The series of an expression now. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>;
  stop(): Promise<void>;
}

const foundAlert = z.object({
  labels: z.record(z.string(), z.string()),
  state: z.enum(['pending', 'firing']),
});
export type FoundAlert = z.output<typeof foundAlert>;
const alertsAnswer = z.object({ data: z.object({ alerts: z.array(foundAlert) }) });
const queryAnswer = z.object({
  data: z.object({
    resultType: z.literal('vector'),
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
    ),
  }),
});

/** Reads these addresses, by job, with our rules in the short form. Ready when it resolves. */
export async function startPrometheus(
  program: string,
  jobs: Readonly<Record<string, readonly string[]>>,
): Promise<PrometheusProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-prometheus-'));
  writeFileSync(join(folder, 'rules.yaml'), shorten(readFileSync(RULES_FILE, 'utf8')));
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(settingsFor(jobs)));
  const port = await freePort();
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close');
  // A test run that is cut short leaves no process behind.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`Prometheus answered ${response.status}: ${text}`);
    return path === '/-/ready' ? undefined : JSON.parse(text);
  };
  await eventually(async () => {
    if (child.exitCode === null) await ask('/-/ready');
  });
  if (child.exitCode !== null) throw new Error(`Prometheus ended.\n${said}`);
  return {
    listAlerts: async () => alertsAnswer.parse(await ask('/api/v1/alerts')).data.alerts,
    query: async (expression) =>
      queryAnswer
        .parse(await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`))
        .data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) })),
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
      process.off('exit', killWithUs);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsFor(jobs: Readonly<Record<string, readonly string[]>>): object {
  return {
    global: {
      scrape_interval: `${SCRAPE_MS}ms`,
      scrape_timeout: `${SCRAPE_MS}ms`,
      evaluation_interval: `${EVALUATE_MS}ms`,
    },
    rule_files: ['rules.yaml'],
    scrape_configs: Object.entries(jobs).map(([job_name, urls]) => ({
      job_name,
      // Those of one job have the same path.
      metrics_path: new URL('metrics', `${urls[0]}/`).pathname,
      authorization: { credentials: METRICS_TOKEN },
      static_configs: [{ targets: urls.map((url) => new URL(url).host) }],
    })),
  };
}
