import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
  subject: 'Veuillez mettre à jour votre carte\u00a0: {amount} pour {merchant}',
  preview: 'Votre paiement de {amount} n’a pas abouti.',
  heading: 'Veuillez mettre à jour votre carte',
  opening: [
    'Votre paiement de {amount} à {merchant} n’a pas abouti.',
    'Veuillez vérifier votre carte ou en ajouter une autre. Dès qu’elle sera enregistrée, nous effectuerons une nouvelle tentative de paiement\u00a0; vous n’aurez rien d’autre à faire.',
  ],
  button: 'Mettre à jour ma carte',
  closing: [
    'Ce lien vous est personnel, merci de ne pas le transmettre. Date d’expiration\u00a0: {until}.',
    'Vous saisissez les données de votre carte sur une page sécurisée de Stripe, notre prestataire de paiement. Nous ne vous les demanderons jamais par e-mail.',
    'Une question, ou le paiement est déjà réglé\u00a0? Répondez à cet e-mail\u00a0: {merchant} vous aidera volontiers.',
  ],
};
