import { mock } from 'node:test';
import { reportFailure } from '../../../src/cli/process/report-failure.ts';

/** What a program that does not start prints and ends with, without a process of its own. */
export async function reportedFailure(
  start: () => Promise<unknown>,
): Promise<{ code: number; text: string }> {
  const error = await start().catch((reason: unknown) => reason);
  const written: string[] = [];
  const stderr = mock.method(process.stderr, 'write', (text: unknown) => written.push(String(text)) > 0);
  try {
    return { code: reportFailure(error), text: written.join('') };
  } finally {
    stderr.mock.restore();
  }
}
