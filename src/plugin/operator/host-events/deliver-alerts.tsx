/**
 * Finds what needs attention, and sends it to the addresses of NOTIFY: each once, and its end once; and what waits for a
 * person as one email a day, by cause, without anybody's name.
 */

import type { DateTime } from 'luxon';
import { renderToString } from 'preact-render-to-string';
import { z } from 'zod';
import type { Clock } from '../../../core/base/clock.ts';
import type { Database } from '../../../core/database/database.ts';
import { askWithin } from '../../../core/web/bounded-answer.ts';
import { ownFetch } from '../../../core/web/in-process-fetch.ts';
import type { Mailer } from '../../clients/mailer.ts';
import type { Config } from '../../settings/config.ts';
import type { AlertTargets } from '../../settings/operator-access.ts';
import { publicAddress } from '../../settings/own-paths.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import { beginNeedsDay, keepAlerts, keepNeedsEmail, NEEDS_DAY } from '../../store/tables/alerts.ts';
import type { Channel, StoredHostEvent } from '../../store/tables/host-events.ts';
import { findCursor } from '../../store/tables/sync/cursors.ts';
import { listNeeds } from '../lists/needs-attention.ts';
import { describeAlert, runbookOf } from '../text/alerts/describe-alert.ts';
import { money } from '../text/describe-code.ts';
import { NEED_ROWS } from '../text/describe-need.ts';

export interface AlertDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'alerts' | 'publicUrl' | 'timeZone'>;
  readonly mailer: Mailer | undefined;
}

/** Shorter, and what comes and goes would be sent each time. */
const OVER_MINUTES = 5;
const ANSWER_WITHIN_MS = 15_000;

/** What takes the events of each channel. Rejects where one is to be tried again. */
export type Receivers = Partial<Record<Channel, (event: StoredHostEvent) => Promise<void>>>;

export function alertReceivers({ config, mailer }: Pick<AlertDeps, 'config' | 'mailer'>): Receivers {
  const { addresses = [], mailTo = [] } = config.alerts ?? {};
  const describe = (event: StoredHostEvent) => toAlert(event, config.publicUrl);
  return {
    ...(addresses.length > 0 && {
      alert_webhook: async (event) => {
        for (const address of addresses) await post(address, describe(event));
      },
    }),
    ...(mailTo.length > 0 && {
      alert_email: (event) => emailAll(mailer, mailTo, describe(event)),
      needs_email: (event) => emailAll(mailer, mailTo, toNeeds(event, config)),
    }),
  };
}

/** Looks once. The cost depends on waiting alerts, not on past ones. */
export async function lookForAlerts({ database, clock, config, mailer }: AlertDeps): Promise<void> {
  const now = clock.now();
  const { concerns } = await readWorkStatus(database, now);
  const overBefore = now.minus({ minutes: OVER_MINUTES });
  const receivers = Object.keys(alertReceivers({ config, mailer }));
  const channels = (['alert_webhook', 'alert_email'] as const).filter((channel) =>
    receivers.includes(channel),
  );
  await keepAlerts(database, { concerns, channels, now, overBefore });
  if (config.alerts?.mailTo.length) await lookForNeeds(database, now, config.timeZone);
}

type Alert = ReturnType<typeof toAlert>;
type AlertMessage = Pick<Alert, 'id' | 'title' | 'text' | 'concern' | 'console'>;

function toAlert({ eventId, type, at, detail }: StoredHostEvent, publicUrl: URL) {
  const { concern, since } = { concern: String(detail.concern), since: String(detail.since) };
  const isOver = type === 'alertResolved';
  const consoleUrl = publicAddress(publicUrl, 'console').href;
  const text = describeAlert({ concern, isOver, since, consoleUrl });
  const runbook = runbookOf(concern);
  return { ...text, id: eventId, type, concern, since, at: at.toISO(), runbook, console: consoleUrl };
}

/** The address is a secret: it lets its owner write there. */
export async function post(
  { url, form }: AlertTargets['addresses'][number],
  alert: Pick<Alert, 'text'>,
): Promise<void> {
  const body = JSON.stringify(form === 'slack' ? { text: alert.text } : alert);
  await postJson(`NOTIFY: ${url.host}`, url, { body });
}

/** Rejects, naming the receiver, unless it answers with success in time. */
export async function postJson(
  name: string,
  url: URL,
  { body, headers }: { readonly body: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<void> {
  const types = { 'content-type': 'application/json', ...headers };
  const request = { method: 'POST', headers: types, body, redirect: 'error' } as const;
  const answer = await askWithin(ownFetch, url, request, { withinMs: ANSWER_WITHIN_MS, mostBytes: 0 });
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
}

async function emailAll(
  mailer: Mailer | undefined,
  mailTo: readonly string[],
  alert: AlertMessage,
): Promise<void> {
  const host = new URL(alert.console).hostname;
  for (const [index, to] of mailTo.entries()) {
    const result = await mailer?.send({
      to,
      subject: alert.title,
      text: alert.text,
      html: alertPage(alert.text),
      messageId: `<${alert.id}.${index}@${host}>`,
      about: { account: '*', id: alert.concern, customer: '', template: 'alert' },
    });
    if (result?.kind !== 'sent') throw new Error(`NOTIFY: ${result?.reason ?? 'no mail server'}`);
  }
}

/** The text as a page of its own, a paragraph a line. */
function alertPage(text: string): string {
  return `<!doctype html>\n${renderToString(
    <html lang="en">
      <body>
        {text.split('\n').map((line) => (
          <p>{line}</p>
        ))}
      </body>
    </html>,
  )}`;
}

/** When people begin to work, on the merchant's clocks. */
const MORNING = 8;

/** Looks once a day. A morning at which nothing waits passes without an email. */
async function lookForNeeds(database: Database, now: DateTime, zone: string): Promise<void> {
  const here = now.setZone(zone);
  const day = here.toISODate();
  if (day === null || here.hour < MORNING || (await findCursor(database, '*', NEEDS_DAY)) === day) return;
  const groups = await listNeeds(database, 0);
  const causes = groups.map(({ code, count, money: sums }) => ({ code, count, money: sums }));
  await database.transaction(async (tx) => {
    if ((await beginNeedsDay(tx, day, now)) && causes.length > 0)
      await keepNeedsEmail(tx, { day, now, causes });
  });
}

const needsDetail = z.object({
  causes: z.array(
    z.object({
      code: z.string(),
      count: z.number(),
      money: z.array(z.object({ currency: z.string(), amount: z.number() })),
    }),
  ),
});

function toNeeds({ eventId: id, detail }: StoredHostEvent, { publicUrl }: AlertDeps['config']): AlertMessage {
  const { causes } = needsDetail.parse(detail);
  const count = causes.reduce((sum, cause) => sum + cause.count, 0);
  const rows = new Map<string, { readonly words: string }>(Object.entries(NEED_ROWS));
  const lines = causes.map(({ code, count: own, money: sums }) => {
    const worth = sums.map(({ amount, currency }) => money(amount, currency)).join(' + ');
    return `${rows.get(code)?.words ?? code}: ${own}${worth === '' ? '' : `, ${worth}`}`;
  });
  const title = `${count} ${count === 1 ? 'thing waits' : 'things wait'} for you`;
  const { href } = publicAddress(publicUrl, 'console');
  const text = [...lines, `${href}/needs`].join('\n');
  return { title, text, id, concern: 'needs_attention', console: href };
}
