import { OWN_ACCOUNT } from '../../config/account.ts';
import { type Check, runChecks } from '../../operator/checks/run-checks.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';

/** As the server was started with; they are changed there. */
export async function answerSettings(
  { config, database }: AnswerDeps,
  { account, accountId, abilities }: Asked,
): Promise<object> {
  const { mode, service, emailWindow, timeZone, mail, publicUrl, afterGivingUp } = config;
  const pause = await findPause(database, account);
  return {
    accountId,
    isOwnAccount: account === OWN_ACCOUNT,
    server: publicUrl.host,
    service: service.kind === 'remote' ? service.baseUrl.host : 'embedded',
    mode,
    afterGivingUp,
    hasMail: mail !== undefined,
    mailWindow: { ...emailWindow, timeZone },
    pause: pause ? { since: pause.pausedAt, why: pause.reason, isForAll: pause.account !== account } : null,
    mayConfigure: abilities.includes('configure'),
  };
}

export async function answerOnboarding(
  deps: AnswerDeps,
  { account }: Asked,
): Promise<{ checks: readonly Check[] }> {
  return { checks: await runChecks(deps, account) };
}
