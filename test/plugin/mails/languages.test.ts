import fc from 'fast-check';
import {
  chooseLocale,
  findLocale,
  TRANSLATIONS,
  translationKey,
} from '../../../src/plugin/mails/languages.ts';

test.each<[string[] | null | undefined, string, string]>([
  [['de'], 'en', 'de'],
  [['de-AT', 'en'], 'en', 'de-AT'],
  [['pt-BR'], 'en', 'pt-BR'],
  [['zh', 'fr-CA', 'de'], 'en', 'fr-CA'],
  [['zh'], 'de', 'de'],
  [['zh', 'auto'], 'en', 'en'],
  [[], 'ja', 'ja'],
  [null, 'nl-BE', 'nl-BE'],
  [undefined, 'sv', 'sv'],
  [undefined, 'cs', 'en'],
  [['no'], 'en', 'nb'],
  [['nn-NO'], 'en', 'nb-NO'],
  [['pt-PT'], 'en', 'pt-PT'],
  [['not a tag', '', 'it'], 'en', 'it'],
  [['de_CH'], 'en', 'de-CH'],
  [['DE-at'], 'en', 'de-AT'],
  [['ja-JP-u-ca-japanese'], 'en', 'ja-JP'],
  [['constructor'], 'en', 'en'],
  [['es-419'], 'en', 'es-419'],
])('a customer who prefers %j of a merchant of %s reads %s', (preferred, merchant, expected) => {
  expect(chooseLocale(preferred, merchant)).toBe(expected);
});

test.each([
  ['pt-BR', 'pt-BR'],
  ['pt', 'pt'],
  ['pt-AO', 'pt'],
  ['nb-NO', 'nb'],
  ['no', 'nb'],
  ['de-AT', 'de'],
  ['cs', 'en'],
])('who reads %s gets the texts of %s', (locale, key) => {
  expect(translationKey(locale)).toBe(key);
});

test('whatever is preferred, the language has texts and the tag can be formatted with', () => {
  const anyTag = fc.oneof(fc.string(), fc.constantFrom('de', 'fr-CA', 'zh-Hant', 'pt_BR', 'en-u-nu-arab'));
  fc.assert(
    fc.property(fc.array(anyTag), anyTag, (preferred, merchant) => {
      const locale = chooseLocale(preferred, merchant);
      expect(Object.keys(TRANSLATIONS)).toContain(locale.split('-')[0]);
      expect(findLocale(locale)).toBe(locale);
      expect(new Intl.NumberFormat(locale).format(1)).toBe('1');
    }),
  );
});
