/** One line on a terminal that is written over, or plain lines now and then where there is none. */
export interface ProgressLine {
  show(text: string): void;
  /** Leaves the last state standing. */
  end(): void;
}

export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Seconds between plain lines; a log is read later, by people with other things to do. */
const PLAIN_EVERY = 15;

export function createProgressLine(output: ProgressOutput): ProgressLine {
  let shown = 0;
  let last = '';
  return {
    show: (text) => {
      if (output.isTTY) output.write(`\r\u001b[K${text.slice(0, (output.columns || 80) - 1)}`);
      else if (shown % PLAIN_EVERY === 0) output.write(`${text}\n`);
      shown += 1;
      last = text;
    },
    end: () => {
      if (output.isTTY) output.write('\n');
      else if (last !== '' && shown % PLAIN_EVERY !== 1) output.write(`${last}\n`);
    },
  };
}

const CELLS = 24;

/** `[########----]`. `share` is from 0 to 1. */
export function drawBar(share: number): string {
  const full = Math.round(CELLS * Math.min(1, Math.max(0, share)));
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}]`;
}
