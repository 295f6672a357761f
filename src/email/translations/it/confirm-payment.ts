import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
  subject: 'Confermi il Suo pagamento: {amount} per {merchant}',
  preview: 'La Sua banca Le chiede di confermare un pagamento di {amount}.',
  heading: 'Confermi il Suo pagamento',
  opening: [
    'La Sua banca Le chiede di confermare il pagamento di {amount} a favore di {merchant}.',
    'Basta un momento: apra la fattura, scelga la Sua carta e segua le indicazioni della banca. Non dovrà fare altro.',
  ],
  button: 'Conferma il pagamento',
  closing: [
    'La conferma avviene in una pagina sicura di Stripe, il nostro fornitore di servizi di pagamento. Non Le chiederemo mai i dati della carta via e-mail.',
    'Ha domande o ha già provveduto? Risponda a questa e-mail: riceverà assistenza da {merchant}.',
  ],
};
