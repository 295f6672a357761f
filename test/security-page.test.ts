/** docs/reference/security.md names a test for each threat: none may be a test that is not there any more. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const page = read('docs/reference/security.md');

const threats = [...page.matchAll(/^\| ([^|]+) \| `(test\/[^`]+)`: (.+) \|$/gm)].map(
  ([, threat = '', path = '', title = '']) => ({ threat, path, title }),
);

describe('docs/reference/security.md', () => {
  it('docs/reference/security.md names for each threat a test that is there', () => {
    expect(threats.length).toBeGreaterThan(20);
    const gone = threats.filter(
      ({ path, title }) => !existsSync(new URL(`../${path}`, import.meta.url)) || !hasTest(read(path), title),
    );
    expect(gone).toEqual([]);
  });

  it('docs/reference/security.md names a test in each row of its tables of threats', () => {
    const [, section = ''] = page.split('\n## Threats\n');
    const rows = section.split('\n## ')[0]?.match(/^\| (?!Threat |---).*$/gm) ?? [];
    expect(rows).toHaveLength(threats.length);
  });
});

it('docs/reference/security.md says of each table how long it keeps what', () => {
  const migrations = ['plugin/store', 'service'].flatMap((part) => {
    const folder = new URL(`../src/${part}/migrations/`, import.meta.url);
    return readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  });
  const made = migrations.flatMap((sql) =>
    [...sql.matchAll(/create (?:unlogged )?table (\w+\.\w+)/g)].map(([, name]) => name),
  );
  const dropped = new Set(
    migrations.flatMap((sql) => [...sql.matchAll(/drop table (\w+\.\w+)/g)].map(([, name]) => name)),
  );
  const [, section = ''] = page.split('\n## What is stored');
  const listed = [
    ...(section.split('\n## ')[0] ?? '').matchAll(/`((?:payment_retry|retry_service)\.\w+)`/g),
  ].map(([, name]) => name);
  expect([...new Set(listed)].sort()).toEqual([...new Set(made)].filter((name) => !dropped.has(name)).sort());
});

/** A title may be shared by a table of cases, and be quoted in any of three ways. */
function hasTest(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}
