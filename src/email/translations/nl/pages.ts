import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
  update: {
    title: 'Werk uw kaart bij',
    lines: [
      'Een betaling aan {merchant} is niet gelukt. Controleer uw kaart of voeg een andere toe, dan proberen we de betaling opnieuw.',
      'Openstaand bedrag: {amount}',
    ],
    button: 'Verder naar de beveiligde pagina',
    notes: [
      'De volgende pagina is van Stripe, onze betaaldienstverlener. Alleen Stripe ontvangt uw kaartgegevens.',
      'De link is geldig tot {until} en alleen voor u bedoeld.',
    ],
  },
  thanks: {
    title: 'Hartelijk dank',
    lines: [
      'Als u een kaart hebt opgeslagen, gebruikt {merchant} die voor de openstaande betaling. U hoeft verder niets te doen.',
    ],
    notes: ['U kunt deze pagina sluiten.'],
  },
  nothing_due: {
    title: 'Er staat niets open',
    lines: [
      'Deze link hoorde bij een betaling aan {merchant} die niet meer openstaat. U hoeft niets te doen.',
    ],
    notes: ['U kunt deze pagina sluiten.'],
  },
  expired: {
    title: 'Deze link is verlopen',
    lines: [
      'Voor uw veiligheid was de link beperkt geldig, tot {until}.',
      'Wilt u een nieuwe? Beantwoord dan de e-mail waarin de link stond, of neem contact op met {merchant}.',
    ],
    notes: [],
  },
  not_found: {
    title: 'Deze link werkt niet',
    lines: [
      'Misschien ontbreekt een deel van het adres. Open de link in de e-mail nog een keer, of kopieer hem helemaal naar uw browser.',
      'Helpt dat niet? Beantwoord dan de e-mail waarin de link stond.',
    ],
    notes: [],
  },
  try_again: {
    title: 'Er ging iets mis',
    lines: [
      'We konden de beveiligde pagina niet openen. Er is niets gewijzigd. Probeer het over een moment opnieuw.',
    ],
    button: 'Opnieuw proberen',
    notes: [],
  },
  too_many: {
    title: 'Een ogenblik, alstublieft',
    lines: ['Er kwamen veel verzoeken vanaf uw netwerk. Wacht een paar minuten en open de link dan opnieuw.'],
    notes: [],
  },
};
