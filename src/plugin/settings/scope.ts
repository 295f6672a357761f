/** RECOVER_…: of which invoices payments are made and mails sent. The rest is observed only. */
import type { SettingReader } from './setting-reader.ts';

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

export function readScope(read: SettingReader): RecoveryScope {
  return {
    plans: read.get('RECOVER_PLANS'),
    countries: read.get('RECOVER_COUNTRIES'),
    currencies: read.get('RECOVER_CURRENCIES'),
    metadata: read.get('RECOVER_METADATA'),
    percent: read.get('RECOVER_PERCENT'),
  };
}
