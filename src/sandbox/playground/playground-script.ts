/** The playground's only script. The page works without it: then a button answers with the whole page, and time is seen on reload. */

const LOOK_EVERY_MS = 600;

/**
 * Brings the page up to date without taking anything from under somebody's hands: lists get what is new at their top, the
 * rest is replaced where it differs, and what had the focus keeps it.
 */
export const PLAYGROUND_SCRIPT = `'use strict';
(() => {
  const update = (html) => {
    const fresh = new DOMParser().parseFromString(html, 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const now = fresh.getElementById(part.id);
      const focused = document.activeElement;
      if (!now || now.innerHTML === part.innerHTML || (focused.tagName === 'SELECT' && part.contains(focused))) continue;
      const focusedId = part.contains(focused) ? focused.id : '';
      part.innerHTML = now.innerHTML;
      if (focusedId) document.getElementById(focusedId)?.focus();
    }
    for (const list of document.querySelectorAll('[data-list]')) {
      const items = [...(fresh.getElementById(list.id)?.children ?? [])];
      for (const item of items.reverse()) if (!document.getElementById(item.id)) list.prepend(document.adoptNode(item));
    }
  };
  const ask = async (address, request) => {
    const answer = await fetch(address, request);
    if (answer.ok) update(await answer.text());
  };
  document.addEventListener('submit', (event) => {
    const form = event.target;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    form.setAttribute('aria-busy', 'true');
    ask(form.action, { method: 'POST', body, headers: { accept: 'text/html' } })
      .catch(() => {})
      .then(() => form.removeAttribute('aria-busy'));
  });
  const gone = document.getElementById('gone');
  const look = async () => {
    const isThere = document.hidden || (await ask(location.href).then(() => true, () => false));
    // Another shop by now, at the same address.
    if (isThere && !gone.hidden) location.reload();
    gone.hidden = isThere;
    setTimeout(look, ${LOOK_EVERY_MS});
  };
  setTimeout(look, ${LOOK_EVERY_MS});
})();
`;
