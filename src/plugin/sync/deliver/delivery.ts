import type { IngestResult, ServiceClient } from '../../clients/service-client.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { Config } from '../../settings/config.ts';
import type { OutboxKind } from '../../store/tables/sync/outbox.ts';

export interface DeliverDeps extends PluginDeps {
  readonly serviceOf: (account: string) => Pick<ServiceClient, 'ingest' | 'can'>;
  readonly config: Pick<Config, 'forward'>;
  /** Number of this process, for its claims. */
  readonly processId: () => number | undefined;
  /** A number from 0 to 1, for jitter. */
  readonly random: () => number;
}

export type Setback = Extract<IngestResult, { kind: 'throttled' | 'failed' }>;
export interface Delivery {
  readonly kind: OutboxKind;
  readonly account: string;
  /** Whether the service accepts fields beyond the contract. */
  readonly isExtended: boolean;
  /** Whether the service may know months and years only. */
  readonly leavesOutShortPeriods: boolean;
}
