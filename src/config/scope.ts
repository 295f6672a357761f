/** RECOVER_…: of which invoices payments are made and mails sent. The rest is observed only. */
import type { SettingReader } from './setting-reader.ts';
import type { SettingName } from './settings.ts';

/** Every list that is given must fit, by any of its entries; an empty one is not given. */
export interface RecoveryScope {
  /** Ids of prices and of products. */
  readonly plans: readonly string[];
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countries: readonly string[];
  /** As Stripe writes them, lower case. */
  readonly currencies: readonly string[];
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  /** Of the customers. */
  readonly percent: number;
}

export const EVERYTHING: RecoveryScope = {
  plans: [],
  countries: [],
  currencies: [],
  metadata: [],
  percent: 100,
};

export function readScope(read: Pick<SettingReader, 'optional' | 'problem' | 'integer'>): RecoveryScope {
  const list = (name: SettingName, form: RegExp, help: string) => {
    const entries = (read.optional(name) ?? '').split(',').map((entry) => entry.trim());
    const given = entries.filter((entry) => entry !== '');
    for (const entry of given.filter((entry) => !form.test(entry)))
      read.problem(name, `must be ${help} with commas, and has "${entry}"`);
    return given;
  };
  const plans = list('RECOVER_PLANS', /^\S+$/, 'ids of prices (price_…) or products (prod_…)');
  const countries = list('RECOVER_COUNTRIES', /^[A-Za-z]{2}$/, 'two-letter country codes such as DE,AT');
  const currencies = list('RECOVER_CURRENCIES', /^[A-Za-z]{3}$/, 'three-letter currency codes such as EUR');
  const metadata = list('RECOVER_METADATA', /^[^=]+=.*$/, 'pairs such as recovery=on');
  return {
    plans,
    countries: countries.map((country) => country.toUpperCase()),
    currencies: currencies.map((currency) => currency.toLowerCase()),
    metadata: metadata.map((pair) => {
      const at = pair.indexOf('=');
      return { key: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
    }),
    percent: read.integer('RECOVER_PERCENT', { fallback: 100, min: 0, max: 100 }),
  };
}
