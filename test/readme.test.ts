import { readFileSync } from 'node:fs';
import { renderSettingsTable } from '../scripts/docs/render-settings.ts';
import { listCommands } from '../src/cli/commands.ts';
import { ERROR_CODES } from '../src/core/base/errors.ts';
import { HANDLERS } from '../src/plugin/sync/events/handlers.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const reference = read('docs/reference/settings.md');

/** First and last cell of each row of the table under a heading. */
function table(heading: string, page: string): [string, string][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split(' | ');
      return [cells[0]?.replace(/^\| `|`$/g, '') ?? '', cells.at(-1)?.replace(/ \|$/, '') ?? ''];
    });
}

test('README links by full address, since the package leaves out the files', () => {
  const links = [...read('README.md').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !link.startsWith('https://'))).toEqual([]);
});

describe('the reference', () => {
  it('the reference lists every command with what it does', async () => {
    expect(table('Commands', `#${read('docs/reference/commands.md')}`)).toEqual(
      (await listCommands())
        .filter(({ isHidden }) => !isHidden)
        .map(({ name, description }) => [name, description]),
    );
  });

  it('lists, in the reference, every setting (npm run docs:settings)', () => {
    expect(reference).toContain(`\n\n${renderSettingsTable()}\n\n## `);
    expect(read('docs/reference/settings-advanced.md')).toContain(`\n\n${renderSettingsTable(true)}\n`);
  });

  it('the reference lists every event that is handled, and why', () => {
    expect(table('Events of Stripe', reference)).toEqual([...HANDLERS].map(([type, { why }]) => [type, why]));
  });

  it('the reference lists every error code with its meaning', () => {
    expect(table('Error codes', reference)).toEqual(Object.entries(ERROR_CODES));
  });

  it.each([
    ['Dockerfile', /^ {4}RETRY_MODE=observe$/m],
    ['compose.yaml', /^ {6}RETRY_MODE: \$\{RETRY_MODE:-observe\}$/m],
    ['docs/how-to/files/kubernetes.yaml', /\{ name: RETRY_MODE, value: observe \}/],
    ['docs/how-to/files/helm/stripe-payment-retry/values.yaml', /^ {2}RETRY_MODE: observe$/m],
    ['docs/how-to/files/stripe-payment-retry.service', /^Environment=RETRY_MODE=observe$/m],
  ])('%s begins with observing (%s)', (path, observes) => {
    expect(read(path)).toMatch(observes);
  });
});
