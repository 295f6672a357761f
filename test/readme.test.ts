import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '../src/errors.ts';
import { SETTINGS } from '../src/settings.ts';
import { EVENT_HANDLERS } from '../src/sync/handlers.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** First and last cell of each row of the table under a heading. */
function table(heading: string): [string, string][] {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split(' | ');
      return [cells[0]?.replace(/^\| `|`$/g, '') ?? '', cells.at(-1)?.replace(/ \|$/, '') ?? ''];
    });
}

describe('README', () => {
  it('lists every setting with its meaning', () => {
    expect(table('Settings')).toEqual(Object.entries(SETTINGS));
  });

  it('lists every event that is handled, and why', () => {
    expect(table('Events of Stripe')).toEqual(
      Object.entries(EVENT_HANDLERS).map(([type, { why }]) => [type, why]),
    );
  });

  it('lists every error code with its meaning', () => {
    expect(table('Error codes')).toEqual(Object.entries(ERROR_CODES));
  });

  it('has at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(151);
  });
});
