import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: 'the merchant',
  greeting: 'Hello {name},',
  greetingWithoutName: 'Hello,',
  bareLink: 'If the button does not work, copy this address into your browser:',
};
