import { chmodSync, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { ConfigError, messageWithCause } from '../core/base/errors.ts';
import { isLocked } from '../core/database/directory-lock.ts';
import { openDatabase } from '../core/database/open-database.ts';
import { openSdk } from '../plugin/clients/stripe-client.ts';
import { countProblems, describeFinding } from '../plugin/operator/checks/describe-finding.ts';
import { type Finding, type Fix, finding } from '../plugin/operator/checks/finding.ts';
import type { ResolveTxt } from '../plugin/operator/checks/other-checks.ts';
import { runChecks } from '../plugin/operator/checks/run-checks.ts';
import { checkStored } from '../plugin/operator/checks/stored-checks.ts';
import { type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { type Config, loadConfig } from '../plugin/settings/config.ts';
import { describeAppFolder } from './app-command.ts';
import { fixConnection } from './connect-command.ts';
import { runMigrate } from './migrate-command.ts';
import { runOnStore } from './process/run-on-store.ts';

const flag = z.boolean().default(false);
const doctorOptions = z.object({ json: flag, fix: flag, rehearse: flag, keep: flag });

/** Checks the installation, or plays the rehearsal. Exit code 0 without problems, 1 with one, 2 if the settings cannot be read. */
export async function runDoctor(
  options: unknown,
  write: Write = writeToTerminal,
  resolve?: ResolveTxt,
): Promise<number> {
  const { json, fix, rehearse, keep } = doctorOptions.parse(options);
  if (rehearse) return (await import('./run-rehearsal.ts')).runRehearsal(keep);
  const config = readConfig();
  if (config instanceof ConfigError) {
    const findings = config.problems.map((problem) => finding('settings', 'problem', problem));
    return show(findings, { json, write }) && 2;
  }
  const findings = await examine(config, resolve);
  const fixes = new Set(findings.flatMap((one) => one.fix ?? []));
  if (!fix || fixes.size === 0) return show(findings, { json, write });
  const code = show(
    findings.filter((one) => one.fix === undefined),
    { json, write },
  );
  await applyFixes(fixes, json ? () => {} : write);
  return code;
}

function readConfig(): Config | ConfigError {
  try {
    return loadConfig({}, process.env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function examine(config: Config, resolve: ResolveTxt | undefined): Promise<Finding[]> {
  const findings = await runChecks({
    config,
    stripe: openSdk(config.stripe),
    clock: systemClock,
    checkStored: () => readStoredChecks(config),
    resolve,
  });
  return [...checkSettingsFile(), ...findings, ...checkAppFolder(config)];
}

/** What `doctor` finds in the database: opened here, or asked of the process that has the embedded one. Changes nothing. */
async function readStoredChecks(config: Config): Promise<Finding[]> {
  const { database: location } = config;
  try {
    if (location.kind === 'embedded') {
      const { directory } = location;
      if (!existsSync(directory))
        return [finding('database', 'problem', `none in ${resolve(directory)} yet`)];
      if (await isLocked(directory)) return await askRunningProcess();
    }
    const database = await openDatabase(location);
    try {
      return await checkStored({ config, database });
    } finally {
      await database.close();
    }
  } catch (error) {
    return [finding('database', 'problem', messageWithCause(error))];
  }
}

/** The answer of this program's version, or of an older one that does not know the question and says so. */
const answered = z.array(
  z.custom<Finding>((value) => z.object({ code: z.string() }).safeParse(value).success),
);

async function askRunningProcess(): Promise<Finding[]> {
  let text = '';
  const output = { write: (part: string) => (text += part), isTTY: false, hasColors: false, columns: 80 };
  await runOnStore('checks', [], {}, { output, interrupted: () => new Promise<void>(() => {}) });
  return answered.parse(JSON.parse(text));
}

const SETTINGS_FILE = '.env';
const OTHERS = 0o077;

/** Nothing where settings come from elsewhere, and on Windows, which has no such modes. */
function checkSettingsFile(): Finding[] {
  const mode = statSync(SETTINGS_FILE, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || process.platform === 'win32') return [];
  const shown = (mode & 0o777).toString(8);
  return (mode & OTHERS) === 0
    ? [finding('settings_file', 'ok')]
    : [finding('settings_file', 'problem', `${SETTINGS_FILE} has mode ${shown}`, 'file_mode')];
}

function checkAppFolder(config: Config): Finding[] {
  const described = describeAppFolder(config);
  return described === undefined
    ? []
    : [finding('app_folder', described === '' ? 'ok' : 'warning', described)];
}

async function applyFixes(fixes: ReadonlySet<Fix>, write: Write): Promise<void> {
  if (fixes.has('file_mode')) {
    chmodSync(SETTINGS_FILE, 0o600);
    write(`${SETTINGS_FILE} is readable for its owner alone.\n`);
  }
  if (fixes.has('migrate')) await runMigrate({}, write);
  if (fixes.has('connect') || fixes.has('portal'))
    await fixConnection({ portal: fixes.has('portal') }, write);
}

function show(findings: readonly Finding[], { json, write }: { json: boolean; write: Write }): number {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (json) write(`${JSON.stringify({ problems, findings }, null, 2)}\n`);
  else {
    for (const one of findings) write(`${describeFinding(one)}\n`);
    write(`\n${countProblems(findings)}\n`);
  }
  return problems === 0 ? 0 : 1;
}
