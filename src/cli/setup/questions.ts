/** What an installation begins with, in the order in which it is asked. Everything else has a default. */
import { randomBytes } from 'node:crypto';
import { SCHEMAS, type SettingName } from '../../plugin/settings/schema/settings.ts';
import type { EnvValues } from './env-file.ts';

export interface Question {
  readonly name: SettingName;
  readonly ask: string;
  /** Taken if nothing is typed. An empty one leaves the setting out. */
  readonly usual: (given: EnvValues) => string;
  readonly isSecret?: true;
  readonly isAsked?: (given: EnvValues) => boolean;
  /** Whether a value that is known already is asked for once more; to type nothing keeps it. */
  readonly isAskedAgain?: (value: string) => boolean;
  /** Where nothing may be left out. */
  readonly isRequired?: true;
}

const isRemote = ({ RETRY_SERVICE_URL: url = 'embedded' }: EnvValues) => url !== 'embedded';
const hasEmail = ({ SMTP_URL: url = '', SMTP_URL_FILE: file = '' }: EnvValues) => url !== '' || file !== '';
const nothing = () => '';

export const QUESTIONS: readonly Question[] = [
  {
    name: 'STRIPE_SECRET_KEY',
    ask: 'Stripe key: paste the one in the settings of the app that `app --restricted-key` makes, or another restricted key (begin with a test key: rk_test_…; a secret key works, too)',
    usual: ({ STRIPE_SECRET_KEY: known = '' }) => known,
    isSecret: true,
    isRequired: true,
    isAskedAgain: (key) => key.startsWith('sk_'),
  },
  {
    name: 'PUBLIC_URL',
    ask: 'Address at which Stripe and customers reach this process (https://…; on this machine http://localhost:8080)',
    usual: ({ PORT: port = '8080' }) => `http://localhost:${port}`,
  },
  {
    name: 'RETRY_MODE',
    ask: "Mode: observe (writes down what it would do: begin with it), advisory (next to Stripe's own retries) or exclusive (instead of them)",
    usual: () => 'observe',
  },
  {
    name: 'AFTER_GIVING_UP',
    ask: 'What becomes of an invoice that is given up: leave, cancel, pause or uncollectible',
    usual: () => 'leave',
    isAsked: ({ RETRY_MODE: mode }) => mode === 'exclusive',
  },
  {
    name: 'RETRY_SERVICE_URL',
    ask: 'Retry service: embedded, or the address of a remote one',
    usual: () => 'embedded',
  },
  {
    name: 'RETRY_SERVICE_API_KEY',
    ask: 'Its API key',
    usual: nothing,
    isSecret: true,
    isRequired: true,
    isAsked: isRemote,
  },
  {
    name: 'DATABASE_URL',
    ask: 'PostgreSQL (postgres://…), or nothing for the embedded database',
    usual: nothing,
  },
  {
    name: 'SMTP_URL',
    ask: 'Email server for emails to customers (smtp://… or smtps://…), or nothing for now',
    usual: nothing,
    isSecret: true,
  },
  {
    name: 'EMAIL_FROM',
    ask: 'Sender of these emails',
    usual: nothing,
    isRequired: true,
    isAsked: hasEmail,
  },
  {
    name: 'TIME_ZONE',
    ask: 'Time zone of customers whose own is not known',
    usual: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  },
];

/** Secrets that nobody has to think of. */
export const MADE: readonly {
  readonly name: SettingName;
  readonly isMade?: (given: EnvValues) => boolean;
}[] = [
  { name: 'CONSOLE_PASSWORD' },
  { name: 'METRICS_TOKEN' },
  { name: 'LINK_SECRET' },
  { name: 'RECOVERY_CALLBACK_TOKEN', isMade: isRemote },
];

export function makeSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Why a value does not fit; undefined if it does. */
export function findProblem({ name, isRequired }: Question, value: string): string | undefined {
  if (value === '') return isRequired ? `${name} is required` : undefined;
  const parsed = SCHEMAS[name].safeParse(value);
  return parsed.success
    ? undefined
    : parsed.error.issues.map(({ message }) => `${name} ${message}`).join('; ');
}
