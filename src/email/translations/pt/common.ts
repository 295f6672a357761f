import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'esta empresa',
  greeting: 'Olá, {name},',
  greetingWithoutName: 'Olá,',
  bareLink: 'Se o botão não funcionar, copie este endereço para o seu navegador:',
};
