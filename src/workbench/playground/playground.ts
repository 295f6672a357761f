/** A shop to play with: the sandbox, the plugin, their clock, the story of what happens, and the page that shows it. */
import { randomBytes } from 'node:crypto';
import type { RequestHandler, Router } from 'express';
import express from 'express';
import { silentLogger } from '../../core/base/logger.ts';
import { ANSWER_BYTES, askWithin } from '../../core/web/bounded-answer.ts';
import { answerErrors, answerNotFound } from '../../core/web/http-errors.ts';
import { createInProcessFetch, IN_PROCESS_URL } from '../../core/web/in-process-fetch.ts';
import { toPlace } from '../../core/web/page-place.ts';
import { allowFrame, createPageHeaders, sendInFrame } from '../../core/web/page-protection.ts';
import type { Plugin } from '../../plugin/app/plugin.ts';
import { createStory } from '../customers/story.ts';
import { moment } from '../customers/text/words.ts';
import { openTestWorld } from '../testing/test-world.ts';
import { CONTROLS_PATH, type Controls, takeOrders } from './controls.ts';
import { PLAYGROUND_STYLE } from './playground-style.ts';
import { type ArrivedEmail, renderPlayground, type Shown, type StoryLine } from './playground-view.tsx';
import { openShop } from './shop.ts';
import { createShopClock } from './shop-clock.ts';

const TOKEN = /name="token" value="([^"]+)"/;

const SIGN_IN_WITHIN_MS = 10_000;

export interface Playground extends Shown {
  readonly url: string;
  readonly controls: Controls;
  stop(): Promise<void>;
}

/** A Monday; the first renewal is an hour later. */
const START = '2026-03-02T08:00:00Z';
const FIRST_RENEWAL_HOURS = 1;
export const PREFIX = '/payment-retry';

/** Creates a playground whose time moves only when asked. */
export async function createPlayground({
  port = 0,
  dataDir,
}: {
  port?: number;
  dataDir?: string;
} = {}): Promise<Playground> {
  const pages = express.Router();
  const consolePassword = randomBytes(18).toString('base64url');
  const emails: ArrivedEmail[] = [];
  const { world, movable } = await openTestWorld({
    start: START,
    prefix: PREFIX,
    port,
    plugin: {
      retryMode: 'advisory',
      consolePassword,
      businessEntity: 'Northwind Tea',
      emailFrom: 'billing@northwind.example',
      ...(dataDir === undefined ? {} : { dataDir }),
      sendEmail: async (email) => void emails.push({ when: moment(movable.clock.now()), email }),
    },
    app: ({ router }) =>
      express()
        .disable('x-powered-by')
        .use(pages)
        .use(PREFIX, router)
        .use(answerNotFound, answerErrors(silentLogger)),
  });
  const { sandbox, plugin } = world;
  const shop = openShop(sandbox, movable.clock.now(), FIRST_RENEWAL_HOURS);
  const story: StoryLine[] = [];
  const tell = createStory({
    world: { ...movable, sandbox, plugin },
    people: shop.people,
    printer: { step: (when, who, what, tone) => void story.push({ when, who, what, tone }) },
    tellsRenewals: true,
  });
  const clock = createShopClock({
    movable,
    observe: tell.observe,
    readLists: () => Promise.all([plugin.parts.requestCatchUp(), plugin.parts.requestActionsSync()]),
    stories: () => story.length,
  });
  const controls: Controls = {
    shop,
    inTurn: clock.inTurn,
    narrate: tell.narrate,
    time: {
      setSpeed: (name) => {
        clock.setSpeed(name);
        return `The clock's speed: ${name}.`;
      },
      toNextEvent: async () => {
        const before = story.length;
        await clock.toNextEvent();
        return describeLines(story.slice(before));
      },
    },
  };
  const playground: Playground = {
    url: world.url,
    world,
    shop,
    clock,
    story,
    emails,
    controls,
    stop: world.stop,
    now: () => movable.clock.now(),
  };
  pages.use(
    CONTROLS_PATH,
    takeOrders(() => controls),
  );
  pages.get(`${PREFIX}/console/login`, openConsole({ plugin, password: consolePassword }));
  pages.get(`${PREFIX}/card-update/:token`, async (_request, _response, next) => {
    await standStill(playground, story);
    next();
  });
  addPages(pages, playground);
  return playground;
}

