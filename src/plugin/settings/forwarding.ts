/** Records forwarded to the service besides subscriptions. */
import type { ServiceSettings } from './service-settings.ts';
import type { SettingReader } from './setting-reader.ts';

export type ForwardedKind = 'invoices' | 'transactions';

export interface Forwarding extends Readonly<Record<ForwardedKind, boolean>> {
  /** Offered: where the service has no path for them, they stay here. */
  readonly offered: readonly ForwardedKind[];
  /** The service's address: what it does not take is remembered by it. */
  readonly to: string;
}

const SETTINGS = { invoices: 'FORWARD_INVOICES', transactions: 'FORWARD_TRANSACTIONS' } as const;

export function readForwarding(read: SettingReader, service: ServiceSettings): Forwarding {
  const isRemote = service.kind === 'remote';
  const given = { invoices: read.get(SETTINGS.invoices), transactions: read.get(SETTINGS.transactions) };
  const kinds = ['invoices', 'transactions'] as const;
  return {
    invoices: given.invoices !== false,
    transactions: given.transactions !== false,
    offered: isRemote ? kinds.filter((kind) => given[kind] === 'auto') : [],
    to: isRemote ? service.baseUrl.href : service.kind,
  };
}

/** Consequence for a service that gets neither. */
export const CANNOT_KNOW =
  'unless it has its own connection to Stripe, it cannot know which payments failed, and sees subscriptions alone';
export const KNOWS_LITTLE = `the service gets neither invoices nor payment attempts: ${CANNOT_KNOW}`;
