/** What a finding means and what to do, for a person. */
import { z } from 'zod';
import {
  FINDING_STATES,
  FINDING_WORDS,
  type Finding,
  type FindingState,
  type FindingWords,
} from './finding.ts';

const MARKS: Readonly<Record<FindingState, string>> = {
  ok: 'ok     ',
  waiting: 'waiting',
  warning: 'warning',
  problem: 'PROBLEM',
  unknown: 'unknown',
  look: 'look   ',
};

const OF_MODE: Readonly<Record<string, string>> = {
  observe: 'In observe mode leave them as they are.',
  advisory:
    'In advisory mode leave the retries on; switch off emails that ask for a new card if ours go out.',
  exclusive:
    'In exclusive mode an invoice is taken over when its payment failed: switch off the emails about failed payments.',
};

/** One line, and where something is to be done a second one. */
export function describeFinding(found: Finding): string {
  const { title, detail, remedy } = explainFinding(found);
  const line = `${MARKS[found.state]}  ${title}${detail ? `: ${detail}` : ''}`;
  return remedy === undefined ? line : `${line}\n         ${remedy}`;
}

export interface ExplainedFinding {
  readonly title: string;
  /** The observation; empty where the title says it all. */
  readonly detail: string;
  /** Undefined where nothing is to be done. */
  readonly remedy: string | undefined;
}

export function explainFinding({ code, state, detail }: Finding): ExplainedFinding {
  const { title, remedy, ofWarning = remedy }: FindingWords = FINDING_WORDS[code];
  if (code === 'stripe_settings') return { title, detail: '', remedy: `${OF_MODE[detail] ?? ''} ${remedy}` };
  if (state === 'ok') return { title, detail, remedy: undefined };
  return { title, detail, remedy: state === 'warning' ? ofWarning : remedy };
}

export const findingsAnswer = z.object({
  findings: z.array(
    z.object({
      code: z.string(),
      state: z.enum(FINDING_STATES).describe('look: only a person can see it.'),
      title: z.string(),
      detail: z.string().describe('What was seen.'),
      remedy: z.string().nullable().describe('What to do; null where nothing is.'),
    }),
  ),
});

/** Findings in the API's form. */
export function answerFindings(all: readonly Finding[]): z.output<typeof findingsAnswer> {
  const findings = all.map((found) => {
    const { title, detail, remedy = null } = explainFinding(found);
    return { code: found.code, state: found.state, title, detail, remedy };
  });
  return { findings };
}

/** A heading with the number of problems. */
export function countProblems(findings: readonly Finding[]): string {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? 'No problem was found.' : `${problems} to fix.`;
}
