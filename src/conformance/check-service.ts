/** Holds a retry service to the contract, and says what it found. */
import { type Check, type Fault, faultOf, type ServiceUnderTest } from './service-under-test.ts';

export interface CheckResult extends Pick<Check, 'about' | 'title' | 'level'> {
  readonly fault: Fault;
}

/** One after the other: a service may count requests. */
export async function checkService(
  service: ServiceUnderTest,
  checks: readonly Check[],
  tell: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { about, title, level, run } of checks) {
    const result = { about, title, level, fault: await faultOf(() => run(service)) };
    tell(result);
    results.push(result);
  }
  return results;
}

export const isBroken = ({ fault, level }: CheckResult): boolean => fault !== undefined && level === 'must';

export function describeResult({ about, title, level, fault }: CheckResult): string {
  if (fault === undefined) return `ok      ${about}: ${title}`;
  return `${level === 'must' ? 'BROKEN' : 'advice'}  ${about}: ${title}\n        ${fault}`;
}

export function describeResults(results: readonly CheckResult[]): string {
  const broken = results.filter(isBroken).length;
  const advice = results.filter(({ fault }) => fault !== undefined).length - broken;
  const verdict =
    broken === 0
      ? 'The service keeps the contract.'
      : `The service breaks the contract in ${broken} point(s).`;
  return `${verdict} ${results.length} checks, ${advice} with advice where the contract is silent.`;
}

/** JUnit's XML, for CI. Advice counts as skipped. */
export function toJUnit(results: readonly CheckResult[]): string {
  const cases = results.map(({ about, title, level, fault }) => {
    const name = `classname="${escapeXml(about)}" name="${escapeXml(title)}"`;
    if (fault === undefined) return `  <testcase ${name}/>`;
    const tag = level === 'must' ? 'failure' : 'skipped';
    return `  <testcase ${name}><${tag} message="${escapeXml(fault)}"/></testcase>`;
  });
  const broken = results.filter(isBroken).length;
  const skipped = results.filter(({ fault }) => fault !== undefined).length - broken;
  const counts = `tests="${results.length}" failures="${broken}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="check-service" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no other control characters, written in whichever way. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '?');
}
