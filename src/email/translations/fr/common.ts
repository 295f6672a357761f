import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'cette entreprise',
  greeting: 'Bonjour {name},',
  greetingWithoutName: 'Bonjour,',
  bareLink: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:',
};
