/** Writes the story: aligned lines, coloured only where a person watches. */

export type Tone = 'plain' | 'good' | 'bad' | 'quiet' | 'strong';
export type Write = (text: string) => void;

export interface Printer {
  /** One line of plain text. */
  line(text: string, tone?: Tone): void;
  step(when: string, who: string, what: string, tone: Tone): void;
}

const COLORS: Readonly<Record<Tone, string>> = {
  plain: '',
  good: '\u001b[32m',
  bad: '\u001b[31m',
  quiet: '\u001b[2m',
  strong: '\u001b[1m',
};
const END = '\u001b[0m';
const WHEN_WIDTH = 19;
const WHO_WIDTH = 14;

export function createPrinter(write: Write, hasColors: boolean): Printer {
  const paint = (text: string, tone: Tone) =>
    hasColors && COLORS[tone] !== '' ? `${COLORS[tone]}${text}${END}` : text;
  return {
    line: (text, tone = 'plain') => write(`${paint(text, tone)}\n`),
    step: (when, who, what, tone) => {
      write(`${paint(when.padEnd(WHEN_WIDTH), 'quiet')}  ${who.padEnd(WHO_WIDTH)} ${paint(what, tone)}\n`);
    },
  };
}

/** `hasColors` knows NO_COLOR. */
export function wantsColors(): boolean {
  return process.stdout.isTTY === true && process.stdout.hasColors();
}
