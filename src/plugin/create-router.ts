/** Every path of the plugin. */
import express, { type Router } from 'express';
import { OWN_ACCOUNT } from '../config/account.ts';
import type { AccessOf, Accounts } from '../config/accounts.ts';
import { createGuessLimit } from '../http/guess-limit.ts';
import { createApi } from '../operator/api/api-router.ts';
import { createConsole } from '../operator/console/console.ts';
import { describeAcknowledgment } from '../operator/text/describe-acknowledgment.ts';
import type { RetryDeps } from '../retry/actions/retry-deps.ts';
import { createCallbackRouter } from '../retry/instructions/callback.ts';
import { createCardUpdateRouter } from '../retry/mail/card-update-page.ts';
import { findDueInvoice } from '../retry/mail/find-due-invoice.ts';
import type { RetryService } from '../service/service.ts';
import { createGuessTable } from '../store/engine/guess-table.ts';
import { findForgotten } from '../store/tables/forgotten.ts';
import { findAccountObjection } from '../store/tables/stored-accounts.ts';
import { type AppDeps, createStripeApp } from '../stripe-app/app-router.ts';
import type { Measures } from '../telemetry/measures.ts';
import { createOperatorRouter } from './operator-router.ts';

export function createRouter(
  deps: RetryDeps &
    Pick<AppDeps, 'config' | 'idOf' | 'admit' | 'operations' | 'checks'> & {
      accounts: Accounts;
      accessOf: AccessOf;
      service: RetryService | undefined;
      measures: Measures;
    },
  webhooks: Router,
): Router {
  const { config, database, clock, logger, stripe, merchantName, brandColor } = deps;
  const router = express.Router();
  const guesses = createGuessTable(database, 'payment_retry');
  const limitGuesses = createGuessLimit({ guesses, clock, logger });
  router.use(webhooks, createCallbackRouter({ ...deps, limitGuesses, describe: describeAcknowledgment }));
  router.use(
    createCardUpdateRouter({
      ...config,
      clock,
      logger,
      createPortalSession: (input) =>
        stripe.createPortalSession(
          input.account === OWN_ACCOUNT ? { ...input, configuration: config.portalConfiguration } : input,
        ),
      isOver: async (claims) =>
        (await findAccountObjection(database, deps.accounts, claims.account)) !== undefined ||
        (await findForgotten(database, claims)) !== undefined,
      findInvoice: (account, id) => findDueInvoice(deps, account, id),
      merchantName,
      brandColor,
    }),
  );
  router.use(createOperatorRouter({ ...deps, metricsToken: config.metricsToken, limitGuesses }));
  router.use(createConsole({ ...deps, keysPage: deps.service?.keysPage }));
  router.use(createStripeApp({ ...deps, limitGuesses }));
  const tokens = config.operatorTokens;
  if (tokens) router.use(createApi({ tokens, operations: deps.operations, limitGuesses }));
  return router;
}
