import { readFileSync } from 'node:fs';
import { renderSettingsTable } from '../scripts/docs/render-settings.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { ERROR_CODES } from '../src/kit/errors.ts';
import { EVENT_HANDLERS } from '../src/sync/events/handlers.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');
const reference = read('docs/reference.md');

/** First and last cell of each row of the table under a heading. */
function table(heading: string, page = readme): [string, string][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split(' | ');
      return [cells[0]?.replace(/^\| `|`$/g, '') ?? '', cells.at(-1)?.replace(/ \|$/, '') ?? ''];
    });
}

describe('README', () => {
  it('README lists every command with what it does', () => {
    expect(table('Commands')).toEqual(COMMANDS.map(({ name, description }) => [name, description]));
  });

  it('lists, in the reference, every setting (npm run docs:settings)', () => {
    expect(reference).toContain(`\n\n${renderSettingsTable()}\n\n## `);
  });

  it('README lists the settings to begin with as the reference does', () => {
    const [, section = ''] = readme.split('## Settings\n');
    const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm);
    for (const row of rows ?? []) expect(reference).toContain(row);
    expect(table('Settings').map(([name]) => name)).toEqual(
      expect.arrayContaining(['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']),
    );
  });

  it('the reference lists every event that is handled, and why', () => {
    expect(table('Events of Stripe', reference)).toEqual(
      Object.entries(EVENT_HANDLERS).map(([type, { why }]) => [type, why]),
    );
  });

  it('the reference lists every error code with its meaning', () => {
    expect(table('Error codes', reference)).toEqual(Object.entries(ERROR_CODES));
  });

  it('README has at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(151);
  });
});
