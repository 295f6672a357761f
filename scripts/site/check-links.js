/** Fails where a link, a picture or a place within a page of the built site leads nowhere, or a page is empty. Other sites are not asked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../previews/site', import.meta.url));
const files = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).map((path) => join(SITE, path));
const pages = files.filter((path) => path.endsWith('.html'));
const markdown = files.filter((path) => path.endsWith('.md'));
const read = (path) => readFileSync(path, 'utf8');
/** Of the site's addresses, without the host: `/name/`. */
const base =
  /<link rel="[^"]*stylesheet" href="(\/[^"]*?)assets\//.exec(read(join(SITE, 'index.html')))?.[1] ?? '/';

const texts = new Map(pages.map((page) => [page, read(page)]));
const places = new Map(
  [...texts].map(([page, text]) => [page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
);

/** The file behind an address; undefined if there is none. */
function fileOf(from, path) {
  const target = path.startsWith(base) ? join(SITE, path.slice(base.length)) : join(dirname(from), path);
  return [target, `${target}.html`, join(target, 'index.html')].find(
    (one) => /\.\w+$/.test(one) && existsSync(one),
  );
}

function isDead(from, link) {
  const [path = '', place] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
  const file = path === '' ? from : fileOf(from, path);
  if (!file) return true;
  return Boolean(place) && places.has(file) && !places.get(file).has(place);
}

const isOther = (link) => /^([a-z]+:|\/\/)/.test(link);
const dead = [
  ...[...texts].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link]) => [page, link]),
  ),
  ...markdown.flatMap((page) => [...read(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => [page, link])),
].filter(([page, link]) => !isOther(link) && isDead(page, link));

// What fails while a page is rendered leaves it without its text.
const empty = pages.filter((page) => !page.endsWith('404.html') && !texts.get(page).includes('<h1'));
for (const page of empty) console.error(`${relative(SITE, page)} has no heading.`);

console.log(`${pages.length} pages, ${dead.length} links that lead nowhere.`);
for (const [page, link] of dead) console.error(`${relative(SITE, page)}: ${link}`);
if (pages.length < 30 || dead.length + empty.length > 0) process.exitCode = 1;
