/** `/console`: money, failed invoices and the state of the work, as pages. What is changed is changed by operations alone. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { OWN_ACCOUNT } from '../../config/account.ts';
import { deriveSecret } from '../../config/service-settings.ts';
import { cleanName } from '../../email/clean-name.ts';
import { publicAddress } from '../../http/own-paths.ts';
import type { PageFrame } from '../../http/page-frame.ts';
import { placeOf, rootFrom } from '../../http/page-place.ts';
import { allowFrame, allowOnPage, createPageHeaders } from '../../http/page-protection.ts';
import { createSignIn } from '../../http/sign-in/sign-in.ts';
import { hasRole, operatorOf } from '../../http/sign-in/sign-in-desk.ts';
import type { Clock } from '../../kit/clock.ts';
import { orUnavailable } from '../../kit/errors.ts';
import type { Logger } from '../../kit/logger.ts';
import { createGuessTable } from '../../store/engine/guess-table.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { createSessionTable } from '../../store/tables/session-table.ts';
import { describePauses } from '../text/describe-pauses.ts';
import { answerFailures } from './console-failures.ts';
import { type ConsolePage, renderConsolePage, renderOuterPage } from './console-layout.tsx';
import { FILES, PAGES } from './console-pages.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { lookUp } from './invoices/invoice-page.ts';
import { LIVE_NAME, LIVE_SCRIPT } from './live-script.ts';
import { sendMailBody } from './mails/mail-pages.ts';
import { addOperations, addOperationsOnSeveral, answerOf, keepForm } from './operation-routes.ts';
import { notFound, type Page, type PageDeps } from './page-answer.ts';
import { readerOf } from './page-reader.ts';
import { addViews, findViews } from './view-routes.ts';

export interface ConsoleDeps extends PageDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the settings or from memory. */
  readonly merchantName?: (account: string) => Promise<string>;
  /** The page of API keys of a service that runs in this process. */
  readonly keysPage?: ((frame: PageFrame) => RequestHandler) | undefined;
}

/** Nothing while nobody may sign in, and no sign that there could be a console. */
export function createConsole(deps: ConsoleDeps): Router {
  const router = Router();
  const { signIn: settings, stripe, publicUrl } = deps.config;
  if (settings === undefined) return router;
  const signIn = createSignIn({
    settings,
    table: createSessionTable(deps.database, 'payment_retry'),
    guesses: createGuessTable(deps.database, 'payment_retry'),
    clock: deps.clock,
    logger: deps.logger,
    key: deriveSecret(stripe.secretKey, 'console sessions'),
    rootUrl: publicAddress(publicUrl, 'console/'),
    home: '',
    placeOfForm: (request, fields) => keepForm(placeOf(request), fields),
    render: renderOuterPage,
    note: async ({ kind, ...detail }) => {
      const entry = { account: OWN_ACCOUNT, at: deps.clock.now(), invoiceId: undefined };
      await recordAudit(deps.database, { ...entry, kind: `operator.${kind}`, detail });
    },
  });
  const pages = Router();
  pages.use(...createPageHeaders(CONSOLE_STYLE, { scripts: true }), signIn.router, signIn.require);
  addPages(pages, deps);
  pages.use(answerFailures(deps.logger));
  router.use('/console', pages);
  return router;
}

function addPages(pages: Router, deps: ConsoleDeps): void {
  pages.get(`/${LIVE_NAME}`, (_request, response) => void response.type('text/javascript').send(LIVE_SCRIPT));
  addOperations(pages, deps.operations);
  addOperationsOnSeveral(pages, deps.operations);
  addViews(pages, deps);
  pages.get('/invoices', lookUp);
  for (const [path, send] of Object.entries(FILES))
    pages.get(path, (request, response) =>
      send(deps, { request, reader: readerOf(request, deps.clock.now()) }, response),
    );
  pages.get('/mails/:id/body', sendMailBody(deps));
  for (const [path, page] of Object.entries(PAGES)) pages.get(path, showPage(deps, page));
  // Not `use`, which would make it a root of its own.
  if (deps.keysPage) pages.all('/keys', deps.keysPage(frameOf(deps)));
  const nothing = notFound(
    'Nothing here',
    'The console has no page at this address. Choose one from the menu.',
  );
  pages.use(showPage(deps, async () => nothing));
}

function showPage(deps: ConsoleDeps, page: Page): RequestHandler {
  return async (request, response) => {
    const { status = 200, ...shown } = await page(deps, {
      request,
      reader: readerOf(request, deps.clock.now()),
      token: operatorOf(response).token,
    });
    if (answerOf(response) === undefined) response.status(status);
    if (shown.hasFrame) allowFrame(response);
    await sendPage(deps, request, response, shown);
  };
}

/** The console around a page of another part, which has been let in already. */
function frameOf(deps: ConsoleDeps): PageFrame {
  return {
    require: (_request, response, next) =>
      next(hasRole(operatorOf(response), 'administrator') ? undefined : 'router'),
    send: (request, response, page) => {
      allowOnPage(response, page);
      return sendPage(deps, request, response, { ...page, here: 'keys' });
    },
  };
}

async function sendPage(deps: ConsoleDeps, request: Request, response: Response, page: ConsolePage) {
  const alarms = describePauses(await orUnavailable(listPauses(deps.database)));
  const operator = operatorOf(response);
  const { name, token, role } = operator;
  const around = {
    root: rootFrom(request),
    token,
    operator: name,
    role,
    merchant: cleanName(await deps.merchantName?.(OWN_ACCOUNT).catch(() => undefined)),
    isLive: deps.config.livemode,
    hasKeys: deps.keysPage !== undefined && hasRole(operator, 'administrator'),
    installation: [
      ...describeInstallation(deps.config),
      `times in ${readerOf(request, deps.clock.now()).zone}`,
    ],
    alarms,
    answer: answerOf(response),
    reader: readerOf(request, deps.clock.now()),
    kept: keptForm.parse(request.query),
    views: await findViews(deps.database, request, operator),
  };
  response.type('html').send(renderConsolePage(page, around));
}

const keptForm = z.record(z.string(), z.string()).catch({});

function describeInstallation({ mode, service }: ConsoleDeps['config']): string[] {
  return [`${mode} mode`, `${service.kind} retry service`];
}
