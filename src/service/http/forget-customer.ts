/** POST /v1/forgotten_customers: erases the personal data of a customer in the caller's records. */
import type { RequestHandler } from 'express';
import { describeIssue } from '../../contract/contract.ts';
import { forgottenCustomer } from '../../contract/forgotten-customer.ts';
import type { Clock } from '../../kit/clock.ts';
import { orUnavailable } from '../../kit/errors.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Database } from '../../store/engine/database.ts';
import { organizationOf } from '../keys/api-keys.ts';
import { forgetCustomer } from '../store/forgotten-customers.ts';
import { lockActionOrder } from '../store/recovery-actions.ts';
import { refuse } from './refuse.ts';
import { requestIdOf } from './request-id.ts';

export function createForgettingHandler({
  database,
  clock,
  logger,
}: {
  database: Database;
  clock: Clock;
  logger: Logger;
}): RequestHandler {
  return async (request, response) => {
    const asked = forgottenCustomer.safeParse(request.body);
    if (!asked.success) {
      refuse(response, 400, describeIssue(asked.error));
      return;
    }
    const organization = organizationOf(response);
    const { customerId } = asked.data;
    const forgetting = database.transaction(async (tx) => {
      // No case of theirs is decided about meanwhile.
      await lockActionOrder(tx, organization);
      return forgetCustomer(tx, organization, customerId, clock.now());
    });
    const removed = await orUnavailable(forgetting);
    logger.info(
      { requestId: requestIdOf(response), organization, customerId, removed },
      'a customer was forgotten',
    );
    response.json({ removed });
  };
}
