/** Which language a customer reads. */
import type { Translation } from './mail-texts.ts';
import { de } from './translations/de.ts';
import { en } from './translations/en.ts';
import { es } from './translations/es.ts';
import { fr } from './translations/fr.ts';
import { it } from './translations/it.ts';
import { ja } from './translations/ja.ts';
import { nl } from './translations/nl.ts';
import { pt } from './translations/pt.ts';

/** A file of texts for each. */
export const TRANSLATIONS: Readonly<Record<string, Translation>> = { en, de, fr, es, it, pt, nl, ja };

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
  return locale !== undefined && Object.hasOwn(TRANSLATIONS, languageOf(locale)) ? locale : undefined;
}

export function translationOf(locale: string): Translation {
  return TRANSLATIONS[languageOf(locale)] ?? en;
}

function languageOf(locale: string): string {
  return locale.split('-')[0] ?? FALLBACK_LANGUAGE;
}

/** `de_AT`, as some systems write it, is `de-AT`. Extensions of a tag would change calendar or digits: left out. */
function canonicalLocale(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-')).baseName;
  } catch {
    return undefined;
  }
}
