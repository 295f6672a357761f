/**
 * Emails of the merchant's own, from a folder: `TEMPLATE[.STEP][.LANGUAGE].txt`, which begins with `Subject: `, and the same with
 * `.html`. They are read and checked once, before anything is sent.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { ConfigError, messageOf } from '../../core/base/errors.ts';
import { emailKind } from '../actions/action-kinds.ts';
import { EMAIL_STEPS, fillText } from './email-texts.ts';
import {
  EMAIL_VALUES,
  type EmailValueName,
  type EmailValues,
  escapeValue,
  isEmailValue,
} from './email-values.ts';
import type { EmailWords, RenderEmail } from './email-writer.ts';
import { TRANSLATIONS, translationKey } from './languages.ts';

const SUBJECT = /^Subject: *(\S.*)$/;
const PLACE = /\{(\w+)\}/g;

/** Throws ConfigError with everything that is wrong with the folder. */
export function readOwnTemplates(folder: string): RenderEmail {
  const problems: string[] = [];
  const files = listFiles(folder, problems);
  const names = new Set(files.map((file) => parse(file).name));
  const templates = new Map<string, EmailWords>();
  for (const name of names) {
    if (!isTemplateName(name)) problems.push(`has ${name}, which is no name of an email (${NAMES})`);
    const lacking = ['txt', 'html'].filter((ending) => !files.includes(`${name}.${ending}`));
    for (const ending of lacking) problems.push(`lacks ${name}.${ending}; each email is a .txt and an .html`);
    if (lacking.length === 0) templates.set(name, readTemplate(folder, name, problems));
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `EMAIL_TEMPLATES ${problem}`));
  return ({ template, step, locale, values }) => {
    const key = translationKey(locale);
    const languages = [...new Set([key, key.split('-')[0]])];
    const exactFirst = [
      ...languages.flatMap((language) => [`.${step}.${language}`, `.${language}`]),
      ...[`.${step}`, ''],
    ];
    const own = exactFirst.flatMap((rest) => templates.get(template + rest) ?? [])[0];
    return own && fill(own, values);
  };
}

const NAMES = 'such as card_update, card_update.de or card_update.last.de';

function listFiles(folder: string, problems: string[]): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.(txt|html)$/.test(file))
      .sort();
  } catch (error) {
    problems.push(`cannot be read: ${messageOf(error)}`);
    return [];
  }
}

function isTemplateName(name: string): boolean {
  const [template = '', ...rest] = name.split('.');
  const steps: readonly string[] = EMAIL_STEPS;
  const language = steps.includes(rest[0] ?? '') ? rest.slice(1) : rest;
  return (
    emailKind(template) !== undefined &&
    language.length <= 1 &&
    language.every((one) => Object.hasOwn(TRANSLATIONS, one))
  );
}

function readTemplate(folder: string, name: string, problems: string[]): EmailWords {
  const read = (ending: string) =>
    readFileSync(join(folder, `${name}.${ending}`), 'utf8').replace(/^\uFEFF/, '');
  const [first = '', ...lines] = read('txt').split(/\r?\n/);
  const subject = SUBJECT.exec(first)?.[1];
  if (subject === undefined) problems.push(`has ${name}.txt without "Subject: …" in its first line`);
  const own = { subject: subject ?? '', text: lines.join('\n').trimStart(), html: read('html') };
  for (const [part, ending] of [
    ['subject', 'txt'],
    ['text', 'txt'],
    ['html', 'html'],
  ] as const) {
    const places = [...own[part].matchAll(PLACE)].map(([, place = '']) => place);
    for (const place of places.filter((one) => !isEmailValue(one)))
      problems.push(`has {${place}} in ${name}.${ending}; there are ${EMAIL_VALUES.join(', ')}`);
    if (part !== 'subject' && !places.includes('link')) problems.push(`has ${name}.${ending} without {link}`);
  }
  return own;
}

/** A line with a place for something that is not known is left out. */
function fill({ subject, text, html }: EmailWords, values: EmailValues): Partial<EmailWords> {
  const known = Object.entries(values).filter(
    (entry): entry is [EmailValueName, string] => entry[1] !== undefined,
  );
  const plain = Object.fromEntries(known);
  const escaped = Object.fromEntries(known.map(([name, value]) => [name, escapeValue(value)]));
  const fillLines = (content: string, given: Readonly<Record<string, string>>) =>
    content
      .split('\n')
      .filter((line) => [...line.matchAll(PLACE)].every(([, place = '']) => Object.hasOwn(given, place)))
      .map((line) => fillText(line, given))
      .join('\n');
  // Ours takes the place of a subject that would be left out.
  const filled = fillLines(subject, plain);
  return {
    ...(filled === '' ? {} : { subject: filled }),
    text: fillLines(text, plain),
    html: fillLines(html, escaped),
  };
}
