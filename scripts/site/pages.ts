/** What the site of the documentation is made of: `docs/README.md` gives its sidebar and `llms.txt`, `package.json` the repository. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const { description, repository, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [, owner = '', name = ''] = /github\.com\/([^/]+)\/(.+)\.git$/.exec(repository.url) ?? [];
export const REPOSITORY = `https://github.com/${owner}/${name}`;
/** GitHub Pages serves a project under its name. */
export const BASE = `/${name}/`;
export const SITE = `https://${owner}.github.io${BASE}`;
export const TITLE = 'Payment Retry for Stripe';
export const DESCRIPTION: string = description;
export const VERSION: string = version;

/** Folders of the repository and where their pages stand on the site. */
const FOLDERS = {
  'docs/': '',
  'previews/reference/': 'reference/api/',
  'previews/openapi/': 'reference/http/',
};

/** Made by commands when the site is built, beside what `docs/README.md` lists. */
const GENERATED = `## API

- [The package](reference/api/README.md): what it exports to TypeScript and JavaScript.
- [The service's API](reference/http/service.md): what a retry service takes and answers, with its OpenAPI document.
- [The operator's API](reference/http/operator.md): what operators read and do, with its OpenAPI document.
`;

const contents = () => `${readFileSync(join(ROOT, 'docs/README.md'), 'utf8')}\n${GENERATED}`;

/** Where a file of the repository stands on the site, such as `how-to/alerts.md`; undefined if it is no page. */
export function siteOf(file: string): string | undefined {
  const found = Object.entries(FOLDERS).find(([folder]) => file.startsWith(folder));
  if (!found || !file.endsWith('.md') || file.includes('/how-to/files/')) return undefined;
  const [folder, place] = found;
  return `${place}${file.slice(folder.length)}`.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** A link as it works on the site: what is no page of it leads to the repository. `file` is where it stands, from the root. */
export function siteLink(file: string, link: string): string {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(file), decodeURI(path));
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (siteOf(target)) return `${path.replace(/(^|\/)README\.md$/, '$1index.md')}${hash}`;
  // Pictures and the OpenAPI documents stand beside their pages.
  if (/\.(png|svg)$/.test(path) || file.startsWith('previews/') || !existsSync(join(ROOT, target)))
    return link;
  return `${REPOSITORY}/${statSync(join(ROOT, target)).isDirectory() ? 'tree' : 'blob'}/main/${target}${hash}`;
}

/** The groups of the sidebar: a heading of `docs/README.md`, and each link under it. */
export function sidebar(): { text: string; items: { text: string; link: string }[] }[] {
  return contents()
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text = '', link = '']) => ({
        text: text.charAt(0).toUpperCase() + text.slice(1),
        link: `/${siteOf(`docs/${link}`)?.replace(/(index)?\.md$/, '')}`,
      })),
    }));
}

/** The contents for programs that read (llmstxt.org): each page by the address of its Markdown. */
export function llmsText(): string {
  const [, ...sections] = contents()
    .replaceAll(/\]\(([^)]+)\)/g, (_, link: string) => `](${SITE}${siteOf(`docs/${link}`) ?? link})`)
    .split(/^(?=## )/m);
  return `# ${TITLE}\n\n> ${DESCRIPTION}\n\n${sections.join('')}`;
}

/** A page as the site gives it as Markdown, with links that work there. */
export function markdownOf(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return text.replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${siteLink(file, link)})`);
}
