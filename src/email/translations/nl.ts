import type { Translation } from '../mail-texts.ts';

export const nl: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'dit bedrijf',
    greeting: 'Beste {name},',
    greetingWithoutName: 'Goedendag,',
    bareLink: 'Werkt de knop niet? Kopieer dan dit adres naar uw browser:',
    steps: {
      reminder: {
        subject: 'Herinnering: {subject}',
        lead: 'We hebben u eerder geschreven: het bedrag van {amount} staat nog open.',
      },
      last: {
        subject: 'Laatste herinnering: {subject}',
        lead: 'Dit is onze laatste herinnering: het bedrag van {amount} staat nog open.',
      },
    },
    details: ['Abonnement: {plan}', 'Betaalmiddel: {card}'],
    consequences: {
      cancel: 'Is de betaling op {day} nog niet gelukt, dan wordt uw abonnement beëindigd.',
      pause: 'Is de betaling op {day} nog niet gelukt, dan wordt uw abonnement gepauzeerd.',
      may_stop: 'Blijft de betaling openstaan, dan kan uw abonnement worden stopgezet.',
    },
    several: {
      opening: 'Uw betalingen aan {merchant} zijn niet gelukt. Samen is dat {amount}.',
      pays: 'Met één nieuwe kaart worden ze allemaal betaald.',
      consequences: {
        cancel: 'Zijn de betalingen op {day} nog niet gelukt, dan worden uw abonnementen beëindigd.',
        pause: 'Zijn de betalingen op {day} nog niet gelukt, dan worden uw abonnementen gepauzeerd.',
        may_stop: 'Blijven de betalingen openstaan, dan kunnen uw abonnementen worden stopgezet.',
      },
    },
    otherMethod: {
      subject: 'Werk uw betaalmethode bij: {amount} aan {merchant}',
      heading: 'Werk uw betaalmethode bij',
      ask: 'Wilt u uw betaalmethode controleren of een andere toevoegen? Zodra die is opgeslagen, proberen we de betaling opnieuw; u hoeft verder niets te doen.',
      button: 'Mijn betaalmethode bijwerken',
      secure:
        'U voert uw betaalgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
      pays: 'Met één nieuwe betaalmethode worden ze allemaal betaald.',
      page: {
        line: 'Een betaling aan {merchant} is niet gelukt. Controleer uw betaalmethode of voeg een andere toe, dan proberen we de betaling opnieuw.',
        note: 'De volgende pagina is van Stripe, onze betaaldienstverlener. Alleen Stripe ontvangt uw betaalgegevens.',
      },
    },
  },
  mails: {
    card_update: {
      subject: 'Werk uw kaart bij: {amount} aan {merchant}',
      preview: 'Uw betaling van {amount} is niet gelukt.',
      heading: 'Werk uw kaart bij',
      opening: [
        'Uw betaling van {amount} aan {merchant} is niet gelukt.',
        'Wilt u uw kaart controleren of een andere toevoegen? Zodra de kaart is opgeslagen, proberen we de betaling opnieuw; u hoeft verder niets te doen.',
      ],
      button: 'Mijn kaart bijwerken',
      closing: [
        'De link is geldig tot {until} en alleen voor u bedoeld. Stuur hem alstublieft niet door.',
        'U voert uw kaartgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
        'Hebt u vragen of is de betaling al geregeld? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
      ],
    },
    confirm_payment: {
      subject: 'Bevestig uw betaling: {amount} aan {merchant}',
      preview: 'Uw bank vraagt u een betaling van {amount} te bevestigen.',
      heading: 'Bevestig uw betaling',
      opening: [
        'Uw bank vraagt u uw betaling van {amount} aan {merchant} te bevestigen.',
        'Het duurt maar even: open de factuur, kies uw kaart en volg de stappen van uw bank. U hoeft verder niets te doen.',
      ],
      button: 'Mijn betaling bevestigen',
      closing: [
        'U bevestigt op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen nooit via e-mail om kaartgegevens.',
        'Hebt u vragen of is de betaling al geregeld? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
      ],
    },
    backup_charged: {
      subject: '{amount} voor {merchant} is van uw andere kaart afgeschreven',
      preview: 'De kaart eindigend op {failed} werkte niet; die eindigend op {charged} is belast.',
      heading: 'Uw andere kaart is belast',
      opening: [
        'Uw betaling van {amount} aan {merchant} is niet gelukt met uw kaart eindigend op {failed}.',
        'Het bedrag is afgeschreven van uw andere opgeslagen kaart, die eindigend op {charged}. Er staat niets meer open.',
        'De volgende keer wordt weer de kaart eindigend op {failed} belast. Kies een andere als u dat niet wilt.',
      ],
      button: 'Mijn kaart kiezen',
      closing: [
        'De link werkt tot {until} en is alleen voor u bedoeld. Geef hem niet door.',
        'Was dit niet de bedoeling? Beantwoord deze e-mail en {merchant} helpt u.',
      ],
    },
    paid_otherwise: {
      subject: 'Bedankt: uw betaling van {amount} aan {merchant} is gelukt',
      preview: 'Kies wat de volgende keer wordt gebruikt.',
      heading: 'Bedankt voor uw betaling',
      opening: [
        'Uw betaling van {amount} aan {merchant} is gelukt. Er staat niets meer open.',
        'De volgende keer wordt de betaalmethode die niet werkte opnieuw gebruikt. Kies welke voortaan moet worden gebruikt.',
      ],
      button: 'Mijn betaalmethode kiezen',
      closing: [
        'De link werkt tot {until} en is alleen voor u bedoeld. Geef hem niet door.',
        'Vragen? Beantwoord deze e-mail en {merchant} helpt u.',
      ],
    },
    expiring_card: {
      subject: 'Uw kaart eindigend op {card} verloopt vóór de volgende betaling aan {merchant}',
      preview: 'Voeg een andere kaart toe, zodat niets wordt onderbroken.',
      heading: 'Uw kaart verloopt binnenkort',
      opening: [
        'Uw kaart eindigend op {card} verloopt voordat {merchant} die weer belast.',
        'Vul de nieuwe datum in of kies een andere kaart, zodat niets wordt onderbroken. Als uw bank u al een nieuwe kaart heeft gestuurd, duurt dit een minuut.',
      ],
      button: 'Mijn kaart bijwerken',
      closing: [
        'De link werkt tot {until} en is alleen voor u bedoeld. Geef hem niet door.',
        'U vult uw kaartgegevens in op een beveiligde pagina van Stripe, onze betaaldienst. Wij vragen er nooit per e-mail om.',
        'Vragen? Beantwoord deze e-mail en {merchant} helpt u.',
      ],
    },
    missing_method: {
      subject: 'Voeg een betaalmethode toe vóór uw volgende betaling aan {merchant}',
      preview: 'Voeg een betaalmethode toe, zodat er niets wordt onderbroken.',
      heading: 'Voeg een betaalmethode toe',
      opening: [
        'Er is geen betaalmethode waarmee {merchant} uw volgende betaling kan innen.',
        'Voeg er een toe, zodat er niets wordt onderbroken. Verder hoeft u niets te doen.',
      ],
      button: 'Betaalmethode toevoegen',
      closing: [
        'De link werkt tot {until} en is alleen voor u bedoeld. Geef hem niet door.',
        'U voert uw betaalgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
        'Vragen? Beantwoord deze e-mail en {merchant} helpt u.',
      ],
    },
  },
  pages: {
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
        'Als u een betaalmethode hebt opgeslagen, gebruikt {merchant} die voor de openstaande betaling. U hoeft verder niets te doen.',
      ],
      notes: ['U kunt deze pagina sluiten.'],
    },
    choose: {
      title: 'Kies uw betaalmethode',
      lines: ['Kies de betaalmethode waarmee {merchant} voortaan int.'],
      button: 'Verder naar de beveiligde pagina',
      notes: [
        'De volgende pagina is van Stripe, onze betaaldienstverlener. Alleen Stripe ontvangt uw betaalgegevens.',
        'De link is geldig tot {until} en alleen voor u bedoeld.',
      ],
    },
    chosen: {
      title: 'Bedankt',
      lines: ['Als u een betaalmethode hebt opgeslagen, gebruikt {merchant} die voortaan.'],
      notes: [],
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
      lines: [
        'Er kwamen veel verzoeken vanaf uw netwerk. Wacht een paar minuten en open de link dan opnieuw.',
      ],
      notes: [],
    },
  },
};
