import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'questa azienda',
  greeting: 'Gentile {name},',
  greetingWithoutName: 'Buongiorno,',
  bareLink: 'Se il pulsante non funziona, copi questo indirizzo nel Suo browser:',
};
