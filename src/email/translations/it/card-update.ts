import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
  subject: 'Aggiorni la Sua carta: {amount} per {merchant}',
  preview: 'Il Suo pagamento di {amount} non è andato a buon fine.',
  heading: 'Aggiorni la Sua carta',
  opening: [
    'Il Suo pagamento di {amount} a favore di {merchant} non è andato a buon fine.',
    'La preghiamo di controllare la Sua carta o di aggiungerne un’altra. Non appena sarà salvata, ripeteremo il pagamento: non dovrà fare altro.',
  ],
  button: 'Aggiorna la carta',
  closing: [
    'Il link è personale, La preghiamo di non condividerlo. Scadenza: {until}.',
    'I dati della carta si inseriscono in una pagina sicura di Stripe, il nostro fornitore di servizi di pagamento. Non glieli chiederemo mai via e-mail.',
    'Ha domande o ha già provveduto? Risponda a questa e-mail: riceverà assistenza da {merchant}.',
  ],
};
