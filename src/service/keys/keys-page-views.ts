/** The page of API keys as HTML: forms only, no script. A secret is in it once, in the answer to the form that made it. */
import { DateTime } from 'luxon';
import { type Html, html } from '../../http/html.ts';
import { styleElement } from '../../http/page-style.ts';
import type { StoredKey } from '../store/api-keys-made.ts';
import { PAGE_STYLE } from './keys-page-style.ts';
import { DEFAULT_GRACE_HOURS } from './manage-api-keys.ts';

export type Message =
  | {
      kind: 'made';
      id: string;
      secret: string;
      replaced: { id: string; expiresAt: DateTime } | undefined;
    }
  | { kind: 'done'; text: string }
  | { kind: 'refused'; text: string };

export interface KeysPage {
  keys: readonly StoredKey[];
  organizations: readonly string[];
  /** The limit of keys without one of their own. */
  requestsPerSecond: number;
  now: DateTime;
  token: string;
  /** Of the next key. */
  freshId: string;
  message: Message | undefined;
}

const NOTHING = html``;

export function renderKeysPage(page: KeysPage): string {
  const good = page.keys.filter((key) => isGood(key, page.now));
  const ended = page.keys.filter((key) => !isGood(key, page.now));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API keys</title>
${styleElement(PAGE_STYLE)}
</head>
<body>
<main>
<h1>API keys</h1>
<p>A client of the retry service sends its key as <code>Authorization: Bearer …</code>. A key opens the records of one organization. Keep it out of repositories, browsers and chats.</p>
${page.message ? renderMessage(page.message) : NOTHING}
<h2>In use</h2>
${good.length === 0 ? html`<p>There is no key yet.</p>` : html`<ul>${good.map((key) => renderKey(page, key))}</ul>`}
<h2>Make a key</h2>
${renderCreateForm(page)}
${ended.length === 0 ? NOTHING : renderEnded(ended)}
</main>
</body>
</html>`.markup;
}

export function isGood({ revokedAt, expiresAt }: StoredKey, now: DateTime): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now.toMillis());
}

function renderMessage(message: Message): Html {
  if (message.kind === 'done') return html`<div class="message" role="status"><p>${message.text}</p></div>`;
  if (message.kind === 'refused')
    return html`<div class="message refused" role="alert"><p>${message.text}</p></div>`;
  const { replaced } = message;
  const old = replaced ? html`<p>${replaced.id} stays good until ${time(replaced.expiresAt)}.</p>` : NOTHING;
  return html`<div class="message made" role="status">
<p><strong>Copy the secret of ${message.id} now. It is shown this once and stored nowhere.</strong></p>
<code class="secret">${message.secret}</code>
${old}
</div>`;
}

function renderKey(page: KeysPage, key: StoredKey): Html {
  const isOfPackage = key.madeBy === 'package';
  const words = isOfPackage ? 'Change' : 'Change or end';
  return html`<li class="card">
<div class="head"><h3>${titleOf(key)}</h3><span class="badge">${badgeOf(key)}</span></div>
<dl>
<div><dt>Id</dt><dd><code>${key.id}</code></dd></div>
<div><dt>Organization</dt><dd>${key.organization}</dd></div>
${key.hint === null ? NOTHING : html`<div><dt>Secret ends in</dt><dd><code>…${key.hint}</code></dd></div>`}
<div><dt>Made</dt><dd>${time(key.createdAt)}</dd></div>
<div><dt>Last used</dt><dd>${key.lastUsedAt === null ? 'never' : time(key.lastUsedAt)}</dd></div>
<div><dt>Limit</dt><dd>${key.requestsPerSecond ?? page.requestsPerSecond} requests a second</dd></div>
${key.expiresAt === null ? NOTHING : html`<div><dt>Good until</dt><dd>${time(key.expiresAt)}</dd></div>`}
</dl>
${isOfPackage ? explainPackageKey : NOTHING}
<details><summary aria-label="${words} ${titleOf(key)} (${key.id})">${words}</summary>
${renderChangeForm(page, key)}
${isOfPackage || key.expiresAt !== null ? NOTHING : renderRotateForm(page, key)}
${isOfPackage ? NOTHING : renderRevokeForm(page, key)}
</details>
</li>`;
}

const explainPackageKey = html`<p class="note">The plugin in this installation sends its records with this key. It follows from the settings (RETRY_SERVICE_API_KEY, else the Stripe key) and would be made again at the next start, so it cannot be revoked here.</p>`;

function titleOf({ name, madeBy }: StoredKey): string {
  if (name !== '') return name;
  return madeBy === 'package' ? 'Key of the plugin' : 'Key without a name';
}

function badgeOf({ madeBy, expiresAt, replacedBy }: StoredKey): string {
  if (madeBy === 'package') return 'made by the package';
  return expiresAt === null ? 'in use' : `replaced by ${replacedBy ?? 'another'}`;
}

function hidden(token: string, fields: Record<string, string>): Html[] {
  return Object.entries({ token, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

/** Without an action a form goes to the address that the page was read from, wherever the service is mounted. */
function renderCreateForm({ organizations, token, freshId, requestsPerSecond }: KeysPage): Html {
  if (organizations.length === 0)
    return html`<p>No organization is known yet. Keys can be made once the plugin has started.</p>`;
  const names = organizations.map((name) => html`<option>${name}</option>`);
  const options = names.length === 1 ? names : [html`<option value="">Choose one</option>`, ...names];
  return html`<form method="post" class="card">
${hidden(token, { do: 'create', id: freshId })}
<label>Name<small>who or what uses it</small><input name="name" required maxlength="100" autocomplete="off"></label>
<label>Organization<select name="organization" required>${options}</select></label>
<label>Requests a second<small>empty: ${requestsPerSecond}</small><input name="limit" type="number" min="1" max="10000" inputmode="numeric"></label>
<button>Make a key</button>
</form>`;
}

function renderChangeForm({ token, requestsPerSecond }: KeysPage, key: StoredKey): Html {
  return html`<form method="post">
${hidden(token, { do: 'change', id: key.id })}
<label>Name<input name="name" maxlength="100" value="${key.name}" autocomplete="off"></label>
<label>Requests a second<input name="limit" type="number" min="1" max="10000" inputmode="numeric" value="${key.requestsPerSecond ?? requestsPerSecond}"></label>
<button>Save</button>
</form>`;
}

function renderRotateForm({ token }: KeysPage, key: StoredKey): Html {
  return html`<form method="post">
${hidden(token, { do: 'rotate', id: key.id })}
<label>Hours for which the old secret stays good<small>0 cuts it at once</small><input name="grace" type="number" min="0" max="720" step="any" value="${DEFAULT_GRACE_HOURS}" required></label>
<button>Rotate</button>
</form>`;
}

function renderRevokeForm({ token }: KeysPage, key: StoredKey): Html {
  return html`<form method="post">
${hidden(token, { do: 'revoke', id: key.id })}
<p class="note">Whoever uses this key is refused from the next request on. It cannot be undone.</p>
<button class="danger">Revoke ${titleOf(key)}</button>
</form>`;
}

/** More are in the command line's list. */
const ENDED_SHOWN = 50;

function renderEnded(keys: readonly StoredKey[]): Html {
  const items = keys.slice(0, ENDED_SHOWN).map((key) => {
    const end = key.revokedAt
      ? html`revoked ${time(key.revokedAt)}`
      : html`rotated, ended ${time(key.expiresAt ?? key.createdAt)}`;
    return html`<li class="card"><strong>${titleOf(key)}</strong> <code>${key.id}</code> of ${key.organization}: ${end}</li>`;
  });
  return html`<h2>No longer good</h2>
<details><summary>${keys.length} ${keys.length === 1 ? 'key' : 'keys'}</summary><ul>${items}</ul></details>`;
}

function time(instant: Date | DateTime): Html {
  const at = instant instanceof Date ? DateTime.fromJSDate(instant, { zone: 'utc' }) : instant;
  return html`<time datetime="${at.toISO() ?? ''}">${at.toFormat("yyyy-MM-dd HH:mm 'UTC'")}</time>`;
}
