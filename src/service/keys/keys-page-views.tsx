/** The page of API keys as HTML: forms only, no script. A secret is in it once, in the answer to the form that made it. */

import type { DateTime } from 'luxon';
import type { ComponentChildren } from 'preact';
import { toIso } from '../../core/base/clock.ts';
import { HiddenFields } from '../../core/web/page-document.tsx';
import type { StoredKey } from '../store/api-keys-made.ts';
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

export function KeysView(page: KeysPage) {
  const good = page.keys.filter((key) => isGood(key, page.now));
  const ended = page.keys.filter((key) => !isGood(key, page.now));
  return (
    <div class="keys">
      <h1>API keys</h1>
      <p>
        A client of the retry service sends its key as <code>Authorization: Bearer …</code>. A key opens the
        records of one organization. Keep it out of repositories, browsers and chats.
      </p>
      {page.message && <MessageBox {...page.message} />}
      <h2>In use</h2>
      {good.length === 0 ? (
        <p>There is no key yet.</p>
      ) : (
        <ul>
          {good.map((key) => (
            <KeyCard page={page} apiKey={key} />
          ))}
        </ul>
      )}
      <h2>Make a key</h2>
      <CreateForm {...page} />
      {ended.length > 0 && <EndedKeys keys={ended} />}
    </div>
  );
}

export function isGood({ revokedAt, expiresAt }: StoredKey, now: DateTime): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function MessageBox(message: Message) {
  if (message.kind === 'done')
    return (
      <div class="message" role="status">
        <p>{message.text}</p>
      </div>
    );
  if (message.kind === 'refused')
    return (
      <div class="message refused" role="alert">
        <p>{message.text}</p>
      </div>
    );
  const { id, secret, replaced } = message;
  return (
    <div class="message made" role="status">
      <p>
        <strong>Copy the secret of {id} now. It is shown this once and stored nowhere.</strong>
      </p>
      <code class="secret">{secret}</code>
      {replaced && (
        <p>
          {replaced.id} stays good until <Time at={replaced.expiresAt} />.
        </p>
      )}
    </div>
  );
}

interface ShownKey {
  readonly page: KeysPage;
  readonly apiKey: StoredKey;
}

function KeyCard({ page, apiKey }: ShownKey) {
  const isOfPackage = apiKey.madeBy === 'package';
  const words = isOfPackage ? 'Change' : 'Change or end';
  return (
    <li class="card">
      <div class="head">
        <h3>{titleOf(apiKey)}</h3>
        <span class="badge">{badgeOf(apiKey)}</span>
      </div>
      <KeyFacts page={page} apiKey={apiKey} />
      {isOfPackage && <PackageKeyNote />}
      <details>
        <summary aria-label={`${words} ${titleOf(apiKey)} (${apiKey.id})`}>{words}</summary>
        <ChangeForm page={page} apiKey={apiKey} />
        {!isOfPackage && apiKey.expiresAt === null && <RotateForm page={page} apiKey={apiKey} />}
        {!isOfPackage && <RevokeForm page={page} apiKey={apiKey} />}
      </details>
    </li>
  );
}

