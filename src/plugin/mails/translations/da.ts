import type { Translation } from '../email-texts.ts';

export const da: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'virksomheden',
    greeting: 'Hej {name}',
    greetingWithoutName: 'Hej',
    bareLink: 'Hvis knappen ikke virker, kan du kopiere denne adresse til din browser:',
    closePage: 'Du kan lukke denne side.',
    steps: {
      reminder: {
        subject: 'Påmindelse: {subject}',
        lead: 'Vi har skrevet til dig før: {amount} er stadig ikke betalt.',
      },
      last: {
        subject: 'Sidste påmindelse: {subject}',
        lead: 'Dette er vores sidste påmindelse: {amount} er stadig ikke betalt.',
      },
    },
    details: ['Abonnement: {plan}', 'Faktura: {invoice}', 'Betalingsmetode: {card}'],
    closing: {
      link: 'Linket virker indtil {until} og er kun til dig. Send det venligst ikke videre.',
      card: 'Du indtaster dine kortoplysninger på en sikker side hos Stripe, vores betalingsudbyder. Vi beder aldrig om dem i en e-mail.',
      method:
        'Du indtaster dine betalingsoplysninger på en sikker side hos Stripe, vores betalingsudbyder. Vi beder aldrig om dem i en e-mail.',
      confirm:
        'Du bekræfter på en sikker side hos Stripe, vores betalingsudbyder. Vi beder aldrig om kortoplysninger i en e-mail.',
      settled:
        'Har du spørgsmål, eller er betalingen allerede klaret? Svar på denne e-mail, så hjælper {merchant} dig gerne.',
      help: 'Har du spørgsmål? Svar på denne e-mail, så hjælper {merchant} dig gerne.',
      unwanted: 'Var det ikke det, du ønskede? Svar på denne e-mail, så hjælper {merchant} dig gerne.',
    },
    consequences: {
      cancel: 'Hvis betalingen ikke er gennemført senest {day}, bliver dit abonnement opsagt.',
      pause: 'Hvis betalingen ikke er gennemført senest {day}, bliver dit abonnement sat på pause.',
      may_stop: 'Hvis betalingen fortsat mangler, kan dit abonnement blive stoppet.',
    },
    several: {
      opening: 'Dine betalinger til {merchant} kunne ikke gennemføres. I alt drejer det sig om {amount}.',
      pays: 'Ét nyt kort er nok til alle betalingerne.',
      consequences: {
        cancel: 'Hvis betalingerne ikke er gennemført senest {day}, bliver dine abonnementer opsagt.',
        pause: 'Hvis betalingerne ikke er gennemført senest {day}, bliver dine abonnementer sat på pause.',
        may_stop: 'Hvis betalingerne fortsat mangler, kan dine abonnementer blive stoppet.',
      },
    },
    lost: {
      owed: '{amount} mangler stadig at blive betalt.',
      resumes:
        'Når det er betalt, starter dit abonnement igen med samme plan. Den næste periode opkræves, så snart den betalte er slut.',
      waived: 'Du skylder ikke længere noget for det.',
      pay: 'Betal det skyldige beløb',
      view: 'Se fakturaen',
    },
    otherMethod: {
      subject: 'Opdater din betalingsmetode hos {merchant} ({amount})',
      heading: 'Opdater din betalingsmetode',
      ask: 'Tjek venligst din betalingsmetode, eller tilføj en anden. Når den er gemt, prøver vi betalingen igen; du behøver ikke gøre mere.',
      button: 'Opdater betalingsmetode',
      pays: 'Én ny betalingsmetode er nok til alle betalingerne.',
      page: {
        line: 'En betaling til {merchant} kunne ikke gennemføres. Tjek din betalingsmetode, eller tilføj en anden, så prøver vi betalingen igen.',
        note: 'Den næste side drives af Stripe, vores betalingsudbyder. Kun Stripe får dine betalingsoplysninger.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Opdater dit kort hos {merchant} ({amount})',
      preview: 'Din betaling på {amount} kunne ikke gennemføres.',
      heading: 'Opdater dit kort',
      opening: [
        'Din betaling på {amount} til {merchant} kunne ikke gennemføres.',
        'Tjek venligst dit kort, eller tilføj et andet. Når det er gemt, prøver vi betalingen igen; du behøver ikke gøre mere.',
      ],
      button: 'Opdater kort',
    },
    confirm_payment: {
      subject: 'Bekræft din betaling til {merchant} ({amount})',
      preview: 'Din bank beder dig bekræfte en betaling på {amount}.',
      heading: 'Bekræft din betaling',
      opening: [
        'Din bank beder dig bekræfte din betaling på {amount} til {merchant}.',
        'Det tager kun et øjeblik: Åbn fakturaen, vælg dit kort, og følg trinnene fra din bank. Du behøver ikke gøre mere.',
      ],
      button: 'Bekræft betaling',
    },
    failure_notice: {
      subject: 'Din betaling til {merchant} blev ikke gennemført: {amount}',
      preview: 'Vi prøver igen. Du behøver ikke gøre noget endnu.',
      heading: 'Din betaling kunne ikke gennemføres',
      opening: [
        'Din betaling på {amount} til {merchant} kunne ikke gennemføres.',
        'Vi prøver igen i løbet af de næste dage. Vil du hellere betale på en anden måde, kan du vælge en anden betalingsmetode; så bruger vi den.',
      ],
      button: 'Vælg en anden betalingsmetode',
    },
    subscription_ended: {
      subject: 'Dit abonnement hos {merchant} er ophørt',
      preview: 'Din betaling på {amount} blev ikke gennemført.',
      heading: 'Dit abonnement er ophørt',
      opening: [
        'Din betaling på {amount} til {merchant} blev ikke gennemført, og derfor er dit abonnement ophørt.',
      ],
      button: 'Start igen',
    },
    subscription_paused: {
      subject: 'Dit abonnement hos {merchant} er sat på pause',
      preview: 'Din betaling på {amount} blev ikke gennemført.',
      heading: 'Dit abonnement er sat på pause',
      opening: [
        'Din betaling på {amount} til {merchant} blev ikke gennemført, og derfor er dit abonnement sat på pause.',
      ],
      button: 'Fortsæt',
    },
    backup_charged: {
      subject: '{amount} til {merchant} er trukket på dit andet kort',
      preview:
        'Kortet, der ender på {failed}, virkede ikke. Beløbet er trukket på kortet, der ender på {charged}.',
      heading: 'Beløbet er trukket på dit andet kort',
      opening: [
        'Din betaling på {amount} til {merchant} kunne ikke gennemføres med kortet, der ender på {failed}.',
        'Beløbet er i stedet trukket på dit andet gemte kort, der ender på {charged}. Der er ikke mere at betale.',
        'Næste gang trækkes beløbet igen på kortet, der ender på {failed}. Vælg et andet kort, hvis du ikke ønsker det.',
      ],
      button: 'Vælg kort',
    },
    paid_otherwise: {
      subject: 'Tak: Din betaling på {amount} til {merchant} er gennemført',
      preview: 'Vælg betalingsmetoden til næste gang.',
      heading: 'Tak for din betaling',
      opening: [
        'Din betaling på {amount} til {merchant} er gennemført. Der er ikke mere at betale.',
        'Næste gang bruges igen den betalingsmetode, der ikke virkede. Vælg den, der skal bruges fremover.',
      ],
      button: 'Vælg betalingsmetode',
    },
    expiring_card: {
      subject: 'Dit kort, der ender på {card}, udløber før næste betaling til {merchant}',
      preview: 'Opdater dit kort, så intet bliver afbrudt.',
      heading: 'Dit kort udløber snart',
      opening: [
        'Dit kort, der ender på {card}, udløber før den næste betaling til {merchant}.',
        'Indtast den nye udløbsdato, eller vælg et andet kort, så intet bliver afbrudt. Har din bank allerede sendt dig et nyt kort, tager det kun et minut.',
      ],
      button: 'Opdater kort',
    },
    missing_method: {
      subject: 'Tilføj en betalingsmetode før din næste betaling til {merchant}',
      preview: 'Tilføj en betalingsmetode, så intet bliver afbrudt.',
      heading: 'Tilføj en betalingsmetode',
      opening: [
        'Der er ikke gemt nogen betalingsmetode til din næste betaling til {merchant}.',
        'Tilføj en, så intet bliver afbrudt. Du behøver ikke gøre mere.',
      ],
      button: 'Tilføj betalingsmetode',
    },
  },
  pauseOffer: { line: 'Du kan også sætte dit abonnement på pause.', button: 'Sæt mit abonnement på pause' },
  pages: {
    update: {
      title: 'Opdater dit kort',
      lines: [
        'En betaling til {merchant} kunne ikke gennemføres. Tjek dit kort, eller tilføj et andet, så prøver vi betalingen igen.',
        'Beløb at betale: {amount}',
      ],
      button: 'Fortsæt til den sikre side',
      notes: [
        'Den næste side drives af Stripe, vores betalingsudbyder. Kun Stripe får dine kortoplysninger.',
        'Linket virker indtil {until} og er kun til dig.',
      ],
    },
    thanks: {
      title: 'Tak',
      lines: [
        'Hvis du har gemt en betalingsmetode, bruger {merchant} den til den manglende betaling. Du behøver ikke gøre mere.',
      ],
    },
    choose: {
      title: 'Vælg din betalingsmetode',
      lines: ['Vælg den betalingsmetode, som {merchant} skal bruge fremover.'],
    },
    chosen: {
      title: 'Tak',
      lines: ['Hvis du har gemt en betalingsmetode, bruger {merchant} den fremover.'],
    },
    paused: {
      title: 'Tak',
      lines: [
        'Hvis du har sat dit abonnement på pause, forfalder der ingen nye betalinger, før det genoptages.',
      ],
      notes: ['En åben betaling kan stadig gennemføres via linket i e-mailen.'],
    },
    nothing_due: {
      title: 'Der er intet at betale',
      lines: [
        'Dette link hørte til en betaling til {merchant}, som ikke længere mangler. Du skal ikke gøre noget.',
      ],
    },
    expired: {
      title: 'Dette link er udløbet',
      lines: [
        'Af hensyn til din sikkerhed virkede linket kun i en begrænset periode, indtil {until}.',
        'Vil du have et nyt, kan du svare på den e-mail, linket stod i, eller kontakte {merchant}.',
      ],
    },
    renew: {
      line: 'Vi kan sende et nyt til den e-mailadresse, som {merchant} har registreret.',
      button: 'Send mig et nyt link',
    },
    renewed: {
      title: 'Se i din indbakke',
      lines: [
        'Hvis betalingen stadig mangler, er et nyt link på vej til den e-mailadresse, som {merchant} har registreret. Det kan tage nogle minutter.',
      ],
    },
    not_found: {
      title: 'Dette link virker ikke',
      lines: [
        'Måske mangler der en del af adressen. Åbn linket i e-mailen igen, eller kopier hele adressen til din browser.',
        'Hvis det ikke hjælper, kan du svare på den e-mail, linket stod i.',
      ],
    },
    try_again: {
      title: 'Noget gik galt',
      lines: ['Vi kunne ikke åbne den sikre side. Intet er ændret. Prøv igen om et øjeblik.'],
      button: 'Prøv igen',
    },
    too_many: {
      title: 'Vent et øjeblik',
      lines: ['Der kom mange forespørgsler fra dit netværk. Vent nogle minutter, og åbn linket igen.'],
    },
  },
};
