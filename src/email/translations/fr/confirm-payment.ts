import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
  subject: 'Veuillez confirmer votre paiement\u00a0: {amount} pour {merchant}',
  preview: 'Votre banque vous demande de confirmer un paiement de {amount}.',
  heading: 'Veuillez confirmer votre paiement',
  opening: [
    'Votre banque vous demande de confirmer votre paiement de {amount} à {merchant}.',
    'Cela ne prend qu’un instant\u00a0: ouvrez la facture, choisissez votre carte et suivez les étapes indiquées par votre banque. Vous n’aurez rien d’autre à faire.',
  ],
  button: 'Confirmer mon paiement',
  closing: [
    'La confirmation se fait sur une page sécurisée de Stripe, notre prestataire de paiement. Nous ne vous demanderons jamais les données de votre carte par e-mail.',
    'Une question, ou le paiement est déjà réglé\u00a0? Répondez à cet e-mail\u00a0: {merchant} vous aidera volontiers.',
  ],
};
