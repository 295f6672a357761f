import type { Translation } from '../email-texts.ts';

export const fr: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'cette entreprise',
    greeting: 'Bonjour {name},',
    greetingWithoutName: 'Bonjour,',
    bareLink: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:',
    closePage: 'Vous pouvez fermer cette page.',
    steps: {
      reminder: {
        subject: 'Rappel\u00a0: {subject}',
        lead: 'Nous vous avons déjà écrit\u00a0: le montant de {amount} reste dû.',
      },
      last: {
        subject: 'Dernier rappel\u00a0: {subject}',
        lead: 'Ceci est notre dernier rappel\u00a0: le montant de {amount} reste dû.',
      },
    },
    details: ['Abonnement\u00a0: {plan}', 'Facture\u00a0: {invoice}', 'Moyen de paiement\u00a0: {card}'],
    closing: {
      link: 'Ce lien est valable jusqu’au {until} et vous est personnel. Merci de ne pas le transmettre.',
      card: 'Vous saisissez les données de votre carte sur une page sécurisée de Stripe, notre prestataire de paiement. Nous ne vous les demanderons jamais par e-mail.',
      method:
        'Vous saisissez vos données de paiement sur une page sécurisée de Stripe, notre prestataire de paiement. Nous ne vous les demanderons jamais par e-mail.',
      confirm:
        'La confirmation se fait sur une page sécurisée de Stripe, notre prestataire de paiement. Nous ne vous demanderons jamais les données de votre carte par e-mail.',
      settled:
        'Une question, ou le paiement est déjà réglé\u00a0? Répondez à cet e-mail\u00a0: {merchant} vous aidera volontiers.',
      help: 'Une question\u00a0? Répondez à cet e-mail\u00a0: {merchant} vous aidera volontiers.',
      unwanted:
        'Ce n’est pas ce que vous souhaitiez\u00a0? Répondez à cet e-mail\u00a0: {merchant} vous aidera volontiers.',
    },
    consequences: {
      cancel: 'Sans règlement d’ici au {day}, votre abonnement sera résilié.',
      pause: 'Sans règlement d’ici au {day}, votre abonnement sera suspendu.',
      may_stop: 'Sans règlement, votre abonnement pourra être interrompu.',
    },
    several: {
      opening: 'Vos paiements à {merchant} n’ont pas abouti. Leur total est de {amount}.',
      pays: 'Une seule nouvelle carte les règle tous.',
      consequences: {
        cancel: 'Sans règlement d’ici au {day}, vos abonnements seront résiliés.',
        pause: 'Sans règlement d’ici au {day}, vos abonnements seront suspendus.',
        may_stop: 'Sans règlement, vos abonnements pourront être interrompus.',
      },
    },
    lost: {
      owed: 'Il reste à régler {amount}.',
      resumes:
        'Une fois ce montant réglé, votre abonnement reprend avec la même formule. La période suivante est facturée dès la fin de celle qui est payée.',
      waived: 'Vous ne devez plus rien à ce titre.',
      pay: 'Régler le montant dû',
      view: 'Voir la facture',
    },
    otherMethod: {
      subject: 'Mettez à jour votre moyen de paiement pour {merchant} ({amount})',
      heading: 'Veuillez mettre à jour votre moyen de paiement',
      ask: 'Veuillez vérifier votre moyen de paiement ou en ajouter un autre. Dès qu’il sera enregistré, nous effectuerons une nouvelle tentative de paiement\u00a0; vous n’aurez rien d’autre à faire.',
      button: 'Mettre à jour mon moyen de paiement',
      pays: 'Un seul nouveau moyen de paiement les règle tous.',
      page: {
        line: 'Un paiement à {merchant} n’a pas abouti. Vérifiez votre moyen de paiement ou ajoutez-en un autre, et nous effectuerons une nouvelle tentative de paiement.',
        note: 'La page suivante est gérée par Stripe, notre prestataire de paiement. Vos données de paiement ne sont transmises qu’à Stripe.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Mettez à jour votre carte pour {merchant} ({amount})',
      preview: 'Votre paiement de {amount} n’a pas abouti.',
      heading: 'Veuillez mettre à jour votre carte',
      opening: [
        'Votre paiement de {amount} à {merchant} n’a pas abouti.',
        'Veuillez vérifier votre carte ou en ajouter une autre. Dès qu’elle sera enregistrée, nous effectuerons une nouvelle tentative de paiement\u00a0; vous n’aurez rien d’autre à faire.',
      ],
      button: 'Mettre à jour ma carte',
    },
    confirm_payment: {
      subject: 'Confirmez votre paiement à {merchant} ({amount})',
      preview: 'Votre banque vous demande de confirmer un paiement de {amount}.',
      heading: 'Veuillez confirmer votre paiement',
      opening: [
        'Votre banque vous demande de confirmer votre paiement de {amount} à {merchant}.',
        'Cela ne prend qu’un instant\u00a0: ouvrez la facture, choisissez votre carte et suivez les étapes indiquées par votre banque. Vous n’aurez rien d’autre à faire.',
      ],
      button: 'Confirmer mon paiement',
    },
    failure_notice: {
      subject: 'Votre paiement à {merchant} n’a pas abouti\u00a0: {amount}',
      preview: 'Nous allons réessayer. Vous n’avez rien à faire pour le moment.',
      heading: 'Votre paiement n’a pas abouti',
      opening: [
        'Votre paiement de {amount} à {merchant} n’a pas abouti.',
        'Nous ferons une nouvelle tentative dans les prochains jours. Si vous préférez payer autrement, choisissez un autre moyen de paiement\u00a0; nous utiliserons celui-ci.',
      ],
      button: 'Choisir un autre moyen de paiement',
    },
    subscription_ended: {
      subject: 'Votre abonnement auprès de {merchant} a pris fin',
      preview: 'Votre paiement de {amount} n’a pas été effectué.',
      heading: 'Votre abonnement a pris fin',
      opening: [
        'Votre paiement de {amount} à {merchant} n’a pas été effectué, et votre abonnement a donc pris fin.',
      ],
      button: 'Recommencer',
    },
    subscription_paused: {
      subject: 'Votre abonnement auprès de {merchant} est suspendu',
      preview: 'Votre paiement de {amount} n’a pas été effectué.',
      heading: 'Votre abonnement est suspendu',
      opening: [
        'Votre paiement de {amount} à {merchant} n’a pas été effectué, et votre abonnement est donc suspendu.',
      ],
      button: 'Continuer',
    },
    backup_charged: {
      subject: '{amount} pour {merchant}\u00a0: votre autre carte a été débitée',
      preview:
        'La carte se terminant par {failed} n’a pas fonctionné\u00a0; celle se terminant par {charged} a été débitée.',
      heading: 'Votre autre carte a été débitée',
      opening: [
        'Votre paiement de {amount} à {merchant} n’a pas abouti avec votre carte se terminant par {failed}.',
        'Le montant a été prélevé sur votre autre carte enregistrée, celle se terminant par {charged}. Il ne reste rien à régler.',
        'La prochaine fois, la carte se terminant par {failed} sera de nouveau débitée. Choisissez-en une autre si vous ne le souhaitez pas.',
      ],
      button: 'Choisir ma carte',
    },
    paid_otherwise: {
      subject: 'Merci\u00a0: votre paiement de {amount} à {merchant} a été effectué',
      preview: 'Choisissez le moyen de paiement des prochaines échéances.',
      heading: 'Merci pour votre paiement',
      opening: [
        'Votre paiement de {amount} à {merchant} a été effectué. Il ne reste rien à régler.',
        'La prochaine fois, le moyen de paiement qui n’avait pas fonctionné sera de nouveau débité. Choisissez celui qui doit l’être désormais.',
      ],
      button: 'Choisir mon moyen de paiement',
    },
    expiring_card: {
      subject: 'Votre carte se terminant par {card} expire avant votre prochain paiement à {merchant}',
      preview: 'Mettez votre carte à jour pour éviter toute interruption.',
      heading: 'Votre carte arrive à expiration',
      opening: [
        'Votre carte se terminant par {card} expire avant le prochain prélèvement de {merchant}.',
        'Indiquez sa nouvelle date d’expiration ou choisissez une autre carte pour éviter toute interruption. Si votre banque vous a déjà envoyé une nouvelle carte, cela ne prend qu’une minute.',
      ],
      button: 'Mettre à jour ma carte',
    },
    missing_method: {
      subject: 'Ajoutez un moyen de paiement avant votre prochain paiement à {merchant}',
      preview: 'Ajoutez un moyen de paiement pour éviter toute interruption.',
      heading: 'Ajoutez un moyen de paiement',
      opening: [
        'Aucun moyen de paiement ne peut être débité pour votre prochain paiement à {merchant}.',
        'Ajoutez-en un pour éviter toute interruption. Vous n’avez rien d’autre à faire.',
      ],
      button: 'Ajouter un moyen de paiement',
    },
  },
  pauseOffer: { line: 'Vous pouvez aussi suspendre votre abonnement.', button: 'Suspendre mon abonnement' },
  pages: {
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
        'Si vous avez enregistré un moyen de paiement, {merchant} l’utilisera pour le paiement en attente. Vous n’avez rien d’autre à faire.',
      ],
    },
    choose: {
      title: 'Choisissez votre moyen de paiement',
      lines: ['Choisissez le moyen de paiement que {merchant} débitera désormais.'],
    },
    chosen: {
      title: 'Merci',
      lines: ['Si vous avez enregistré un moyen de paiement, {merchant} le débitera désormais.'],
    },
    paused: {
      title: 'Merci',
      lines: ['Si vous avez suspendu votre abonnement, aucun nouveau paiement ne sera dû avant sa reprise.'],
      notes: ['Un paiement en attente peut toujours être réglé avec le lien de l’e-mail.'],
    },
    nothing_due: {
      title: 'Rien à régler',
      lines: [
        'Ce lien concernait un paiement à {merchant} qui n’est plus en attente. Vous n’avez rien à faire.',
      ],
    },
    expired: {
      title: 'Ce lien a expiré',
      lines: [
        'Pour votre sécurité, la durée de validité du lien était limitée. Date d’expiration\u00a0: {until}.',
        'Pour en obtenir un nouveau, répondez à l’e-mail qui le contenait ou contactez {merchant}.',
      ],
    },
    renew: {
      line: 'Nous pouvons vous en envoyer un nouveau à l’adresse e-mail que {merchant} connaît.',
      button: 'Recevoir un nouveau lien',
    },
    renewed: {
      title: 'Consultez votre messagerie',
      lines: [
        'Si le paiement est toujours en attente, un nouveau lien vient d’être envoyé à l’adresse e-mail que {merchant} connaît. Il peut mettre quelques minutes à arriver.',
      ],
    },
    not_found: {
      title: 'Ce lien ne fonctionne pas',
      lines: [
        'Il manque peut-être une partie de l’adresse. Ouvrez à nouveau le lien dans l’e-mail, ou copiez-le en entier dans votre navigateur.',
        'Si cela ne suffit pas, répondez à l’e-mail qui le contenait.',
      ],
    },
    try_again: {
      title: 'Un problème est survenu',
      lines: [
        'Nous n’avons pas pu ouvrir la page sécurisée. Rien n’a été modifié. Veuillez réessayer dans un instant.',
      ],
      button: 'Réessayer',
    },
    too_many: {
      title: 'Un instant, s’il vous plaît',
      lines: [
        'De nombreuses demandes sont arrivées depuis votre réseau. Veuillez patienter quelques minutes, puis ouvrez à nouveau le lien.',
      ],
    },
  },
};
