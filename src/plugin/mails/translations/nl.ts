import type { Translation } from '../email-texts.ts';

export const nl: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'dit bedrijf',
    greeting: 'Beste {name},',
    greetingWithoutName: 'Goedendag,',
    bareLink: 'Werkt de knop niet? Kopieer dan dit adres naar uw browser:',
    closePage: 'U kunt deze pagina sluiten.',
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
    details: ['Abonnement: {plan}', 'Factuur: {invoice}', 'Betaalmethode: {card}'],
    closing: {
      link: 'De link is geldig tot {until} en alleen voor u bedoeld. Stuur hem alstublieft niet door.',
      card: 'U voert uw kaartgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
      method:
        'U voert uw betaalgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
      confirm:
        'U bevestigt op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen nooit via e-mail om kaartgegevens.',
      settled:
        'Hebt u vragen of is de betaling al geregeld? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
      help: 'Hebt u vragen? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
      unwanted: 'Was dit niet de bedoeling? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
    },
    consequences: {
      cancel: 'Is de betaling uiterlijk op {day} niet gelukt, dan wordt uw abonnement beëindigd.',
      pause: 'Is de betaling uiterlijk op {day} niet gelukt, dan wordt uw abonnement gepauzeerd.',
      may_stop: 'Blijft de betaling openstaan, dan kan uw abonnement worden stopgezet.',
    },
    several: {
      opening: 'Uw betalingen aan {merchant} zijn niet gelukt. In totaal gaat het om {amount}.',
      pays: 'Eén nieuwe kaart is genoeg voor alle betalingen.',
      consequences: {
        cancel: 'Zijn de betalingen uiterlijk op {day} niet gelukt, dan worden uw abonnementen beëindigd.',
        pause: 'Zijn de betalingen uiterlijk op {day} niet gelukt, dan worden uw abonnementen gepauzeerd.',
        may_stop: 'Blijven de betalingen openstaan, dan kunnen uw abonnementen worden stopgezet.',
      },
    },
    lost: {
      owed: '{amount} staat nog open.',
      resumes:
        'Na de betaling begint uw abonnement opnieuw, met hetzelfde plan. De volgende periode wordt afgeschreven zodra de betaalde voorbij is.',
      waived: 'U bent hiervoor niets meer verschuldigd.',
      pay: 'Openstaand bedrag betalen',
      view: 'Factuur bekijken',
    },
    otherMethod: {
      subject: 'Werk uw betaalmethode voor {merchant} bij ({amount})',
      heading: 'Werk uw betaalmethode bij',
      ask: 'Wilt u uw betaalmethode controleren of een andere toevoegen? Zodra die is opgeslagen, proberen we de betaling opnieuw; u hoeft verder niets te doen.',
      button: 'Mijn betaalmethode bijwerken',
      pays: 'Eén nieuwe betaalmethode is genoeg voor alle betalingen.',
      page: {
        line: 'Een betaling aan {merchant} is niet gelukt. Controleer uw betaalmethode of voeg een andere toe, dan proberen we de betaling opnieuw.',
        note: 'De volgende pagina is van Stripe, onze betaaldienstverlener. Alleen Stripe ontvangt uw betaalgegevens.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Werk uw kaart voor {merchant} bij ({amount})',
      preview: 'Uw betaling van {amount} is niet gelukt.',
      heading: 'Werk uw kaart bij',
      opening: [
        'Uw betaling van {amount} aan {merchant} is niet gelukt.',
        'Wilt u uw kaart controleren of een andere toevoegen? Zodra de kaart is opgeslagen, proberen we de betaling opnieuw; u hoeft verder niets te doen.',
      ],
      button: 'Mijn kaart bijwerken',
    },
    confirm_payment: {
      subject: 'Bevestig uw betaling aan {merchant} ({amount})',
      preview: 'Uw bank vraagt u een betaling van {amount} te bevestigen.',
      heading: 'Bevestig uw betaling',
      opening: [
        'Uw bank vraagt u uw betaling van {amount} aan {merchant} te bevestigen.',
        'Het duurt maar even: open de factuur, kies uw kaart en volg de stappen van uw bank. U hoeft verder niets te doen.',
      ],
      button: 'Mijn betaling bevestigen',
    },
    failure_notice: {
      subject: 'Uw betaling aan {merchant} is niet gelukt: {amount}',
      preview: 'We proberen het opnieuw. U hoeft nog niets te doen.',
      heading: 'Uw betaling is niet gelukt',
      opening: [
        'Uw betaling van {amount} aan {merchant} is niet gelukt.',
        'We proberen het de komende dagen opnieuw. Betaalt u liever op een andere manier, kies dan een andere betaalmethode; die gebruiken we dan.',
      ],
      button: 'Andere betaalmethode kiezen',
    },
    subscription_ended: {
      subject: 'Uw abonnement bij {merchant} is beëindigd',
      preview: 'Uw betaling van {amount} is niet gedaan.',
      heading: 'Uw abonnement is beëindigd',
      opening: ['Uw betaling van {amount} aan {merchant} is niet gedaan; daarom is uw abonnement beëindigd.'],
      button: 'Opnieuw beginnen',
    },
    subscription_paused: {
      subject: 'Uw abonnement bij {merchant} is gepauzeerd',
      preview: 'Uw betaling van {amount} is niet gedaan.',
      heading: 'Uw abonnement is gepauzeerd',
      opening: [
        'Uw betaling van {amount} aan {merchant} is niet gedaan; daarom is uw abonnement gepauzeerd.',
      ],
      button: 'Verdergaan',
    },
    backup_charged: {
      subject: '{amount} aan {merchant} is afgeschreven van uw andere kaart',
      preview:
        'De kaart die eindigt op {failed} werkte niet. Het bedrag is afgeschreven van de kaart die eindigt op {charged}.',
      heading: 'Het bedrag is afgeschreven van uw andere kaart',
      opening: [
        'Uw betaling van {amount} aan {merchant} met de kaart die eindigt op {failed} is niet gelukt.',
        'Het bedrag is afgeschreven van uw andere opgeslagen kaart, die eindigt op {charged}. Er staat niets meer open.',
        'De volgende keer wordt er weer afgeschreven van de kaart die eindigt op {failed}. Kies een andere kaart als u dat niet wilt.',
      ],
      button: 'Mijn kaart kiezen',
    },
    paid_otherwise: {
      subject: 'Bedankt: uw betaling van {amount} aan {merchant} is gelukt',
      preview: 'Kies de betaalmethode voor de volgende keer.',
      heading: 'Bedankt voor uw betaling',
      opening: [
        'Uw betaling van {amount} aan {merchant} is gelukt. Er staat niets meer open.',
        'De volgende keer wordt opnieuw de betaalmethode gebruikt die niet werkte. Kies welke betaalmethode voortaan gebruikt moet worden.',
      ],
      button: 'Mijn betaalmethode kiezen',
    },
    expiring_card: {
      subject: 'Uw kaart die eindigt op {card} verloopt vóór uw volgende betaling aan {merchant}',
      preview: 'Werk uw kaart bij, zodat er niets wordt onderbroken.',
      heading: 'Uw kaart verloopt binnenkort',
      opening: [
        'Uw kaart die eindigt op {card} verloopt vóór de volgende afschrijving door {merchant}.',
        'Vul de nieuwe vervaldatum in of kies een andere kaart, zodat er niets wordt onderbroken. Hebt u van uw bank al een nieuwe kaart gekregen? Dan kost dit maar een minuut.',
      ],
      button: 'Mijn kaart bijwerken',
    },
    missing_method: {
      subject: 'Voeg een betaalmethode toe vóór uw volgende betaling aan {merchant}',
      preview: 'Voeg een betaalmethode toe, zodat er niets wordt onderbroken.',
      heading: 'Voeg een betaalmethode toe',
      opening: [
        'Er is geen betaalmethode bekend voor uw volgende betaling aan {merchant}.',
        'Voeg er een toe, zodat er niets wordt onderbroken. Verder hoeft u niets te doen.',
      ],
      button: 'Betaalmethode toevoegen',
    },
  },
  pauseOffer: { line: 'U kunt uw abonnement ook pauzeren.', button: 'Mijn abonnement pauzeren' },
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
    },
    choose: {
      title: 'Kies uw betaalmethode',
      lines: ['Kies de betaalmethode die {merchant} voortaan moet gebruiken.'],
    },
    chosen: {
      title: 'Bedankt',
      lines: ['Als u een betaalmethode hebt opgeslagen, gebruikt {merchant} die voortaan.'],
    },
    paused: {
      title: 'Hartelijk dank',
      lines: [
        'Als u uw abonnement hebt gepauzeerd, zijn er geen nieuwe betalingen verschuldigd tot het wordt hervat.',
      ],
      notes: ['Een openstaande betaling kunt u nog steeds doen via de link in de e-mail.'],
    },
    nothing_due: {
      title: 'Er staat niets open',
      lines: [
        'Deze link hoorde bij een betaling aan {merchant} die niet meer openstaat. U hoeft niets te doen.',
      ],
    },
    expired: {
      title: 'Deze link is verlopen',
      lines: [
        'Voor uw veiligheid was de link beperkt geldig, tot {until}.',
        'Wilt u een nieuwe? Beantwoord dan de e-mail waarin de link stond, of neem contact op met {merchant}.',
      ],
    },
    renew: {
      line: 'We kunnen een nieuwe sturen naar het e-mailadres dat bij {merchant} bekend is.',
      button: 'Stuur mij een nieuwe link',
    },
    renewed: {
      title: 'Kijk in uw mailbox',
      lines: [
        'Als de betaling nog openstaat, is er een nieuwe link onderweg naar het e-mailadres dat bij {merchant} bekend is. Dit kan enkele minuten duren.',
      ],
    },
    not_found: {
      title: 'Deze link werkt niet',
      lines: [
        'Misschien ontbreekt een deel van het adres. Open de link in de e-mail nog een keer, of kopieer hem helemaal naar uw browser.',
        'Helpt dat niet? Beantwoord dan de e-mail waarin de link stond.',
      ],
    },
    try_again: {
      title: 'Er ging iets mis',
      lines: [
        'We konden de beveiligde pagina niet openen. Er is niets gewijzigd. Probeer het zo meteen opnieuw.',
      ],
      button: 'Opnieuw proberen',
    },
    too_many: {
      title: 'Een ogenblik, alstublieft',
      lines: [
        'Er kwamen veel verzoeken vanaf uw netwerk. Wacht een paar minuten en open de link dan opnieuw.',
      ],
    },
  },
};
