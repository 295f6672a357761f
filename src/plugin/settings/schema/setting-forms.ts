/** Forms of single settings, and the sentences about wrong ones. */
import {
  areReminderDays,
  NO_REMINDER_DAYS,
  REMINDER_DAYS,
  splitDays,
} from '../../../core/limits/reminder-days.ts';
import { text } from './setting-kinds.ts';

export const reminderDays = () =>
  text().refine(areReminderDays, NO_REMINDER_DAYS).default(REMINDER_DAYS.join(',')).transform(splitDays);

/** A secret begins with its purpose: one in the place of another is refused before it fails every call. */
export const NO_SECRET_KEY =
  'must start with sk_ or rk_: a secret or a restricted key, not the publishable one';
export const WEBHOOK_SECRET = {
  form: /^whsec_./,
  help: "must start with whsec_, each of several; take it from the webhook endpoint's page in the Stripe Dashboard",
};

export const APP_SECRET = {
  form: /^absec_./,
  help: "must start with absec_, each of several; take it from the app's page in the Stripe Dashboard",
};

/** A rough check that finds obvious mistakes. */
export const EMAIL_ADDRESS = /^[^\s,<>"@]+@[^\s,<>"@]+$/;

export function isHttps(value: string): boolean {
  return URL.canParse(value) && new URL(value).protocol === 'https:';
}

/** A language without texts is no mistake of the form: customers then read English. */
export function isLanguageTag(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** 24 to 64 bytes in Base64. */
export const EVENTS_SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
export const NO_EVENTS_SECRET =
  'must begin with whsec_ and have 24 to 64 bytes in Base64; `echo whsec_$(openssl rand -base64 32)` makes one';

/** A control group: what it gets instead, and its share of the customers in percent. */
export interface Experiment {
  readonly against: 'stripe' | 'schedule';
  readonly percent: number;
}

export const EXPERIMENT = /^(stripe|schedule):([1-9]|[1-8]\d|90)$/;
export const NO_EXPERIMENT = 'must be stripe:N or schedule:N, with N from 1 to 90';

export function readExperiment(value: string): Experiment {
  const [against = '', percent] = value.split(':');
  return { against: against === 'stripe' ? 'stripe' : 'schedule', percent: Number(percent) };
}
