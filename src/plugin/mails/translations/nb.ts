import type { Translation } from '../email-texts.ts';

export const nb: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'bedriften',
    greeting: 'Hei, {name}!',
    greetingWithoutName: 'Hei!',
    bareLink: 'Hvis knappen ikke virker, kan du kopiere denne adressen til nettleseren:',
    closePage: 'Du kan lukke denne siden.',
    steps: {
      reminder: {
        subject: 'Påminnelse: {subject}',
        lead: 'Vi har skrevet til deg tidligere: {amount} er fortsatt ubetalt.',
      },
      last: {
        subject: 'Siste påminnelse: {subject}',
        lead: 'Dette er vår siste påminnelse: {amount} er fortsatt ubetalt.',
      },
    },
    details: ['Abonnement: {plan}', 'Faktura: {invoice}', 'Betalingsmåte: {card}'],
    closing: {
      link: 'Lenken er gyldig til {until} og er bare til deg. Vennligst ikke send den videre.',
      card: 'Du oppgir kortopplysningene på en sikker side hos Stripe, vår betalingsleverandør. Vi ber aldri om dem på e-post.',
      method:
        'Du oppgir betalingsopplysningene på en sikker side hos Stripe, vår betalingsleverandør. Vi ber aldri om dem på e-post.',
      confirm:
        'Du bekrefter på en sikker side hos Stripe, vår betalingsleverandør. Vi ber aldri om kortopplysninger på e-post.',
      settled:
        'Har du spørsmål, eller er betalingen allerede i orden? Svar på denne e-posten, så hjelper {merchant} deg gjerne.',
      help: 'Har du spørsmål? Svar på denne e-posten, så hjelper {merchant} deg gjerne.',
      unwanted: 'Var det ikke dette du ønsket? Svar på denne e-posten, så hjelper {merchant} deg gjerne.',
    },
    consequences: {
      cancel: 'Hvis betalingen ikke er gjennomført innen {day}, blir abonnementet ditt avsluttet.',
      pause: 'Hvis betalingen ikke er gjennomført innen {day}, blir abonnementet ditt satt på pause.',
      may_stop: 'Hvis betalingen fortsatt mangler, kan abonnementet ditt bli stanset.',
    },
    several: {
      opening: 'Betalingene dine til {merchant} kunne ikke gjennomføres. Til sammen gjelder det {amount}.',
      pays: 'Ett nytt kort er nok til alle betalingene.',
      consequences: {
        cancel: 'Hvis betalingene ikke er gjennomført innen {day}, blir abonnementene dine avsluttet.',
        pause: 'Hvis betalingene ikke er gjennomført innen {day}, blir abonnementene dine satt på pause.',
        may_stop: 'Hvis betalingene fortsatt mangler, kan abonnementene dine bli stanset.',
      },
    },
    lost: {
      owed: '{amount} er fortsatt ubetalt.',
      resumes:
        'Når det er betalt, starter abonnementet ditt igjen med samme plan. Neste periode belastes så snart den betalte er over.',
      waived: 'Du skylder ikke lenger noe for det.',
      pay: 'Betal det utestående beløpet',
      view: 'Se fakturaen',
    },
    otherMethod: {
      subject: 'Oppdater betalingsmåten din hos {merchant} ({amount})',
      heading: 'Oppdater betalingsmåten din',
      ask: 'Vennligst kontroller betalingsmåten din, eller legg til en annen. Når den er lagret, prøver vi betalingen på nytt. Du trenger ikke å gjøre noe mer.',
      button: 'Oppdater betalingsmåte',
      pays: 'Én ny betalingsmåte er nok til alle betalingene.',
      page: {
        line: 'En betaling til {merchant} kunne ikke gjennomføres. Kontroller betalingsmåten din, eller legg til en annen, så prøver vi betalingen på nytt.',
        note: 'Den neste siden drives av Stripe, vår betalingsleverandør. Bare Stripe får betalingsopplysningene dine.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Oppdater kortet ditt hos {merchant} ({amount})',
      preview: 'Betalingen din på {amount} kunne ikke gjennomføres.',
      heading: 'Oppdater kortet ditt',
      opening: [
        'Betalingen din på {amount} til {merchant} kunne ikke gjennomføres.',
        'Vennligst kontroller kortet ditt, eller legg til et annet. Når det er lagret, prøver vi betalingen på nytt. Du trenger ikke å gjøre noe mer.',
      ],
      button: 'Oppdater kort',
    },
    confirm_payment: {
      subject: 'Bekreft betalingen din til {merchant} ({amount})',
      preview: 'Banken din ber deg bekrefte en betaling på {amount}.',
      heading: 'Bekreft betalingen din',
      opening: [
        'Banken din ber deg bekrefte betalingen på {amount} til {merchant}.',
        'Det tar bare et øyeblikk: Åpne fakturaen, velg kortet ditt og følg trinnene fra banken. Du trenger ikke å gjøre noe mer.',
      ],
      button: 'Bekreft betaling',
    },
    failure_notice: {
      subject: 'Betalingen din til {merchant} gikk ikke gjennom: {amount}',
      preview: 'Vi prøver igjen. Du trenger ikke å gjøre noe ennå.',
      heading: 'Betalingen din kunne ikke gjennomføres',
      opening: [
        'Betalingen din på {amount} til {merchant} kunne ikke gjennomføres.',
        'Vi prøver igjen i løpet av de neste dagene. Vil du heller betale på en annen måte, kan du velge en annen betalingsmåte, så bruker vi den.',
      ],
      button: 'Velg en annen betalingsmåte',
    },
    subscription_ended: {
      subject: 'Abonnementet ditt hos {merchant} er avsluttet',
      preview: 'Betalingen din på {amount} ble ikke gjennomført.',
      heading: 'Abonnementet ditt er avsluttet',
      opening: [
        'Betalingen din på {amount} til {merchant} ble ikke gjennomført, og derfor er abonnementet ditt avsluttet.',
      ],
      button: 'Start på nytt',
    },
    subscription_paused: {
      subject: 'Abonnementet ditt hos {merchant} er satt på pause',
      preview: 'Betalingen din på {amount} ble ikke gjennomført.',
      heading: 'Abonnementet ditt er satt på pause',
      opening: [
        'Betalingen din på {amount} til {merchant} ble ikke gjennomført, og derfor er abonnementet ditt satt på pause.',
      ],
      button: 'Fortsett',
    },
    backup_charged: {
      subject: '{amount} til {merchant} er belastet det andre kortet ditt',
      preview:
        'Kortet som slutter på {failed}, virket ikke. Beløpet er belastet kortet som slutter på {charged}.',
      heading: 'Beløpet er belastet det andre kortet ditt',
      opening: [
        'Betalingen din på {amount} til {merchant} kunne ikke gjennomføres med kortet som slutter på {failed}.',
        'Beløpet er i stedet belastet det andre lagrede kortet ditt, som slutter på {charged}. Det er ikke mer å betale.',
        'Neste gang belastes igjen kortet som slutter på {failed}. Velg et annet kort hvis du ikke ønsker det.',
      ],
      button: 'Velg kort',
    },
    paid_otherwise: {
      subject: 'Takk: Betalingen din på {amount} til {merchant} er gjennomført',
      preview: 'Velg betalingsmåten for neste gang.',
      heading: 'Takk for betalingen',
      opening: [
        'Betalingen din på {amount} til {merchant} er gjennomført. Det er ikke mer å betale.',
        'Neste gang brukes igjen betalingsmåten som ikke virket. Velg den som skal brukes fremover.',
      ],
      button: 'Velg betalingsmåte',
    },
    expiring_card: {
      subject: 'Kortet ditt som slutter på {card}, utløper før neste betaling til {merchant}',
      preview: 'Oppdater kortet, så ingenting blir avbrutt.',
      heading: 'Kortet ditt utløper snart',
      opening: [
        'Kortet ditt som slutter på {card}, utløper før neste betaling til {merchant}.',
        'Oppgi den nye utløpsdatoen, eller velg et annet kort, så ingenting blir avbrutt. Har du allerede fått et nytt kort fra banken, tar det bare et minutt.',
      ],
      button: 'Oppdater kort',
    },
    missing_method: {
      subject: 'Legg til en betalingsmåte før neste betaling til {merchant}',
      preview: 'Legg til en betalingsmåte, så ingenting blir avbrutt.',
      heading: 'Legg til en betalingsmåte',
      opening: [
        'Det er ikke lagret noen betalingsmåte for den neste betalingen din til {merchant}.',
        'Legg til en, så ingenting blir avbrutt. Du trenger ikke å gjøre noe mer.',
      ],
      button: 'Legg til betalingsmåte',
    },
  },
  pauseOffer: { line: 'Du kan også sette abonnementet ditt på pause.', button: 'Sett abonnementet på pause' },
  pages: {
    update: {
      title: 'Oppdater kortet ditt',
      lines: [
        'En betaling til {merchant} kunne ikke gjennomføres. Kontroller kortet ditt, eller legg til et annet, så prøver vi betalingen på nytt.',
        'Beløp å betale: {amount}',
      ],
      button: 'Fortsett til den sikre siden',
      notes: [
        'Den neste siden drives av Stripe, vår betalingsleverandør. Bare Stripe får kortopplysningene dine.',
        'Lenken er gyldig til {until} og er bare til deg.',
      ],
    },
    thanks: {
      title: 'Takk',
      lines: [
        'Hvis du har lagret en betalingsmåte, bruker {merchant} den til betalingen som mangler. Du trenger ikke å gjøre noe mer.',
      ],
    },
    choose: {
      title: 'Velg betalingsmåte',
      lines: ['Velg betalingsmåten som {merchant} skal bruke fremover.'],
    },
    chosen: {
      title: 'Takk',
      lines: ['Hvis du har lagret en betalingsmåte, bruker {merchant} den fremover.'],
    },
    paused: {
      title: 'Takk',
      lines: ['Hvis du har satt abonnementet på pause, forfaller ingen nye betalinger før det gjenopptas.'],
      notes: ['En åpen betaling kan fortsatt gjennomføres via lenken i e-posten.'],
    },
    nothing_due: {
      title: 'Det er ingenting å betale',
      lines: [
        'Denne lenken gjaldt en betaling til {merchant} som ikke lenger mangler. Du trenger ikke å gjøre noe.',
      ],
    },
    expired: {
      title: 'Denne lenken er utløpt',
      lines: [
        'Av hensyn til sikkerheten din var lenken bare gyldig i en begrenset periode, til {until}.',
        'Svar på e-posten som lenken sto i, eller kontakt {merchant} for å få en ny.',
      ],
    },
    renew: {
      line: 'Vi kan sende en ny til e-postadressen som {merchant} har registrert.',
      button: 'Send meg en ny lenke',
    },
    renewed: {
      title: 'Sjekk innboksen din',
      lines: [
        'Hvis betalingen fortsatt mangler, er en ny lenke på vei til e-postadressen som {merchant} har registrert. Det kan ta noen minutter.',
      ],
    },
    not_found: {
      title: 'Denne lenken virker ikke',
      lines: [
        'Det kan hende at en del av adressen mangler. Åpne lenken i e-posten på nytt, eller kopier hele adressen til nettleseren.',
        'Hvis det ikke hjelper, kan du svare på e-posten som lenken sto i.',
      ],
    },
    try_again: {
      title: 'Noe gikk galt',
      lines: ['Vi kunne ikke åpne den sikre siden. Ingenting er endret. Prøv igjen om et øyeblikk.'],
      button: 'Prøv igjen',
    },
    too_many: {
      title: 'Vent et øyeblikk',
      lines: ['Det kom mange forespørsler fra nettverket ditt. Vent noen minutter, og åpne lenken på nytt.'],
    },
  },
};
