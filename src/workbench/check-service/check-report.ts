/** Checks the other side of the contract, one check after the other, and reports the findings. */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../core/base/errors.ts';
import type { SentenceId } from './contract-sentences.ts';

/** Description of the fault; undefined where there is none. */
export type Fault = string | undefined;

export interface Check<Subject> {
  /** Group under which the check is listed. */
  readonly about: string;
  readonly title: string;
  /** The sentence of the contract that it is of. */
  readonly of: SentenceId;
  /** `must`: the contract says so. `should`: it is silent, and the other side is better off. */
  readonly level: 'must' | 'should';
  run(subject: Subject): Promise<Fault>;
}

export interface CheckResult extends Pick<Check<unknown>, 'about' | 'title' | 'level'> {
  readonly fault: Fault;
}

/** One after the other: the other side may count requests. */
export async function runChecks<Subject>(
  subject: Subject,
  checks: readonly Check<Subject>[],
  tell: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { about, title, level, run } of checks) {
    const result = { about, title, level, fault: await faultOf(() => run(subject)) };
    tell(result);
    results.push(result);
  }
  return results;
}

/** Prints each result as it comes, then the verdict; returns a command's exit code. */
export async function reportChecks<Subject>(
  subject: Subject,
  checks: readonly Check<Subject>[],
  options: { checked: 'service' | 'plugin'; junit: string | undefined; write: (text: string) => void },
): Promise<number> {
  const { checked, junit, write } = options;
  const results = await runChecks(subject, checks, (result) => write(`${describeResult(result)}\n`));
  if (junit !== undefined) await writeFile(junit, toJUnit(results, checked));
  write(`${describeResults(results, checked)}\n`);
  return results.some(isBroken) ? 1 : 0;
}

/** The fault of a check that went through to its end or stopped at an error. */
async function faultOf(run: () => Promise<Fault>): Promise<Fault> {
  try {
    return await run();
  } catch (error) {
    return messageOf(error);
  }
}

export const isBroken = ({ fault, level }: CheckResult): boolean => fault !== undefined && level === 'must';

export function describeResult({ about, title, level, fault }: CheckResult): string {
  if (fault === undefined) return `ok      ${about}: ${title}`;
  return `${level === 'must' ? 'BROKEN' : 'advice'}  ${about}: ${title}\n        ${fault}`;
}

export function describeResults(results: readonly CheckResult[], checked: 'service' | 'plugin'): string {
  const broken = results.filter(isBroken).length;
  const advice = results.filter(({ fault }) => fault !== undefined).length - broken;
  const verdict =
    broken === 0
      ? `The ${checked} keeps the contract.`
      : `The ${checked} breaks the contract in ${broken} point(s).`;
  return `${verdict} ${results.length} checks, ${advice} with advice where the contract is silent.`;
}

/** JUnit's XML, for CI. Advice counts as skipped. */
export function toJUnit(results: readonly CheckResult[], checked: 'service' | 'plugin'): string {
  const cases = results.map(({ about, title, level, fault }) => {
    const name = `classname="${escapeXml(about)}" name="${escapeXml(title)}"`;
    if (fault === undefined) return `  <testcase ${name}/>`;
    const tag = level === 'must' ? 'failure' : 'skipped';
    return `  <testcase ${name}><${tag} message="${escapeXml(fault)}"/></testcase>`;
  });
  const broken = results.filter(isBroken).length;
  const skipped = results.filter(({ fault }) => fault !== undefined).length - broken;
  const counts = `tests="${results.length}" failures="${broken}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="check-${checked}" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML allows no other control characters, even escaped. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '?');
}