/** The customer's page is good for minutes, which are over in no time. */
async function standStill({ clock, now }: Shown, story: StoryLine[]): Promise<void> {
  if (clock.speed() === 'pause') return;
  clock.setSpeed('pause');
  await clock.inTurn(() => {});
  const what = 'the clock is stopped while the customer is on the page';
  story.push({ when: moment(now()), who: '', what, tone: 'quiet' });
}

function describeLines(lines: readonly StoryLine[]): string {
  if (lines.length === 0) return 'Nothing more happens without you.';
  return lines.map(({ when, who, what }) => [when, who, what].filter(Boolean).join('  ')).join('\n');
}

/** How often the page's seconds are let pass; and how much of them at most, where the work takes longer. */
const BEAT_MS = 200;
const MOST_SECONDS = 1;

/** Lets time pass as real time does. `onFailure` is called once, and nothing moves any more. Returns what ends it. */
export function runPlayground({ clock }: Playground, onFailure: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let last = performance.now();
  const beat = async () => {
    const now = performance.now();
    const seconds = Math.min((now - last) / 1000, MOST_SECONDS);
    last = now;
    await clock.pass(seconds);
    if (!isOver) timer = setTimeout(next, BEAT_MS);
  };
  const next = () => void beat().catch((error: unknown) => isOver || onFailure(error));
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** What a browser gets: the page, its script, and each email as the customer gets it. */
function addPages(router: Router, shown: Shown): void {
  const headers = createPageHeaders(PLAYGROUND_STYLE, { scripts: true });
  router.get('/', ...headers, (_request, response) => {
    allowFrame(response);
    response.type('html').send(renderPlayground(shown));
  });
  router.get('/playground.js', ...headers, (_request, response) => {
    response.type('text/javascript').send(PLAYGROUND_SCRIPT);
  });
  router.get('/emails/:number', ...headers, (request, response, next) => {
    const arrived = shown.emails[Number(request.params.number) - 1];
    if (arrived) sendInFrame(response, arrived.email.html, { hasLinks: true });
    else next();
  });
}

/**
 * Replaces the sign-in page: the player is the operator, also when a session has aged by weeks in a minute. Signs in with the
 * password as a person would, and redirects to the requested page.
 */
function openConsole({ plugin, password }: { plugin: Plugin; password: string }): RequestHandler {
  const ask = createInProcessFetch(express().use(plugin.router));
  return async (request, response) => {
    const place = toPlace(request.query.to);
    const login = `${IN_PROCESS_URL}/console/login`;
    const bounds = { withinMs: SIGN_IN_WITHIN_MS, mostBytes: ANSWER_BYTES };
    const form = await askWithin(ask, login, { method: 'GET', headers: {}, redirect: 'manual' }, bounds);
    const token = TOKEN.exec(form.text)?.[1] ?? '';
    const filled = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, password }).toString(),
      redirect: 'manual',
    } as const;
    const answer = await askWithin(ask, login, filled, bounds);
    for (const cookie of answer.headers.getSetCookie()) response.append('Set-Cookie', cookie);
    response.redirect(303, `./${place}`);
  };
}

/** The playground's only script. The page works without it: then a button answers with the whole page, and time is seen on reload. */

const LOOK_EVERY_MS = 600;

/**
 * Updates the page in place: lists get new entries at their top, other parts are replaced where they differ, and the focused
 * element keeps its focus.
 */
const PLAYGROUND_SCRIPT = `'use strict';
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
