import { publicAddress } from '../../settings/own-paths.ts';
import type { StoredHostEvent } from '../../store/tables/host-events.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import { findPayerWords } from '../../store/tables/sync/payers.ts';
import { describePerson, money } from '../text/describe-code.ts';
import { type AlertDeps, post, type Receivers } from './deliver-alerts.tsx';

const TITLES: ReadonlyMap<string, string> = new Map([
  ['recovered', 'Recovered'],
  ['gaveUp', 'Given up'],
  ['needsAttention', 'Needs attention'],
]);

/** Sends lines about invoices to the Slack addresses of NOTIFY. */
export function teamReceiver({ database, config }: Pick<AlertDeps, 'database' | 'config'>): Receivers {
  const team = (config.alerts?.addresses ?? []).filter(({ form }) => form === 'slack');
  if (team.length === 0) return {};
  return {
    team: async (event) => {
      for (const address of team) {
        const text = await describe(database, event, { ...config, hasNames: address.hasNames });
        if (text !== undefined) await post(address, { text });
      }
    },
  };
}

/**
 * One line about an invoice for the team's channel; undefined for events that it does not get. A reason is shown as its code, because
 * its sentence may contain an address or a person's words.
 */
async function describe(
  database: AlertDeps['database'],
  { type, account, invoiceId, detail }: StoredHostEvent,
  { publicUrl, hasNames }: { readonly publicUrl: URL; readonly hasNames: boolean },
): Promise<string | undefined> {
  const title = TITLES.get(type);
  if (title === undefined) return undefined;
  const stored = invoiceId === null ? undefined : await findInvoice(database, account, invoiceId);
  const { currency = stored?.currency, amount = stored?.amountRemaining, reason } = detail;
  const payer = { account, customerId: stored?.customerId ?? '', method: undefined };
  const { name, email } = hasNames ? await findPayerWords(database, payer) : { name: null, email: null };
  const page = invoiceId === null ? 'console/needs' : `console/invoices/${invoiceId}`;
  const about = [
    currency === undefined ? '' : money(Number(amount), String(currency)),
    // A name is no markup of Slack's.
    (describePerson([name]) || describePerson([email])).replace(/[&<>]/g, ''),
    String(Object(reason).code ?? '').replaceAll('_', ' '),
    publicAddress(publicUrl, page).href,
  ];
  return `${title}: ${about.filter((part) => part !== '').join(', ')}`;
}
