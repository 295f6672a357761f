/** The views of a list that the operator has saved, and a form that saves the one that is shown. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { HiddenFields } from '../../../../core/web/page-document.tsx';
import type { SavedView } from '../../../store/tables/saved-views.ts';

/** Of the list that is shown; undefined on every other page. */
export interface ShownViews {
  readonly list: string;
  readonly views: readonly SavedView[];
  /** What the list is narrowed to now. */
  readonly filters: SavedView['filters'];
  readonly token: string;
}
export const OwnViews = createContext<ShownViews | undefined>(undefined);

export function SavedViews({ root }: { root: string }) {
  const own = useContext(OwnViews);
  if (own === undefined) return null;
  const { list, views, filters, token } = own;
  const addressOf = (of: SavedView['filters']) => {
    const query = String(new URLSearchParams(of));
    return `${list}${query === '' ? '' : `?${query}`}`;
  };
  const here = addressOf(filters);
  const isHere = (view: SavedView) => isSame(view.filters, filters);
  const hidden = { token, back: here };
  const canSave = Object.keys(filters).length > 0 && !views.some(isHere);
  if (views.length === 0 && !canSave) return null;
  return (
    <section class="views" aria-label="Your views">
      {views.length > 0 && (
        <ul class="chosen">
          {views.map((view) => (
            <li>
              <a href={`${root}${addressOf(view.filters)}`} aria-current={isHere(view) ? 'page' : undefined}>
                {view.name}
              </a>
              <form method="post" action={`${root}views`}>
                <HiddenFields fields={{ ...hidden, do: 'remove', name: view.name }} />
                <button type="submit" class="quiet" aria-label={`Remove the view ${view.name}`}>
                  ×
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
      {canSave && (
        <details class="act" name="act">
          <summary>Save this view</summary>
          <form method="post" action={`${root}views`}>
            <HiddenFields fields={{ ...hidden, do: 'save' }} />
            <label>
              Name
              <input name="name" required maxLength={60} autocomplete="off" />
            </label>
            <button type="submit">Save</button>
          </form>
        </details>
      )}
    </section>
  );
}

function isSame(one: SavedView['filters'], other: SavedView['filters']): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
