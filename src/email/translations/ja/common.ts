import type { CommonTexts } from '../../mail-texts.ts';

export const common: CommonTexts = {
  unnamedMerchant: '当社',
  greeting: '{name} 様',
  greetingWithoutName: 'お客様',
  bareLink: 'ボタンが機能しない場合は、次のアドレスをコピーしてブラウザーで開いてください。',
};