function KeyFacts({ page, apiKey }: ShownKey) {
  const { id, organization, hint, createdAt, lastUsedAt, requestsPerSecond, expiresAt } = apiKey;
  const facts: [name: string, value: ComponentChildren][] = [
    ['Id', <code>{id}</code>],
    ['Organization', organization],
    ['Secret ends in', hint !== null && <code>…{hint}</code>],
    ['Made', <Time at={createdAt} />],
    ['Last used', lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />],
    ['Limit', `${requestsPerSecond ?? page.requestsPerSecond} requests a second`],
    ['Good until', expiresAt !== null && <Time at={expiresAt} />],
  ];
  return (
    <dl>
      {facts.map(
        ([name, value]) =>
          value !== false && (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function PackageKeyNote() {
  return (
    <p class="note">
      The plugin in this installation sends its records with this key. It follows from the settings
      (RETRY_SERVICE_API_KEY, else the Stripe key) and would be made again at the next start, so it cannot be
      revoked here.
    </p>
  );
}

function titleOf({ name, madeBy }: StoredKey): string {
  if (name !== '') return name;
  return madeBy === 'package' ? 'Key of the plugin' : 'Key without a name';
}

function badgeOf({ madeBy, expiresAt, replacedBy }: StoredKey): string {
  if (madeBy === 'package') return 'made by the package';
  return expiresAt === null ? 'in use' : `replaced by ${replacedBy ?? 'another'}`;
}

/** Without an action a form goes to the address that the page was read from, wherever the service is mounted. */
function CreateForm({ organizations, token, freshId, requestsPerSecond }: KeysPage) {
  if (organizations.length === 0)
    return <p>No organization is known yet. Keys can be made once the plugin has started.</p>;
  return (
    <form method="post" class="card">
      <HiddenFields fields={{ token, do: 'create', id: freshId }} />
      <label>
        Name<small>who or what uses it</small>
        <input name="name" required maxLength={100} autocomplete="off" />
      </label>
      <label>
        Organization
        <select name="organization" required>
          {organizations.length > 1 && <option value="">Choose one</option>}
          {organizations.map((name) => (
            <option>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Requests a second<small>empty: {requestsPerSecond}</small>
        <input name="limit" type="number" min="1" max="10000" inputmode="numeric" />
      </label>
      <button type="submit">Make a key</button>
    </form>
  );
}

function ChangeForm({ page: { token, requestsPerSecond }, apiKey }: ShownKey) {
  return (
    <form method="post">
      <HiddenFields fields={{ token, do: 'change', id: apiKey.id }} />
      <label>
        Name
        <input name="name" maxLength={100} value={apiKey.name} autocomplete="off" />
      </label>
      <label>
        Requests a second
        <input
          name="limit"
          type="number"
          min="1"
          max="10000"
          inputmode="numeric"
          value={apiKey.requestsPerSecond ?? requestsPerSecond}
        />
      </label>
      <button type="submit">Save</button>
    </form>
  );
}

function RotateForm({ page: { token }, apiKey }: ShownKey) {
  return (
    <form method="post">
      <HiddenFields fields={{ token, do: 'rotate', id: apiKey.id }} />
      <label>
        Hours for which the old secret stays good<small>0 cuts it at once</small>
        <input name="grace" type="number" min="0" max="720" step="any" value={DEFAULT_GRACE_HOURS} required />
      </label>
      <button type="submit">Rotate</button>
    </form>
  );
}

function RevokeForm({ page: { token }, apiKey }: ShownKey) {
  return (
    <form method="post">
      <HiddenFields fields={{ token, do: 'revoke', id: apiKey.id }} />
      <p class="note">Whoever uses this key is refused from the next request on. It cannot be undone.</p>
      <button type="submit" class="danger">
        Revoke {titleOf(apiKey)}
      </button>
    </form>
  );
}

/** More are in the command line's list. */
const ENDED_SHOWN = 50;

function EndedKeys({ keys }: { keys: readonly StoredKey[] }) {
  return (
    <>
      <h2>No longer good</h2>
      <details>
        <summary>
          {keys.length} {keys.length === 1 ? 'key' : 'keys'}
        </summary>
        <ul>
          {keys.slice(0, ENDED_SHOWN).map((key) => (
            <li class="card">
              <strong>{titleOf(key)}</strong> <code>{key.id}</code> of {key.organization}:{' '}
              {key.revokedAt ? 'revoked ' : 'rotated, ended '}
              <Time at={key.revokedAt ?? key.expiresAt ?? key.createdAt} />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Time({ at }: { at: DateTime }) {
  return <time datetime={toIso(at)}>{at.toFormat("yyyy-MM-dd HH:mm 'UTC'")}</time>;
}
