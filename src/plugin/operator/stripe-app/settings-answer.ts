import { toIso } from '../../../core/base/clock.ts';
import { nameMode, OWN_ACCOUNT } from '../../settings/account.ts';
import { publicAddress } from '../../settings/own-paths.ts';
import { findAccountSettings, unsealCredentials } from '../../store/tables/account-settings.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { answerFindings } from '../checks/describe-finding.ts';
import { type Finding, finding } from '../checks/finding.ts';
import { describeSettings } from '../checks/run-checks.ts';
import { checkAccount, checkAccountCredentials } from '../checks/stored-checks.ts';
import type { OnboardingAnswer, OwnSettings, SettingsAnswer } from './answers.ts';
import type { AnswerDeps, AppQuery } from './define-request.ts';

/** The settings that the server was started with, and those of the account. */
export async function answerSettings(
  { config, database }: AnswerDeps,
  { account, accountId, abilities }: AppQuery,
): Promise<SettingsAnswer> {
  const { mode, service, emailWindow, timeZone, email, publicUrl } = config;
  const pause = await findPause(database, account);
  return {
    accountId,
    server: publicUrl.host,
    service: service.kind === 'remote' ? service.baseUrl.host : 'embedded',
    mode,
    hasEmail: email !== undefined,
    emailWindow: { ...emailWindow, timeZone },
    pause: pause
      ? { since: toIso(pause.pausedAt), reason: pause.reason, isForAll: pause.account !== account }
      : null,
    mayConfigure: abilities.includes('configure'),
    own: account === OWN_ACCOUNT ? null : await describeOwn(config, database, account),
  };
}

/** The settings of a connected account, without its secrets. */
async function describeOwn(
  { livemode, service, accountSettingsKeys, publicUrl }: AnswerDeps['config'],
  database: AnswerDeps['database'],
  account: string,
): Promise<OwnSettings> {
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
    savedAt: savedAt && toIso(savedAt),
    takesCredentials: service.kind === 'remote' && accountSettingsKeys.length > 0,
    callbackUrl: publicAddress(publicUrl, `accounts/${account}/recovery_action`).href,
  };
}

/** The own account reads of the whole installation; another of itself, and whether the server is there for it. */
export async function answerOnboarding(deps: AnswerDeps, { account }: AppQuery): Promise<OnboardingAnswer> {
  const findings = account === OWN_ACCOUNT ? await deps.checks() : await checkOther(deps, account);
  return { checks: answerFindings(findings).findings };
}

async function checkOther(deps: AnswerDeps, account: string): Promise<Finding[]> {
  const hasEmail = deps.config.email !== undefined;
  return [
    describeSettings(deps.config),
    ...(await checkAccount(deps, account)),
    ...(await checkAccountCredentials(deps, account)),
    finding('mail_server', hasEmail ? 'ok' : 'warning', hasEmail ? '' : 'none'),
  ];
}
