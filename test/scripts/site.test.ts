/** The site of the documentation, as far as it can be known without building it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  llmsText,
  markdownOf,
  REPOSITORY,
  ROOT,
  SITE,
  sidebar,
  siteLink,
  siteOf,
} from '../../scripts/site/pages.ts';

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  // Files to copy are no pages.
  .filter((path) => path.endsWith('.md') && path !== 'docs/README.md' && !path.includes('/how-to/files/'));

test('every page of docs/ is in the sidebar once, and in llms.txt by the address of its Markdown', () => {
  expect(pages.length).toBeGreaterThan(30);
  const listed = sidebar()
    .flatMap(({ items }) => items.map(({ link }) => link))
    .filter((link) => !/^\/reference\/(api|http)\//.test(link));
  expect(listed.sort()).toEqual(pages.map((page) => `/${siteOf(page)?.replace('.md', '')}`).sort());
  const text = llmsText();
  expect(pages.filter((page) => !text.includes(`](${SITE}${siteOf(page)})`))).toEqual([]);
});

test.each(pages)('each link of %s leads to a page of the site, or to a file of the repository', (page) => {
  const links = [...markdownOf(page).matchAll(/\]\(([^)\s#]+)/g)].map(([, link = '']) => link);
  const within = links.filter((link) => !/^https?:/.test(link));
  expect(
    within.filter((link) => !existsSync(join(ROOT, page, '..', link.replace('index.md', 'README.md')))),
  ).toEqual([]);
  expect(within.filter((link) => !/\.(md|png|svg)$/.test(link))).toEqual([]);
});

test('a link to a source leads to the repository, and a link to a page stays on the site', () => {
  const from = 'docs/how-to/deployment.md';
  expect(siteLink(from, 'files/kubernetes.yaml')).toBe(
    `${REPOSITORY}/blob/main/docs/how-to/files/kubernetes.yaml`,
  );
  expect(siteLink(from, '../../manifest')).toBe(`${REPOSITORY}/tree/main/manifest`);
  expect(siteLink(from, '../../CHANGELOG.md')).toBe(`${REPOSITORY}/blob/main/CHANGELOG.md`);
  expect(siteLink(from, '../README.md#how-to')).toBe('../index.md#how-to');
  expect(siteLink(from, 'backup.md#restore')).toBe('backup.md#restore');
});
