/** What goes to the service beside subscriptions. */
import type { SettingReader } from './setting-reader.ts';

export type ForwardedKind = 'invoices' | 'transactions';

export interface Forwarding extends Readonly<Record<ForwardedKind, boolean>> {
  /** Offered: where the service has no path for them, they stay here. */
  readonly offered: readonly ForwardedKind[];
}

const SETTINGS = { invoices: 'FORWARD_INVOICES', transactions: 'FORWARD_TRANSACTIONS' } as const;

export function readForwarding(read: SettingReader, isEmbedded: boolean): Forwarding {
  const given = { invoices: read.get(SETTINGS.invoices), transactions: read.get(SETTINGS.transactions) };
  const kinds = ['invoices', 'transactions'] as const;
  return {
    invoices: given.invoices !== false,
    transactions: given.transactions !== false,
    offered: isEmbedded ? [] : kinds.filter((kind) => given[kind] === 'auto'),
  };
}

/** Of a service that gets neither. */
export const CANNOT_KNOW =
  'unless it has its own connection to Stripe, it cannot know which payments failed, and sees subscriptions alone';
export const KNOWS_LITTLE = `the service gets neither invoices nor payment attempts: ${CANNOT_KNOW}`;
