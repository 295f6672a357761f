/** The site is built of the files where they stand: the repository is its folder of sources, of which it takes two folders. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { defineConfig } from 'vitepress';
import {
  BASE,
  DESCRIPTION,
  llmsText,
  markdownOf,
  REPOSITORY,
  ROOT,
  sidebar,
  siteLink,
  siteOf,
  TITLE,
  VERSION,
} from '../pages.ts';

const SOURCES = ['docs', 'previews'];
/** Of `npm run docs:recording`, where that was run before. */
const RECORDING = join(ROOT, 'previews/recording.webm');
const hasRecording = existsSync(RECORDING);

export default defineConfig({
  title: TITLE,
  description: DESCRIPTION,
  lang: 'en',
  base: BASE,
  cleanUrls: true,
  lastUpdated: false,
  srcDir: ROOT,
  srcExclude: [
    '*.md',
    'previews/!(reference|openapi)/**',
    ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && !SOURCES.includes(entry.name) ? [`${entry.name}/**`] : [],
    ),
  ],
  rewrites: (page) => siteOf(page) ?? page,
  outDir: join(ROOT, 'previews/site'),
  cacheDir: join(ROOT, 'scripts/site/node_modules/.cache/vitepress'),
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: [2, 3],
    nav: [{ text: VERSION, link: `${REPOSITORY}/blob/main/CHANGELOG.md` }],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/blob/main/:path`, text: 'Source of this page' },
  },
  // Pages in another folder find the site's packages, not the project's.
  vite: {
    resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: join(ROOT, 'scripts/site/node_modules/vue') }] },
  },
  transformPageData: ({ filePath, frontmatter }) => ({
    frontmatter: { ...frontmatter, ...(filePath.startsWith('docs/') ? {} : { editLink: false }) },
  }),
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${page}` }]],
  markdown: {
    // The pages link to places as GitHub names them.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
    config: (markdown) => {
      markdown.core.ruler.push('links-to-sources', ({ tokens, env, Token }) => {
        const file = relative(ROOT, env.realPath ?? env.path).replaceAll(sep, '/');
        if (hasRecording && file === 'docs/README.md') {
          const video = new Token('html_block', '', 0);
          video.content = `<video :src="'${BASE}recording.webm'" controls muted width="100%" aria-label="The first minute in the playground, and the console"></video>\n`;
          // After the first paragraph.
          tokens.splice(tokens.findIndex(({ type }) => type === 'paragraph_close') + 1, 0, video);
        }
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href');
          if (token.type === 'link_open' && href) token.attrSet('href', siteLink(file, href));
        }
      });
    },
  },
  buildEnd: ({ pages, outDir }) => {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(outDir, path)), { recursive: true });
      writeFileSync(join(outDir, path), text);
    };
    for (const page of pages) write(siteOf(page) ?? page, markdownOf(page));
    write('llms.txt', llmsText());
    if (hasRecording) copyFileSync(RECORDING, join(outDir, 'recording.webm'));
    cpSync(join(ROOT, 'docs/images'), join(outDir, 'images'), { recursive: true });
    for (const name of ['service.json', 'operator.json'])
      copyFileSync(join(ROOT, 'previews/openapi', name), join(outDir, 'reference/http', name));
  },
});
