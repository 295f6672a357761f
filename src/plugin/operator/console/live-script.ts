/** The console's only script. The pages work without it. */
import { createHash } from 'node:crypto';

const SECONDS = 20;

/**
 * Puts a newer page in the place of this one while nobody types, selects, chooses or reads an opened part; the focus stays. Says when
 * the session is over. A form is sent once. Menus close on Escape and on a click elsewhere.
 */
export const LIVE_SCRIPT = `'use strict';
(() => {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
  const close = (event) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (event.type === 'click' ? menu.contains(event.target) : event.key !== 'Escape') continue;
      menu.open = false;
      if (event.type === 'keydown' && menu.contains(document.activeElement)) menu.querySelector('summary').focus();
    }
  };
  document.addEventListener('click', close);
  document.addEventListener('click', ({ target }) => {
    const copied = target.closest('[data-copy]');
    if (copied) navigator.clipboard.writeText(copied.dataset.copy);
  });
  document.addEventListener('keydown', close);
  const isSelected = () => { const chosen = getSelection(); return chosen && !chosen.isCollapsed; };
  const isBusy = () => isSelected() || document.querySelector('main details[open], main input:focus, main select:focus, main textarea:focus, main input[name=rows]:checked') !== null;
  const FOCUSED = 'a[href], button, summary, [tabindex]';
  const keepFocus = (place, change) => {
    const all = () => [...place.querySelectorAll(FOCUSED)];
    const at = all().indexOf(document.activeElement);
    const words = at < 0 ? '' : document.activeElement.outerHTML;
    change();
    if (at < 0) return;
    const found = all().find((one) => one.outerHTML === words) || all()[at];
    if (found) found.focus({ preventScroll: true });
  };
  const sayOver = () => {
    const place = document.querySelector('.alarms');
    if (!place || place.querySelector('.over')) return;
    const [line, link] = [document.createElement('p'), document.createElement('a')];
    line.className = 'alarm over';
    line.setAttribute('role', 'alert');
    link.href = location.href;
    link.textContent = 'Sign in again';
    line.append('You were signed out: this page is not renewed any more. ', link);
    place.append(line);
  };
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined);
    if (answer && answer.type === 'opaqueredirect') return sayOver();
    if (!answer || !answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const name of ['main', '.alarms']) {
      const [old, now] = [document.querySelector(name), fresh.querySelector(name)];
      if (old && now && !isBusy() && old.innerHTML !== now.innerHTML) keepFocus(old, () => { old.innerHTML = now.innerHTML; });
    }
  };
  if (document.querySelector('main[data-live]')) setInterval(look, ${SECONDS * 1000});
})();
`;

/** Part of its address, so that a browser may keep it and still gets a newer one. */
export const LIVE_NAME = `live-${createHash('sha256').update(LIVE_SCRIPT).digest('hex').slice(0, 12)}.js`;
