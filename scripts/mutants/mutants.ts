/** Faults planted on purpose, one at a time: each breaks what must not break, so a test has to fail. */
import { EMAIL_FAULTS } from './email-faults.ts';
import { PAYMENT_FAULTS } from './payment-faults.ts';
import { SERVICE_FAULTS } from './service-faults.ts';
import { SYNC_FAULTS } from './sync-faults.ts';

export interface Mutant {
  readonly name: string;
  /** What it would do to somebody, if it were shipped. */
  readonly cost: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The suites that are the first to notice. */
  readonly killedBy: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  ...PAYMENT_FAULTS,
  ...EMAIL_FAULTS,
  ...SYNC_FAULTS,
  ...SERVICE_FAULTS,
];

/** The file's text with the fault. Throws where it does not apply any more. */
export function plant({ name, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`${name}: its text occurs ${parts.length - 1} times in ${file}; once is needed.`);
  return parts.join(replace);
}
