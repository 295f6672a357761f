import { z } from 'zod';
import { nameMode, OWN_ACCOUNT } from '../../settings/account.ts';
import { deleteAccountSettings } from '../../store/tables/account-settings.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { isRevoked, listInvoicesWithActions, noteAccess } from '../../store/tables/stored-accounts.ts';
import { clearDeliveryPauses } from '../../store/tables/sync/cursors.ts';
import { reopenRevoked } from '../../store/tables/sync/events.ts';
import { eventObject } from './event-object.ts';
import type { EventPlan, EventStep } from './event-step.ts';
import { toInboxJob } from './inbox-job.ts';

export const APPLICATION = eventObject([], z.unknown());

const UNCONNECTED: EventPlan = { result: { code: 'own_account' } };

/** A merchant disconnected: planned work ends, records stay (stripe-facts 1.5). */
export const stopRevokedAccount: EventStep = async ({ clock, config }, { account, createdAt }) => {
  if (account === OWN_ACCOUNT) return UNCONNECTED;
  return {
    result: { code: 'access_withdrawn' },
    apply: async (tx) => {
      const now = clock.now();
      await noteAccess(tx, account, { kind: 'deauthorized', at: createdAt });
      const invoiceIds = await listInvoicesWithActions(tx, account);
      const reason = { code: 'access_revoked', account } as const;
      const closed = await closeScheduledActions(tx, { account, invoiceIds }, reason, now);
      await clearDeliveryPauses(tx, account);
      // The account may have returned, and saved new settings, before this event arrives.
      const before = (await isRevoked(tx, account)) ? undefined : createdAt;
      const key = { account, mode: nameMode(config.livemode) };
      const deletedSettings = await deleteAccountSettings(tx, key, before);
      const detail = { at: createdAt.toISO(), closedActions: closed, deletedSettings };
      await recordAudit(tx, { account, at: now, invoiceId: undefined, kind: 'account.deauthorized', detail });
    },
  };
};

/** A merchant connected, perhaps again: catches up on missed events; stopped work stays stopped. */
export const resumeAccount: EventStep = async ({ clock, enqueue }, { account, createdAt }) => {
  if (account === OWN_ACCOUNT) return UNCONNECTED;
  return {
    result: { code: 'access_given' },
    apply: async (tx) => {
      await noteAccess(tx, account, { kind: 'authorized', at: createdAt });
      // These were skipped before the authorization was known.
      await reopenRevoked(tx, account, createdAt);
      await enqueue('take-events', [toInboxJob(account)], tx);
      const detail = { at: createdAt.toISO() };
      const entry = { account, at: clock.now(), invoiceId: undefined };
      await recordAudit(tx, { ...entry, kind: 'account.authorized', detail });
      await enqueue('catch-up', [{ data: { account }, key: account }], tx);
      await enqueue('deliver', [{ data: { account }, key: account }], tx);
    },
  };
};
