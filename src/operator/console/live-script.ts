/** The console's only script. The pages work without it. */
import { createHash } from 'node:crypto';
import { ZONE_COOKIE } from './page-reader.ts';

const SECONDS = 20;

/**
 * Notes the browser's time zone, and puts a newer page in the place of this one while nobody types, chooses or reads the
 * numbers of an opened part. A form that is sent is sent once.
 */
export const LIVE_SCRIPT = `'use strict';
(() => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const root = document.currentScript.dataset.root;
  const path = new URL(root, location.href).pathname.replace(/.\\/$/, (end) => end[0]);
  const cookie = '${ZONE_COOKIE}=' + encodeURIComponent(zone);
  if (zone && !document.cookie.split('; ').includes(cookie)) {
    document.cookie = cookie + '; Path=' + path + '; Max-Age=31536000; SameSite=Strict';
    if (zone !== 'UTC' && document.cookie.includes(cookie)) location.reload();
  }
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
  const isBusy = () => document.hidden || document.querySelector('main details[open], main input:focus, main select:focus, main textarea:focus') !== null;
  const look = async () => {
    if (isBusy()) return;
    const answer = await fetch(location.href, { redirect: 'error' }).catch(() => undefined);
    if (!answer || !answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const place of ['main', '.alarms']) {
      const [old, now] = [document.querySelector(place), fresh.querySelector(place)];
      if (old && now && !isBusy() && old.innerHTML !== now.innerHTML) old.innerHTML = now.innerHTML;
    }
  };
  if (document.querySelector('main[data-live]')) setInterval(look, ${SECONDS * 1000});
})();
`;

/** Part of its address, so that a browser may keep it and still gets a newer one. */
export const LIVE_NAME = `live-${createHash('sha256').update(LIVE_SCRIPT).digest('hex').slice(0, 12)}.js`;
