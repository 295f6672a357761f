import type { ProgressOutput } from '../../plugin/operator/text/progress-line.ts';

export interface Terminal {
  readonly output: ProgressOutput;
  /** Resolves when the person has had enough. */
  readonly interrupted: Promise<void>;
}

/** Standard output, and SIGINT or SIGTERM. A second signal ends the process immediately. */
export function interruption(): Terminal {
  return {
    output: process.stdout,
    interrupted: new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => {
          process.once(signal, () => process.exit(1));
          resolve();
        });
      }
    }),
  };
}
