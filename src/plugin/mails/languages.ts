/** Which language a customer reads. */
import type { Translation } from './email-texts.ts';
import { da } from './translations/da.ts';
import { de } from './translations/de.ts';
import { en } from './translations/en.ts';
import { es } from './translations/es.ts';
import { fi } from './translations/fi.ts';
import { fr } from './translations/fr.ts';
import { it } from './translations/it.ts';
import { ja } from './translations/ja.ts';
import { nb } from './translations/nb.ts';
import { nl } from './translations/nl.ts';
import { pl } from './translations/pl.ts';
import { pt } from './translations/pt.ts';
import { ptBR } from './translations/pt-BR.ts';
import { sv } from './translations/sv.ts';

/** A file of texts for each, by the tag of the language, or of one region's way to write it. */
export const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  'pt-BR': ptBR,
  nl,
  da,
  nb,
  sv,
  fi,
  pl,
  ja,
};

/** Norwegian without its written form, and who writes the other one, reads Bokmål. */
const READS_AS: ReadonlyMap<string, string> = new Map([
  ['no', 'nb'],
  ['nn', 'nb'],
]);

export const FALLBACK_LANGUAGE = 'en';

/**
 * The first of a customer's languages (BCP 47 tags, in order of preference) that has texts, with its region, which
 * decides how dates and amounts look: `de-AT` is not `de-CH`. Without one the merchant's own choice: the country of the
 * address does not name the language, and a wrong guess reads worse than the merchant's language.
 */
export function chooseLocale(
  preferred: readonly string[] | null | undefined,
  merchantLocale: string,
): string {
  return findFirstLocale([...(preferred ?? []), merchantLocale]) ?? FALLBACK_LANGUAGE;
}

/** The first tag of a language with texts; undefined if there is none. */
export function findFirstLocale(tags: readonly string[]): string | undefined {
  return tags.flatMap((tag) => findLocale(tag) ?? [])[0];
}

/** The tag in its canonical form; undefined if it is none, or of a language without texts. */
export function findLocale(tag: string): string | undefined {
  const locale = canonicalLocale(tag);
  return locale === undefined || findKey(locale) === undefined ? undefined : locale;
}

export function translationOf(locale: string): Translation {
  return TRANSLATIONS[translationKey(locale)] ?? en;
}

/** The name of the file of texts that a reader of `locale` gets. */
export function translationKey(locale: string): string {
  return findKey(locale) ?? FALLBACK_LANGUAGE;
}

/** A region's own texts come before its language's. */
function findKey(locale: string): string | undefined {
  const [language = '', ...rest] = locale.split('-');
  const known = READS_AS.get(language) ?? language;
  return [[known, ...rest].join('-'), known].find((key) => Object.hasOwn(TRANSLATIONS, key));
}

/** `de_AT`, as some systems write it, is `de-AT`. Extensions of a tag would change calendar or digits: left out. */
function canonicalLocale(tag: string): string | undefined {
  try {
    const { baseName } = new Intl.Locale(tag.trim().replaceAll('_', '-'));
    // Dates and amounts are written in the language of the texts.
    return baseName.replace(/^[a-z]+/, (language) => READS_AS.get(language) ?? language);
  } catch {
    return undefined;
  }
}
