import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
  update: {
    title: 'Mettre à jour votre carte',
    lines: [
      'Un paiement à {merchant} n’a pas abouti. Vérifiez votre carte ou ajoutez-en une autre, et nous effectuerons une nouvelle tentative de paiement.',
      'Montant à régler\u00a0: {amount}',
    ],
    button: 'Continuer vers la page sécurisée',
    notes: [
      'La page suivante est gérée par Stripe, notre prestataire de paiement. Les données de votre carte ne sont transmises qu’à Stripe.',
      'Ce lien vous est personnel. Date d’expiration\u00a0: {until}.',
    ],
  },
  thanks: {
    title: 'Merci',
    lines: [
      'Si vous avez enregistré une carte, {merchant} l’utilisera pour le paiement en attente. Vous n’avez rien d’autre à faire.',
    ],
    notes: ['Vous pouvez fermer cette page.'],
  },
  nothing_due: {
    title: 'Rien à régler',
    lines: [
      'Ce lien concernait un paiement à {merchant} qui n’est plus en attente. Vous n’avez rien à faire.',
    ],
    notes: ['Vous pouvez fermer cette page.'],
  },
  expired: {
    title: 'Ce lien a expiré',
    lines: [
      'Pour votre sécurité, la durée de validité du lien était limitée. Date d’expiration\u00a0: {until}.',
      'Pour en obtenir un nouveau, répondez à l’e-mail qui le contenait ou contactez {merchant}.',
    ],
    notes: [],
  },
  not_found: {
    title: 'Ce lien ne fonctionne pas',
    lines: [
      'Il manque peut-être une partie de l’adresse. Ouvrez à nouveau le lien dans l’e-mail, ou copiez-le en entier dans votre navigateur.',
      'Si cela ne suffit pas, répondez à l’e-mail qui le contenait.',
    ],
    notes: [],
  },
  try_again: {
    title: 'Un problème est survenu',
    lines: [
      'Nous n’avons pas pu ouvrir la page sécurisée. Rien n’a été modifié. Veuillez réessayer dans un instant.',
    ],
    button: 'Réessayer',
    notes: [],
  },
  too_many: {
    title: 'Un instant, s’il vous plaît',
    lines: [
      'De nombreuses demandes sont arrivées depuis votre réseau. Veuillez patienter quelques minutes, puis ouvrez à nouveau le lien.',
    ],
    notes: [],
  },
};
