import type { Translation } from '../email-texts.ts';

export const sv: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'företaget',
    greeting: 'Hej {name}!',
    greetingWithoutName: 'Hej!',
    bareLink: 'Om knappen inte fungerar kan du kopiera den här adressen till din webbläsare:',
    closePage: 'Du kan stänga den här sidan.',
    steps: {
      reminder: {
        subject: 'Påminnelse: {subject}',
        lead: 'Vi har skrivit till dig tidigare: {amount} är fortfarande obetalt.',
      },
      last: {
        subject: 'Sista påminnelsen: {subject}',
        lead: 'Det här är vår sista påminnelse: {amount} är fortfarande obetalt.',
      },
    },
    details: ['Prenumeration: {plan}', 'Faktura: {invoice}', 'Betalningsmetod: {card}'],
    closing: {
      link: 'Länken gäller till {until} och är bara till för dig. Skicka den inte vidare.',
      card: 'Du anger dina kortuppgifter på en säker sida hos Stripe, vår betalningsleverantör. Vi ber aldrig om dem via e-post.',
      method:
        'Du anger dina betalningsuppgifter på en säker sida hos Stripe, vår betalningsleverantör. Vi ber aldrig om dem via e-post.',
      confirm:
        'Du bekräftar på en säker sida hos Stripe, vår betalningsleverantör. Vi ber aldrig om kortuppgifter via e-post.',
      settled:
        'Har du frågor, eller är betalningen redan ordnad? Svara på det här mejlet så hjälper {merchant} dig gärna.',
      help: 'Har du frågor? Svara på det här mejlet så hjälper {merchant} dig gärna.',
      unwanted: 'Var det inte det du ville? Svara på det här mejlet så hjälper {merchant} dig gärna.',
    },
    consequences: {
      cancel: 'Om betalningen inte har gått igenom senast {day} avslutas din prenumeration.',
      pause: 'Om betalningen inte har gått igenom senast {day} pausas din prenumeration.',
      may_stop: 'Om beloppet förblir obetalt kan din prenumeration komma att stoppas.',
    },
    several: {
      opening: 'Dina betalningar till {merchant} gick inte igenom. Sammanlagt gäller det {amount}.',
      pays: 'Det räcker med ett nytt kort för alla betalningarna.',
      consequences: {
        cancel: 'Om betalningarna inte har gått igenom senast {day} avslutas dina prenumerationer.',
        pause: 'Om betalningarna inte har gått igenom senast {day} pausas dina prenumerationer.',
        may_stop: 'Om beloppen förblir obetalda kan dina prenumerationer komma att stoppas.',
      },
    },
    lost: {
      owed: 'Beloppet {amount} är fortfarande obetalt.',
      resumes:
        'När beloppet är betalt startar din prenumeration igen med samma plan. Nästa period debiteras så snart den betalda är slut.',
      waived: 'Du är inte längre skyldig något för detta.',
      pay: 'Betala beloppet',
      view: 'Visa fakturan',
    },
    otherMethod: {
      subject: 'Uppdatera din betalningsmetod hos {merchant} ({amount})',
      heading: 'Uppdatera din betalningsmetod',
      ask: 'Kontrollera din betalningsmetod eller lägg till en annan. När den har sparats försöker vi med betalningen igen. Du behöver inte göra något mer.',
      button: 'Uppdatera betalningsmetod',
      pays: 'Det räcker med en ny betalningsmetod för alla betalningarna.',
      page: {
        line: 'En betalning till {merchant} gick inte igenom. Kontrollera din betalningsmetod eller lägg till en annan, så försöker vi med betalningen igen.',
        note: 'Nästa sida drivs av Stripe, vår betalningsleverantör. Bara Stripe får dina betalningsuppgifter.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Uppdatera ditt kort hos {merchant} ({amount})',
      preview: 'Din betalning på {amount} gick inte igenom.',
      heading: 'Uppdatera ditt kort',
      opening: [
        'Din betalning på {amount} till {merchant} gick inte igenom.',
        'Kontrollera ditt kort eller lägg till ett annat. När det har sparats försöker vi med betalningen igen. Du behöver inte göra något mer.',
      ],
      button: 'Uppdatera kort',
    },
    confirm_payment: {
      subject: 'Bekräfta din betalning till {merchant} ({amount})',
      preview: 'Din bank ber dig bekräfta en betalning på {amount}.',
      heading: 'Bekräfta din betalning',
      opening: [
        'Din bank ber dig bekräfta din betalning på {amount} till {merchant}.',
        'Det går fort: öppna fakturan, välj ditt kort och följ stegen från din bank. Du behöver inte göra något mer.',
      ],
      button: 'Bekräfta betalning',
    },
    failure_notice: {
      subject: 'Din betalning till {merchant} gick inte igenom: {amount}',
      preview: 'Vi försöker igen. Du behöver inte göra något än.',
      heading: 'Din betalning gick inte igenom',
      opening: [
        'Din betalning på {amount} till {merchant} gick inte igenom.',
        'Vi försöker igen under de närmaste dagarna. Vill du hellre betala på ett annat sätt kan du välja en annan betalningsmetod, så använder vi den.',
      ],
      button: 'Välj en annan betalningsmetod',
    },
    subscription_ended: {
      subject: 'Din prenumeration hos {merchant} har avslutats',
      preview: 'Din betalning på {amount} gjordes inte.',
      heading: 'Din prenumeration har avslutats',
      opening: [
        'Din betalning på {amount} till {merchant} gjordes inte, och därför har din prenumeration avslutats.',
      ],
      button: 'Börja om',
    },
    subscription_paused: {
      subject: 'Din prenumeration hos {merchant} är pausad',
      preview: 'Din betalning på {amount} gjordes inte.',
      heading: 'Din prenumeration är pausad',
      opening: [
        'Din betalning på {amount} till {merchant} gjordes inte, och därför är din prenumeration pausad.',
      ],
      button: 'Fortsätt',
    },
    backup_charged: {
      subject: '{amount} till {merchant} har dragits från ditt andra kort',
      preview:
        'Kortet som slutar på {failed} fungerade inte. Beloppet har dragits från kortet som slutar på {charged}.',
      heading: 'Beloppet har dragits från ditt andra kort',
      opening: [
        'Din betalning på {amount} till {merchant} gick inte igenom med kortet som slutar på {failed}.',
        'Beloppet har i stället dragits från ditt andra sparade kort, som slutar på {charged}. Du har inget mer att betala.',
        'Nästa gång dras beloppet återigen från kortet som slutar på {failed}. Välj ett annat kort om du inte vill det.',
      ],
      button: 'Välj kort',
    },
    paid_otherwise: {
      subject: 'Tack: din betalning på {amount} till {merchant} har gått igenom',
      preview: 'Välj betalningsmetod för nästa gång.',
      heading: 'Tack för din betalning',
      opening: [
        'Din betalning på {amount} till {merchant} har gått igenom. Du har inget mer att betala.',
        'Nästa gång används återigen betalningsmetoden som inte fungerade. Välj den som ska användas i fortsättningen.',
      ],
      button: 'Välj betalningsmetod',
    },
    expiring_card: {
      subject: 'Ditt kort som slutar på {card} går ut före nästa betalning till {merchant}',
      preview: 'Uppdatera ditt kort så att inget avbryts.',
      heading: 'Ditt kort går snart ut',
      opening: [
        'Ditt kort som slutar på {card} går ut före nästa betalning till {merchant}.',
        'Ange det nya utgångsdatumet eller välj ett annat kort, så att inget avbryts. Har du redan fått ett nytt kort från banken tar det bara en minut.',
      ],
      button: 'Uppdatera kort',
    },
    missing_method: {
      subject: 'Lägg till en betalningsmetod före din nästa betalning till {merchant}',
      preview: 'Lägg till en betalningsmetod så att inget avbryts.',
      heading: 'Lägg till en betalningsmetod',
      opening: [
        'Det finns ingen sparad betalningsmetod för din nästa betalning till {merchant}.',
        'Lägg till en så att inget avbryts. Du behöver inte göra något mer.',
      ],
      button: 'Lägg till betalningsmetod',
    },
  },
  pauseOffer: { line: 'Du kan också pausa din prenumeration.', button: 'Pausa min prenumeration' },
  pages: {
    update: {
      title: 'Uppdatera ditt kort',
      lines: [
        'En betalning till {merchant} gick inte igenom. Kontrollera ditt kort eller lägg till ett annat, så försöker vi med betalningen igen.',
        'Att betala: {amount}',
      ],
      button: 'Fortsätt till den säkra sidan',
      notes: [
        'Nästa sida drivs av Stripe, vår betalningsleverantör. Bara Stripe får dina kortuppgifter.',
        'Länken gäller till {until} och är bara till för dig.',
      ],
    },
    thanks: {
      title: 'Tack',
      lines: [
        'Om du har sparat en betalningsmetod använder {merchant} den för den obetalda fakturan. Du behöver inte göra något mer.',
      ],
    },
    choose: {
      title: 'Välj betalningsmetod',
      lines: ['Välj den betalningsmetod som {merchant} ska använda i fortsättningen.'],
    },
    chosen: {
      title: 'Tack',
      lines: ['Om du har sparat en betalningsmetod använder {merchant} den i fortsättningen.'],
    },
    paused: {
      title: 'Tack',
      lines: ['Om du har pausat din prenumeration förfaller inga nya betalningar förrän den återupptas.'],
      notes: ['En öppen betalning kan fortfarande göras via länken i mejlet.'],
    },
    nothing_due: {
      title: 'Det finns inget att betala',
      lines: [
        'Den här länken gällde en betalning till {merchant} som inte längre är obetald. Du behöver inte göra något.',
      ],
    },
    expired: {
      title: 'Den här länken har gått ut',
      lines: [
        'För din säkerhet gällde länken bara under en begränsad tid, till {until}.',
        'Svara på mejlet som länken fanns i eller kontakta {merchant} för att få en ny.',
      ],
    },
    renew: {
      line: 'Vi kan skicka en ny till e-postadressen som {merchant} har registrerad.',
      button: 'Skicka en ny länk',
    },
    renewed: {
      title: 'Titta i din inkorg',
      lines: [
        'Om betalningen fortfarande är obetald är en ny länk på väg till e-postadressen som {merchant} har registrerad. Det kan ta några minuter.',
      ],
    },
    not_found: {
      title: 'Den här länken fungerar inte',
      lines: [
        'En del av adressen kan saknas. Öppna länken i mejlet igen eller kopiera hela adressen till din webbläsare.',
        'Om det inte hjälper kan du svara på mejlet som länken fanns i.',
      ],
    },
    try_again: {
      title: 'Något gick fel',
      lines: ['Vi kunde inte öppna den säkra sidan. Inget har ändrats. Försök igen om en stund.'],
      button: 'Försök igen',
    },
    too_many: {
      title: 'Vänta ett ögonblick',
      lines: [
        'Det kom många förfrågningar från ditt nätverk. Vänta några minuter och öppna sedan länken igen.',
      ],
    },
  },
};
