/** Every path of the plugin. */
import express, { type RequestHandler, type Router } from 'express';
import { createGuessTable } from '../../core/database/guess-table.ts';
import type { Measures } from '../../core/telemetry/measures.ts';
import { createGuessLimit } from '../../core/web/guess-limit.ts';
import { createMetricsRouter } from '../../core/web/metrics-router.ts';
import type { RetryService } from '../../service/service.ts';
import type { AppDeps } from '../operator/stripe-app/app-router.ts';
import { describeAcknowledgment } from '../operator/text/describe-acknowledgment.ts';
import type { RetryDeps } from '../retry/actions/retry-deps.ts';
import { createCallbackSource } from '../retry/instructions/callback.ts';
import { createInstructionRouter } from '../retry/instructions/receive-instruction.ts';
import { createCardUpdateRouter, noteVisit, planNewLink } from '../retry/mail/card-update-page.ts';
import { findDueInvoice } from '../retry/mail/find-due-invoice.ts';
import { OWN_ACCOUNT } from '../settings/account.ts';
import type { AccessOf, Accounts } from '../settings/accounts.ts';
import { findForgotten } from '../store/tables/forgotten.ts';
import { findAccountObjection } from '../store/tables/stored-accounts.ts';
import { collectMetrics } from './collect-metrics.ts';
import type { Ready } from './health.ts';

/** What a setting switches on is loaded where it is on. */
export async function createRouter(
  deps: RetryDeps &
    Pick<AppDeps, 'config' | 'idOf' | 'admit' | 'operations' | 'checks'> & {
      accounts: Accounts;
      accessOf: AccessOf;
      service: RetryService | undefined;
      measures: Measures;
      readiness: () => Promise<Ready>;
    },
  receive: RequestHandler,
): Promise<Router> {
  const { config, database, clock, logger, stripe } = deps;
  const router = express.Router();
  const guesses = createGuessTable(database, 'payment_retry');
  const limitGuesses = createGuessLimit({ guesses, clock, logger });
  const callback = createCallbackSource({ ...deps, describe: describeAcknowledgment });
  router.post('/webhooks/stripe', receive);
  router.use(createInstructionRouter({ ...deps, limitGuesses }, callback));
  router.use(
    createCardUpdateRouter({
      ...deps,
      ...config,
      createPortalSession: (input) =>
        stripe.createPortalSession(
          input.account === OWN_ACCOUNT ? { ...input, configuration: config.portalConfiguration } : input,
        ),
      isOver: async (claims) =>
        (await findAccountObjection(database, deps.accounts, claims.account)) !== undefined ||
        (await findForgotten(database, claims)) !== undefined,
      findInvoice: (account, id) => findDueInvoice(deps, account, id),
      noteLinkUse: (claims, use) => noteVisit(deps, claims, use),
      askForNewLink:
        deps.mailer && config.mode !== 'observe' ? (claims) => planNewLink(deps, claims) : undefined,
    }),
  );
  router.get('/readyz', async (_req, res) => {
    const { lastError, ...open } = await deps.readiness();
    res.json(open);
  });
  const { measures } = deps;
  const collect = () => collectMetrics(deps, measures);
  if (config.metricsToken !== undefined)
    router.use(createMetricsRouter({ token: config.metricsToken, measures, collect }, limitGuesses));
  if (config.signIn) {
    const { createConsole } = await import('../operator/console/console.ts');
    router.use(createConsole(deps));
  }
  if (config.stripeAppSecrets) {
    const { createStripeApp } = await import('../operator/stripe-app/app-router.ts');
    router.use(createStripeApp({ ...deps, limitGuesses }));
  }
  if (config.operatorTokens) {
    const { createApi } = await import('../operator/api/api-router.ts');
    const { operations, checks } = deps;
    router.use(createApi({ tokens: config.operatorTokens, operations, checks, limitGuesses }));
  }
  return router;
}
