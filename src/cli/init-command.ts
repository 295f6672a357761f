import { existsSync } from 'node:fs';
import { cancel, intro, isCancel, note, outro, password, text } from '@clack/prompts';
import { z } from 'zod';
import { readOptions } from '../core/base/command-options.ts';
import { ConfigError } from '../core/base/errors.ts';
import { type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { CANNOT_KNOW } from '../plugin/settings/forwarding.ts';
import { FILE_SUFFIX } from '../plugin/settings/schema/setting-files.ts';
import { readEnvFile, writeWhole } from './setup/env-file.ts';
import { findProblem, MADE, makeSecret, QUESTIONS, type Question } from './setup/questions.ts';
import { renderSettings } from './setup/write-settings.ts';

const initOptions = z.object({
  file: z.string().default('.env'),
  set: z.array(z.string().regex(/^[A-Z_]+=/, 'has the form NAME=value')).default([]),
  yes: z.boolean().default(false),
});

type Values = Record<string, string | undefined>;

/** Returns 0 once the file is written, 1 if the person stopped before. Existing entries of the file are kept. */
export async function runInit(options: unknown, write: Write = writeToTerminal): Promise<number> {
  const { file, set, yes } = readOptions(initOptions, options, ({ message }) => `--set ${message}`);
  const values: Values = { ...readEnvFile(file), ...readPairs(set) };
  const isAsking = !yes && process.stdin.isTTY === true;
  if (isAsking) intro(`Payment Retry for Stripe: settings for ${file}`);
  const problems: string[] = [];
  for (const question of QUESTIONS.filter((one) => isOpen(one, values))) {
    const given = values[question.name];
    const isOpenStill = given === undefined || question.isAskedAgain?.(given) === true;
    const answer = isAsking && isOpenStill ? await ask(question, values) : (given ?? question.usual(values));
    if (answer === undefined) return 1;
    const problem = findProblem(question, answer);
    if (problem !== undefined) problems.push(problem);
    values[question.name] = answer;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  for (const { name, isMade } of MADE)
    if ((isMade?.(values) ?? true) && !values[name] && !isInFile(name, values)) values[name] = makeSecret();
  const isNew = !existsSync(file);
  writeWhole(file, renderSettings(values));
  const url = values.RETRY_SERVICE_URL ?? 'embedded';
  conclude(file, { isNew, isAsking, write, next: url === 'embedded' ? NEXT : `${NEXT}\n\n${TELL_SERVICE}` });
  return 0;
}

const isInFile = (name: string, values: Values) => Boolean(values[`${name}${FILE_SUFFIX}`]);

const isOpen = ({ name, isAsked }: Question, values: Values) =>
  !isInFile(name, values) && (isAsked?.(values) ?? true);

function readPairs(pairs: readonly string[]): Values {
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

/** Undefined where the person stops. */
async function ask(question: Question, values: Values): Promise<string | undefined> {
  const usual = question.usual(values);
  // A key that is pasted may bring a space or the end of its line.
  const validate = (value: string | undefined) => findProblem(question, value?.trim() || usual);
  const answer = question.isSecret
    ? await password({ message: question.ask, validate })
    : await text({ message: question.ask, placeholder: usual, defaultValue: usual, validate });
  if (!isCancel(answer)) return answer.trim() || usual;
  cancel('Nothing was written.');
  return undefined;
}

const NEXT = `npx stripe-payment-retry connect   creates the webhook endpoint at Stripe
npx stripe-payment-retry start     runs the plugin
npx stripe-payment-retry doctor    checks everything while the plugin runs`;

/** A remote service's first answer shows which records it takes. */
const TELL_SERVICE = `The service is offered invoices and payment attempts. If it takes neither, it sees little:
${CANNOT_KNOW}.`;

function conclude(
  file: string,
  { isNew, isAsking, write, next }: { isNew: boolean; isAsking: boolean; write: Write; next: string },
): void {
  const done = `${isNew ? 'Written' : 'Completed'}: ${file}, readable only by you. Run the commands in this folder: they read it from there.`;
  if (!isAsking) {
    write(`${done}\nNext:\n${next}\n`);
    return;
  }
  note(next, 'Next');
  outro(done);
}
