/** The types of the answers, for the views: the app is uploaded without the server's sources. */
import { readFileSync } from 'node:fs';

export const VIEW_TYPES = 'manifest/private/src/answers.ts';
const SERVER_TYPES = 'src/plugin/operator/stripe-app/answers.ts';

/** Throws where the server's file holds anything but types. */
export function renderAnswerTypes(): string {
  const source = readFileSync(new URL(`../../${SERVER_TYPES}`, import.meta.url), 'utf8');
  if (/^(import|const|function|export (const|function|class))\b/m.test(source))
    throw new Error(`${SERVER_TYPES} must hold types alone: the views get a copy of it.`);
  const types = source.slice(source.indexOf('*/') + 2).trimStart();
  return `/** Generated from ${SERVER_TYPES} by \`npm run app:manifest\`: change it there. */\n\n${types}`;
}
