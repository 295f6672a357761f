import { nameMode, OWN_ACCOUNT } from '../../../settings/account.ts';
import { publicAddress } from '../../../settings/own-paths.ts';
import { unsealCredentials } from '../../../store/tables/account-credentials.ts';
import { findAccountSettings } from '../../../store/tables/account-settings.ts';
import { findPause } from '../../../store/tables/retry/pauses.ts';
import { type ExplainedFinding, explainFinding } from '../../checks/describe-finding.ts';
import { type Finding, type FindingCode, type FindingState, finding } from '../../checks/finding.ts';
import { describeSettings } from '../../checks/run-checks.ts';
import { checkAccount, checkAccountCredentials } from '../../checks/stored-checks.ts';
import type { AnswerDeps, AppQuery } from '../define-request.ts';

/** As the server was started with, which are changed there, and what the account has set for itself. */
export async function answerSettings(
  { config, database }: AnswerDeps,
  { account, accountId, abilities }: AppQuery,
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
    own: account === OWN_ACCOUNT ? null : await describeOwn(config, database, account),
  };
}

/** What the account has set for itself. What is secret stays here. */
async function describeOwn(
  { livemode, service, accountSettingsKeys, publicUrl }: AnswerDeps['config'],
  database: AnswerDeps['database'],
  account: string,
): Promise<object> {
  const key = { account, mode: nameMode(livemode) };
  const {
    businessEntity = null,
    credentials = null,
    savedAt = null,
  } = (await findAccountSettings(database, key)) ?? {};
  const opens =
    credentials !== null && unsealCredentials(accountSettingsKeys, key, credentials) !== undefined;
  return {
    businessEntity,
    credentials: credentials === null ? 'none' : opens ? 'set' : 'unreadable',
    savedAt,
    takesCredentials: service.kind === 'remote' && accountSettingsKeys.length > 0,
    callbackUrl: publicAddress(publicUrl, `accounts/${account}/recovery_action`).href,
  };
}

export interface ShownCheck extends ExplainedFinding {
  readonly code: FindingCode;
  readonly state: FindingState;
}

/** The own account reads of the whole installation; another of itself, and whether the server is there for it. */
export async function answerOnboarding(
  deps: AnswerDeps,
  { account }: AppQuery,
): Promise<{ checks: readonly ShownCheck[] }> {
  const findings = account === OWN_ACCOUNT ? await deps.checks() : await checkOther(deps, account);
  return { checks: findings.map((found) => ({ ...found, ...explainFinding(found) })) };
}

async function checkOther(deps: AnswerDeps, account: string): Promise<Finding[]> {
  const hasMail = deps.config.mail !== undefined;
  return [
    describeSettings(deps.config),
    ...(await checkAccount(deps, account)),
    ...(await checkAccountCredentials(deps, account)),
    finding('mail_server', hasMail ? 'ok' : 'warning', hasMail ? '' : 'none'),
  ];
}
