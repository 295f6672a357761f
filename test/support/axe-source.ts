import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What finds barriers, for a page to evaluate: the short text, for each page that is loaded takes it anew. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
