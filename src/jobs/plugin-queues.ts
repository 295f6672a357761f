/** What each job of the plugin carries. */
import type { Reason } from '../store/reasons/reason.ts';
import type { PrunePosition } from '../store/retention/prune.ts';
import type { MirroredKey } from '../store/tables/sync/mirrors.ts';

export interface PluginQueues {
  /** What waits in an account's inbox becomes rows, many events at once. */
  'take-events': { account: string };
  /** An event that asks Stripe, or that failed among others. */
  'process-event': { account: string; eventId: string };
  /** Dirty rows of an account go to the service. */
  deliver: { account: string };
  /** A recorded instruction becomes an action. */
  'schedule-instruction': { account: string; requestId: string };
  /** A due action is carried out. */
  'execute-action': {
    actionId: string;
    /** Left out, the action has it. */
    account?: string;
  };
  /** A customer has a new card since `changedAt` (ISO 8601): the open invoices are paid with it. */
  'pay-open-invoices': {
    account: string;
    paymentMethod: string;
    changedAt: string;
  };
  /** `exclusive` mode: Stripe's own retries of an invoice are switched off. */
  'take-over-invoice': { account: string; invoiceId: string };
  /** Stripe's own retries of an invoice that was taken over go on; `reason` is for the history. */
  'hand-back-invoice': { account: string; invoiceId: string; reason: Reason };
  /** Finds work whose job was lost with a process. */
  sweep: Record<string, never>;
  /** Finds events that Stripe has and whose webhooks never came. */
  'catch-up': { account: string };
  /** Reads the service's listing, for instructions whose callbacks never came. */
  'sync-actions': { account: string };
  /** A record that could not be mapped is read again. */
  reread: MirroredKey;
  /** Gives each account a job of another queue. */
  'each-account': { queue: AccountQueue };
  /** Asks for a reconciliation that time alone asks for. */
  reconcile: { account: string };
  /** Everything that Stripe has is read, a slice a job. */
  backfill: BackfillRequest;
  /** What names a customer is erased, here and in the embedded service. */
  'forget-customer': { account: string; customerId: string };
  /** What is old goes, a slice a job, from where the last slice ended. */
  prune: { from?: PrunePosition };
  /** Events for the host application and for EVENTS_URL. */
  'host-events': Record<string, never>;
}

/** Queues whose jobs carry an account and nothing else, so that time alone can ask for them. */
export type AccountQueue = {
  [Name in keyof PluginQueues]: { account: string } extends PluginQueues[Name]
    ? PluginQueues[Name] extends { account: string }
      ? Name
      : never
    : never;
}[Exclude<keyof PluginQueues, 'each-account'>];

export interface BackfillRequest {
  account: string;
  kind: 'backfill' | 'reconciliation';
  /** How far back invoices and charges are read. */
  months: number;
  /** Requests to one of Stripe's endpoints. */
  perSecond: number;
  /** Nobody asked for it: done only where something was read before, and not the day before. */
  isScheduled?: boolean;
  /** ISO 8601. A run that was finished after this has done what is asked. */
  askedAt?: string;
  /** The next slice of this run, and of no other. */
  run?: number;
}
