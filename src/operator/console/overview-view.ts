/** What `status` tells: what needs a person first, then what waits, then the counts. */
import type { DateTime } from 'luxon';
import { type Html, html } from '../../http/html.ts';
import type { WorkCount } from '../../store/reports/work-counts.ts';
import type { WorkStatus } from '../../store/reports/work-status.ts';
import { nameCursor } from '../text/describe-cursors.ts';
import { describeState } from '../text/describe-state.ts';
import { describeMore, describeNeed, listStatusParts } from '../text/describe-status.ts';
import { exactMoment } from '../text/exact-moment.ts';
import type { StatusPart } from '../text/status-part.ts';
import { wordsToHtml } from './words-to-html.ts';

/** Not urgent, and yet worth a look. */
const WATCHED: readonly StatusPart['about'][] = ['overdueActions', 'pauses', 'delayedMails', 'callbacks'];
/** Shown as figures or as a table. */
const SHOWN_OTHERWISE: readonly StatusPart['about'][] = ['counts', 'undelivered'];

/** Progress that has none: its usual title would not say what is wrong. */
const STANDING_STILL: ReadonlyMap<StatusPart['about'], string> = new Map([
  ['cursors', 'Reading stands still'],
  ['completeness', 'Reading all that Stripe has stands still'],
]);

export function renderOverview(status: WorkStatus, now: DateTime, root: string): Html {
  const parts = listStatusParts(status, now);
  const concerns = parts.filter(({ about }) => isConcern(status, about));
  const rest = parts.filter(({ about }) => !isConcern(status, about) && !SHOWN_OTHERWISE.includes(about));
  const watched = rest.filter(({ about }) => WATCHED.includes(about));
  const calm = rest.filter(({ about }) => !WATCHED.includes(about));
  return html`<h1>Overview</h1>
<p class="verdict ${status.needsPerson ? 'bad' : 'good'}" role="status">${describeNeed(status)} <span class="soft">As of ${exactMoment(now.toJSDate())}</span></p>
${concerns.map((part) => renderPart({ ...part, title: STANDING_STILL.get(part.about) ?? part.title }, 'bad', root))}
${watched.map((part) => renderPart(part, 'warn', root))}
${renderFigures(status, now)}
${renderCounts(status.counts)}
${calm.map((part) => renderPart(part, 'calm', root))}`;
}

function isConcern({ concerns }: WorkStatus, about: StatusPart['about']): boolean {
  return concerns.some((concern) => concern === about);
}

function renderPart({ about, title, advice, lines, more }: StatusPart, tone: string, root: string): Html {
  const rest = more > 0 ? [html`<li class="soft">${describeMore(more)}</li>`] : [];
  const link = about === 'timing' ? html`<p><a href="${root}timing">The figures</a></p>` : html``;
  return html`<section class="card ${tone}">
<h2>${title}</h2>
${advice === undefined ? html`` : html`<p class="advice">${wordsToHtml(capitalize(advice), root)}</p>`}
<ul class="lines">${[...lines.map((line) => html`<li>${wordsToHtml(line, root)}</li>`), ...rest]}</ul>
${link}
</section>`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function renderFigures({ undelivered, cursors, counts }: WorkStatus, now: DateTime): Html {
  const { count, oldestAt } = undelivered;
  const oldest =
    oldestAt === null
      ? 'the service has everything'
      : `the oldest for ${describeAge((now.toMillis() - oldestAt.getTime()) / 1000)}`;
  const names = [...new Set(cursors.map(({ name }) => name))];
  const planned = countOf(counts, 'actions', 'scheduled');
  return html`<dl class="figures">
${figure('Undelivered changes', count.toLocaleString('en'), oldest)}
${names.map((name) => {
  const lags = cursors.filter((cursor) => cursor.name === name).map(({ lagSeconds }) => lagSeconds);
  const accounts = lags.length === 1 ? 'behind now' : `behind now, the last of ${lags.length} accounts`;
  return figure(capitalize(nameCursor(name)), describeAge(Math.max(...lags)), accounts);
})}
${figure('Planned actions', planned.toLocaleString('en'), 'payments and mails, each at its time')}
</dl>`;
}

function figure(name: string, value: string, note: string): Html {
  return html`<div><dt>${name}</dt><dd><strong>${value}</strong> <span class="soft">${note}</span></dd></div>`;
}

function countOf(counts: readonly WorkCount[], table: string, state: string): number {
  return counts.find((one) => one.table === table && one.state === state)?.count ?? 0;
}

function describeAge(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

function renderCounts(counts: readonly WorkCount[]): Html {
  if (counts.length === 0) return html`<p class="soft">Nothing has come in yet.</p>`;
  const tables = [...new Set(counts.map(({ table }) => table))];
  const rows = tables.map((table) => {
    const states = counts
      .filter((one) => one.table === table)
      .sort((a, b) => b.count - a.count)
      .map(({ state, count }) => html`<li><b>${count.toLocaleString('en')}</b> ${describeState(state)}</li>`);
    return html`<tr><th scope="row">${capitalize(table)}</th><td><ul class="states">${states}</ul></td></tr>`;
  });
  return html`<section class="card calm"><h2>Work</h2>
<table class="counts"><tbody>${rows}</tbody></table>
</section>`;
}
