import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'esta empresa',
  greeting: 'Hola, {name}:',
  greetingWithoutName: 'Hola:',
  bareLink: 'Si el botón no funciona, copie esta dirección en su navegador:',
};
