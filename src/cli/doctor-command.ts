import { z } from 'zod';
import { openSdk } from '../clients/stripe-client.ts';
import { systemClock } from '../clock.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { ConfigError } from '../errors.ts';
import { type Write, writeToTerminal } from '../operator/text/command-result.ts';
import { checkAddress } from '../setup/doctor/address-checks.ts';
import { describeFinding } from '../setup/doctor/describe-finding.ts';
import { type Finding, finding } from '../setup/doctor/finding.ts';
import {
  checkMail,
  checkService,
  listThingsToLookAt,
  type ResolveTxt,
} from '../setup/doctor/other-checks.ts';
import { checkStripe } from '../setup/doctor/stripe-checks.ts';
import { runConnect } from './connect-command.ts';

const doctorOptions = z.object({ json: z.boolean().default(false), fix: z.boolean().default(false) });

/** Exit code 0 without problems, 1 with one, 2 where the settings cannot be read. */
export async function runDoctor(
  options: unknown,
  write: Write = writeToTerminal,
  resolve?: ResolveTxt,
): Promise<number> {
  const { json, fix } = doctorOptions.parse(options);
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
  await runConnect({ portal: fixes.has('portal') }, json ? () => {} : write);
  return code;
}

function readConfig(): Config | ConfigError {
  try {
    return loadConfig();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function examine(config: Config, resolve: ResolveTxt | undefined): Promise<Finding[]> {
  return [
    finding('settings', 'ok', `mode ${config.mode}, ${config.livemode ? 'live' : 'test'} mode`),
    ...(await checkStripe(openSdk(config.stripe), config, systemClock)),
    ...(await checkAddress(config, systemClock)),
    await checkService(config),
    ...(await checkMail(config, resolve)),
    ...listThingsToLookAt(config),
  ];
}

function show(findings: readonly Finding[], { json, write }: { json: boolean; write: Write }): number {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (json) write(`${JSON.stringify({ problems, findings }, null, 2)}\n`);
  else {
    for (const one of findings) write(`${describeFinding(one)}\n`);
    write(problems === 0 ? '\nNo problem was found.\n' : `\n${problems} to mend.\n`);
  }
  return problems === 0 ? 0 : 1;
}
