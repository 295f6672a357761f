import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'dit bedrijf',
  greeting: 'Beste {name},',
  greetingWithoutName: 'Goedendag,',
  bareLink: 'Werkt de knop niet? Kopieer dan dit adres naar uw browser:',
};
