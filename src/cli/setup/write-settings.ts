/** The commented file that `init` writes. */
import { SCHEMAS, type SettingName } from '../../plugin/settings/schema/settings.ts';
import { type EnvValues, formatLine } from './env-file.ts';
import { MADE, QUESTIONS } from './questions.ts';

const HEAD = `# Settings of Payment Retry for Stripe. All of them, with their defaults: docs/reference/settings.md.
# Keep this file to yourself: it holds secrets.
`;
const WEBHOOK_SECRET = 'STRIPE_WEBHOOK_SECRET';
const howToGetIt = ({
  PORT: port = '8080',
}: EnvValues) => `# On a server: \`npx stripe-payment-retry connect\` makes the endpoint and sets this.
# On your machine: \`stripe listen --forward-to localhost:${port}/webhooks/stripe\` prints one.`;

export function renderSettings(values: EnvValues): string {
  const asked: SettingName[] = [...QUESTIONS, ...MADE].map(({ name }) => name);
  const names = [...asked.slice(0, 1), WEBHOOK_SECRET, ...asked.slice(1)] as const;
  const known = new Set<string>(names);
  const others = Object.keys(values).filter((name) => !known.has(name));
  const parts = names.map((name) => renderSetting(name as SettingName, values));
  const rest = others.map((name) => formatLine(name, values[name] ?? ''));
  return [HEAD, ...parts, ...(rest.length > 0 ? [`${rest.join('\n')}\n`] : [])].join('\n');
}

function renderSetting(name: SettingName, values: EnvValues): string {
  const value = values[name];
  const meaning = SCHEMAS[name].meta()?.description ?? '';
  const hint = name === WEBHOOK_SECRET && !value ? `${howToGetIt(values)}\n` : '';
  const line = value === undefined || value === '' ? `# ${name}=` : formatLine(name, value);
  return `# ${meaning}\n${hint}${line}\n`;
}
