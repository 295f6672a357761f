import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'das Unternehmen',
  greeting: 'Guten Tag {name},',
  greetingWithoutName: 'Guten Tag,',
  bareLink: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie bitte diese Adresse in Ihren Browser:',
};
