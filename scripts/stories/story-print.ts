/** How the play of a story is written down, and how two of them differ. */
import { UsageError } from '../../src/core/base/errors.ts';

export interface PlayedStep {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface Play {
  readonly story: string;
  /** Where it was played, and when: not compared. */
  readonly remarks: readonly string[];
  readonly steps: readonly PlayedStep[];
}

const STORY = 'Story ';

export function printPlay({ story, remarks, steps }: Play): string {
  const parts = steps.map(({ title, lines }) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  return [...remarks.map((remark) => `# ${remark}\n`), `${STORY}${story}\n`, '\n', parts.join('\n')].join('');
}

/** Throws UsageError where it is none. */
export function readPrint(text: string): Play {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const remarks = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
  const [head = '', ...rest] = lines.filter((line) => !line.startsWith('#'));
  if (!head.startsWith(STORY)) throw new UsageError(['--compare must name a file with the print of a story']);
  const steps: { title: string; lines: string[] }[] = [];
  for (const line of rest) {
    if (line.startsWith('  ')) steps.at(-1)?.lines.push(line.slice(2));
    else steps.push({ title: line, lines: [] });
  }
  return { story: head.slice(STORY.length), remarks, steps };
}

/**
 * What only one of them has, step by step; empty if they are the same. Lines are compared as sets: Stripe promises no order
 * of events (stripe-facts 1.2).
 */
export function describeDifference(saved: Play, now: Play): string {
  const titles = [...new Set([...now.steps, ...saved.steps].map(({ title }) => title))];
  return titles
    .map((title) => ({
      title,
      lines: [
        ...without(linesOf(saved, title), linesOf(now, title)).map((line) => `  - ${line}\n`),
        ...without(linesOf(now, title), linesOf(saved, title)).map((line) => `  + ${line}\n`),
      ],
    }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => `${title}\n${lines.join('')}`)
    .join('\n');
}

/** A state in a line for each field, so that only those show that differ. */
function linesOf({ steps }: Play, title: string): readonly string[] {
  const lines = steps.find((step) => step.title === title)?.lines ?? [];
  return lines.flatMap((line) => {
    const [kind, name, fields] = line.split('  ');
    return kind === 'state' ? (fields ?? '').split(' ').map((field) => `${kind}  ${name}  ${field}`) : [line];
  });
}

/** A line that is there twice must be there twice in the other one, too. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
