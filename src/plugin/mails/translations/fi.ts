import type { Translation } from '../email-texts.ts';

/** The merchant's name is not inflected: it is in the nominative or in parentheses. */
export const fi: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'kauppias',
    greeting: 'Hei {name},',
    greetingWithoutName: 'Hei,',
    bareLink: 'Jos painike ei toimi, kopioi tämä osoite selaimeesi:',
    closePage: 'Voit sulkea tämän sivun.',
    steps: {
      reminder: {
        subject: 'Muistutus: {subject}',
        lead: 'Olemme kirjoittaneet sinulle aiemmin: {amount} on edelleen maksamatta.',
      },
      last: {
        subject: 'Viimeinen muistutus: {subject}',
        lead: 'Tämä on viimeinen muistutuksemme: {amount} on edelleen maksamatta.',
      },
    },
    details: ['Tilaus: {plan}', 'Lasku: {invoice}', 'Maksutapa: {card}'],
    closing: {
      link: 'Linkin voimassaolo päättyy: {until}. Linkki on tarkoitettu vain sinulle, joten ethän välitä sitä eteenpäin.',
      card: 'Korttitiedot annetaan maksupalveluntarjoajamme Stripen suojatulla sivulla. Emme koskaan pyydä niitä sähköpostitse.',
      method:
        'Maksutiedot annetaan maksupalveluntarjoajamme Stripen suojatulla sivulla. Emme koskaan pyydä niitä sähköpostitse.',
      confirm:
        'Maksu vahvistetaan maksupalveluntarjoajamme Stripen suojatulla sivulla. Emme koskaan pyydä korttitietoja sähköpostitse.',
      settled:
        'Onko sinulla kysyttävää, tai onko maksu jo hoidettu? Vastaa tähän viestiin, niin {merchant} auttaa mielellään.',
      help: 'Onko sinulla kysyttävää? Vastaa tähän viestiin, niin {merchant} auttaa mielellään.',
      unwanted: 'Eikö tämä ollut tarkoituksesi? Vastaa tähän viestiin, niin {merchant} auttaa mielellään.',
    },
    consequences: {
      cancel: 'Jos maksua ei ole suoritettu {day} mennessä, tilauksesi päätetään.',
      pause: 'Jos maksua ei ole suoritettu {day} mennessä, tilauksesi keskeytetään.',
      may_stop: 'Jos maksu jää suorittamatta, tilauksesi voidaan keskeyttää.',
    },
    several: {
      opening: 'Maksusi ({merchant}) eivät onnistuneet. Yhteensä avoinna on {amount}.',
      pays: 'Yksi uusi kortti riittää kaikkiin maksuihin.',
      consequences: {
        cancel: 'Jos maksuja ei ole suoritettu {day} mennessä, tilauksesi päätetään kokonaan.',
        pause: 'Jos maksuja ei ole suoritettu {day} mennessä, kaikki tilauksesi keskeytetään.',
        may_stop: 'Jos maksut jäävät suorittamatta, tilauksesi voidaan keskeyttää.',
      },
    },
    lost: {
      owed: '{amount} on vielä maksamatta.',
      resumes:
        'Kun summa on maksettu, tilauksesi alkaa uudelleen samanlaisena. Seuraava jakso veloitetaan heti, kun maksettu jakso on päättynyt.',
      waived: 'Et ole siitä enää velkaa.',
      pay: 'Maksa avoin summa',
      view: 'Näytä lasku',
    },
    otherMethod: {
      subject: 'Päivitä maksutapasi – {merchant} ({amount})',
      heading: 'Päivitä maksutapasi',
      ask: 'Tarkista maksutapasi tai lisää toinen. Kun se on tallennettu, yritämme maksua uudelleen. Muuta sinun ei tarvitse tehdä.',
      button: 'Päivitä maksutapa',
      pays: 'Yksi uusi maksutapa riittää kaikkiin maksuihin.',
      page: {
        line: 'Maksu ({merchant}) ei onnistunut. Tarkista maksutapasi tai lisää toinen, niin yritämme maksua uudelleen.',
        note: 'Seuraavaa sivua ylläpitää maksupalveluntarjoajamme Stripe. Vain Stripe saa maksutietosi.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Päivitä korttisi – {merchant} ({amount})',
      preview: 'Maksusi {amount} ei onnistunut.',
      heading: 'Päivitä korttisi',
      opening: [
        'Maksusi {amount} ({merchant}) ei onnistunut.',
        'Tarkista korttisi tai lisää toinen. Kun se on tallennettu, yritämme maksua uudelleen. Muuta sinun ei tarvitse tehdä.',
      ],
      button: 'Päivitä kortti',
    },
    confirm_payment: {
      subject: 'Vahvista maksusi – {merchant} ({amount})',
      preview: 'Pankkisi pyytää sinua vahvistamaan maksun {amount}.',
      heading: 'Vahvista maksusi',
      opening: [
        'Pankkisi pyytää sinua vahvistamaan maksun {amount} ({merchant}).',
        'Se käy hetkessä: avaa lasku, valitse korttisi ja seuraa pankkisi ohjeita. Muuta sinun ei tarvitse tehdä.',
      ],
      button: 'Vahvista maksu',
    },
    failure_notice: {
      subject: 'Maksusi ei onnistunut: {amount}, {merchant}',
      preview: 'Yritämme uudelleen. Sinun ei tarvitse vielä tehdä mitään.',
      heading: 'Maksusi ei onnistunut',
      opening: [
        'Maksusi {amount} ({merchant}) ei onnistunut.',
        'Yritämme maksua uudelleen lähipäivinä. Jos haluat maksaa muulla tavalla, valitse toinen maksutapa, niin käytämme sitä.',
      ],
      button: 'Valitse toinen maksutapa',
    },
    subscription_ended: {
      subject: 'Tilauksesi on päättynyt: {merchant}',
      preview: 'Maksua {amount} ei suoritettu.',
      heading: 'Tilauksesi on päättynyt',
      opening: ['Maksua {amount} ({merchant}) ei suoritettu, joten tilauksesi on päättynyt.'],
      button: 'Aloita uudelleen',
    },
    subscription_paused: {
      subject: 'Tilauksesi on keskeytetty: {merchant}',
      preview: 'Maksua {amount} ei suoritettu.',
      heading: 'Tilauksesi on keskeytetty',
      opening: ['Maksua {amount} ({merchant}) ei suoritettu, joten tilauksesi on keskeytetty.'],
      button: 'Jatka',
    },
    backup_charged: {
      subject: '{amount}, {merchant}: maksu veloitettiin toiselta kortiltasi',
      preview:
        'Kortti, jonka numero päättyy {failed}, ei toiminut. Maksu veloitettiin kortilta, jonka numero päättyy {charged}.',
      heading: 'Maksu veloitettiin toiselta kortiltasi',
      opening: [
        'Maksusi {amount} ({merchant}) ei onnistunut kortilla, jonka numero päättyy {failed}.',
        'Maksu veloitettiin toiselta tallennetulta kortiltasi, jonka numero päättyy {charged}. Maksettavaa ei enää ole.',
        'Ensi kerralla veloitetaan taas korttia, jonka numero päättyy {failed}. Valitse toinen kortti, jos et halua tätä.',
      ],
      button: 'Valitse kortti',
    },
    paid_otherwise: {
      subject: 'Kiitos: maksusi {amount} ({merchant}) on suoritettu',
      preview: 'Valitse maksutapa seuraavaa kertaa varten.',
      heading: 'Kiitos maksustasi',
      opening: [
        'Maksusi {amount} ({merchant}) on suoritettu. Maksettavaa ei enää ole.',
        'Ensi kerralla käytetään taas maksutapaa, joka ei toiminut. Valitse maksutapa, jota haluat käyttää jatkossa.',
      ],
      button: 'Valitse maksutapa',
    },
    expiring_card: {
      subject: 'Korttisi, jonka numero päättyy {card}, vanhenee ennen seuraavaa maksua ({merchant})',
      preview: 'Päivitä korttisi, niin mikään ei keskeydy.',
      heading: 'Korttisi vanhenee pian',
      opening: [
        'Korttisi, jonka numero päättyy {card}, vanhenee ennen seuraavaa maksua ({merchant}).',
        'Anna uusi voimassaolopäivä tai valitse toinen kortti, niin mikään ei keskeydy. Jos olet jo saanut pankistasi uuden kortin, tähän menee vain minuutti.',
      ],
      button: 'Päivitä kortti',
    },
    missing_method: {
      subject: 'Lisää maksutapa ennen seuraavaa maksuasi ({merchant})',
      preview: 'Lisää maksutapa, niin mikään ei keskeydy.',
      heading: 'Lisää maksutapa',
      opening: [
        'Seuraavaa maksuasi ({merchant}) varten ei ole tallennettu maksutapaa.',
        'Lisää maksutapa, niin mikään ei keskeydy. Muuta sinun ei tarvitse tehdä.',
      ],
      button: 'Lisää uusi maksutapa',
    },
  },
  pauseOffer: { line: 'Voit myös keskeyttää tilauksesi.', button: 'Keskeytä tilaukseni' },
  pages: {
    update: {
      title: 'Päivitä korttisi',
      lines: [
        'Maksu ({merchant}) ei onnistunut. Tarkista korttisi tai lisää toinen, niin yritämme maksua uudelleen.',
        'Maksettavaa: {amount}',
      ],
      button: 'Jatka suojatulle sivulle',
      notes: [
        'Seuraavaa sivua ylläpitää maksupalveluntarjoajamme Stripe. Vain Stripe saa korttitietosi.',
        'Linkki on tarkoitettu vain sinulle. Sen voimassaolo päättyy: {until}.',
      ],
    },
    thanks: {
      title: 'Kiitos',
      lines: [
        'Jos tallensit maksutavan, {merchant} käyttää sitä avoimeen maksuun. Muuta sinun ei tarvitse tehdä.',
      ],
    },
    choose: {
      title: 'Valitse maksutapasi',
      lines: ['Valitse maksutapa, jota {merchant} käyttää jatkossa.'],
    },
    chosen: {
      title: 'Kiitos',
      lines: ['Jos tallensit maksutavan, {merchant} käyttää sitä jatkossa.'],
    },
    paused: {
      title: 'Kiitos',
      lines: ['Jos keskeytit tilauksesi, uusia maksuja ei eräänny ennen kuin tilaus jatkuu.'],
      notes: ['Avoimen maksun voit yhä suorittaa sähköpostissa olevasta linkistä.'],
    },
    nothing_due: {
      title: 'Maksettavaa ei ole',
      lines: [
        'Tämä linkki koski maksua ({merchant}), joka ei ole enää avoinna. Sinun ei tarvitse tehdä mitään.',
      ],
    },
    expired: {
      title: 'Tämä linkki on vanhentunut',
      lines: [
        'Turvallisuutesi vuoksi linkki oli voimassa vain rajoitetun ajan. Voimassaolo päättyi: {until}.',
        'Jos haluat uuden linkin, vastaa viestiin, jossa linkki oli. Myös {merchant} auttaa.',
      ],
    },
    renew: {
      line: 'Voimme lähettää uuden linkin sähköpostiosoitteeseen, joka on tiedossamme ({merchant}).',
      button: 'Lähetä uusi linkki',
    },
    renewed: {
      title: 'Tarkista sähköpostisi',
      lines: [
        'Jos maksu on vielä avoinna, uusi linkki on matkalla sähköpostiosoitteeseen, joka on tiedossamme ({merchant}). Siinä voi kestää muutama minuutti.',
      ],
    },
    not_found: {
      title: 'Tämä linkki ei toimi',
      lines: [
        'Osa osoitteesta voi puuttua. Avaa viestissä oleva linkki uudelleen tai kopioi koko osoite selaimeesi.',
        'Jos tämä ei auta, vastaa viestiin, jossa linkki oli.',
      ],
    },
    try_again: {
      title: 'Jokin meni vikaan',
      lines: ['Suojattua sivua ei voitu avata. Mitään ei ole muutettu. Yritä hetken kuluttua uudelleen.'],
      button: 'Yritä uudelleen',
    },
    too_many: {
      title: 'Pieni hetki',
      lines: ['Verkostasi tuli paljon pyyntöjä. Odota muutama minuutti ja avaa linkki sitten uudelleen.'],
    },
  },
};
