import type { Translation } from '../email-texts.ts';

export const it: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'questa azienda',
    greeting: 'Gentile {name},',
    greetingWithoutName: 'Buongiorno,',
    bareLink: 'Se il pulsante non funziona, copi questo indirizzo nel Suo browser:',
    closePage: 'Può chiudere questa pagina.',
    steps: {
      reminder: {
        subject: 'Promemoria: {subject}',
        lead: 'Le abbiamo già scritto: l’importo di {amount} è ancora in sospeso.',
      },
      last: {
        subject: 'Ultimo promemoria: {subject}',
        lead: 'Questo è il nostro ultimo promemoria: l’importo di {amount} è ancora in sospeso.',
      },
    },
    details: ['Abbonamento: {plan}', 'Fattura: {invoice}', 'Metodo di pagamento: {card}'],
    closing: {
      link: 'Il link è personale: La preghiamo di non condividerlo. Scadenza: {until}.',
      card: 'I dati della carta si inseriscono in una pagina sicura di Stripe, il nostro fornitore di servizi di pagamento. Non glieli chiederemo mai via e-mail.',
      method:
        'I dati di pagamento si inseriscono in una pagina sicura di Stripe, il nostro fornitore di servizi di pagamento. Non glieli chiederemo mai via e-mail.',
      confirm:
        'La conferma avviene in una pagina sicura di Stripe, il nostro fornitore di servizi di pagamento. Non Le chiederemo mai i dati della carta via e-mail.',
      settled: 'Ha domande o ha già provveduto? Risponda a questa e-mail: riceverà assistenza da {merchant}.',
      help: 'Ha domande? Risponda a questa e-mail: riceverà assistenza da {merchant}.',
      unwanted: 'Non era quello che desiderava? Risponda a questa e-mail: riceverà assistenza da {merchant}.',
    },
    consequences: {
      cancel:
        'Se il pagamento non va a buon fine in tempo, il Suo abbonamento verrà annullato. Termine: {day}.',
      pause: 'Se il pagamento non va a buon fine in tempo, il Suo abbonamento verrà sospeso. Termine: {day}.',
      may_stop: 'Se il pagamento resta in sospeso, il Suo abbonamento potrebbe essere interrotto.',
    },
    several: {
      opening:
        'I Suoi pagamenti a favore di {merchant} non sono andati a buon fine. Il totale è di {amount}.',
      pays: 'Basta una sola nuova carta per tutti i pagamenti.',
      consequences: {
        cancel:
          'Se i pagamenti non vanno a buon fine in tempo, i Suoi abbonamenti verranno annullati. Termine: {day}.',
        pause:
          'Se i pagamenti non vanno a buon fine in tempo, i Suoi abbonamenti verranno sospesi. Termine: {day}.',
        may_stop: 'Se i pagamenti restano in sospeso, i Suoi abbonamenti potrebbero essere interrotti.',
      },
    },
    lost: {
      owed: 'Restano da pagare {amount}.',
      resumes:
        'Dopo il pagamento il Suo abbonamento riprende con lo stesso piano. Il periodo successivo viene addebitato al termine di quello pagato.',
      waived: 'Non deve più nulla per questo.',
      pay: 'Paga l’importo dovuto',
      view: 'Vedi la fattura',
    },
    otherMethod: {
      subject: 'Aggiorni il Suo metodo di pagamento per {merchant} ({amount})',
      heading: 'Aggiorni il Suo metodo di pagamento',
      ask: 'La preghiamo di controllare il Suo metodo di pagamento o di aggiungerne un altro. Non appena sarà salvato, ritenteremo il pagamento: non dovrà fare altro.',
      button: 'Aggiorna il metodo di pagamento',
      pays: 'Basta un solo nuovo metodo di pagamento per tutti i pagamenti.',
      page: {
        line: 'Un pagamento a favore di {merchant} non è andato a buon fine. Controlli il Suo metodo di pagamento o ne aggiunga un altro: ritenteremo il pagamento.',
        note: 'La pagina successiva è gestita da Stripe, il nostro fornitore di servizi di pagamento. I dati di pagamento vanno soltanto a Stripe.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Aggiorni la Sua carta per {merchant} ({amount})',
      preview: 'Il Suo pagamento di {amount} non è andato a buon fine.',
      heading: 'Aggiorni la Sua carta',
      opening: [
        'Il Suo pagamento di {amount} a favore di {merchant} non è andato a buon fine.',
        'La preghiamo di controllare la Sua carta o di aggiungerne un’altra. Non appena sarà salvata, ritenteremo il pagamento: non dovrà fare altro.',
      ],
      button: 'Aggiorna la carta',
    },
    confirm_payment: {
      subject: 'Confermi il Suo pagamento a {merchant} ({amount})',
      preview: 'La Sua banca Le chiede di confermare un pagamento di {amount}.',
      heading: 'Confermi il Suo pagamento',
      opening: [
        'La Sua banca Le chiede di confermare il pagamento di {amount} a favore di {merchant}.',
        'Basta un momento: apra la fattura, scelga la Sua carta e segua le indicazioni della banca. Non dovrà fare altro.',
      ],
      button: 'Conferma il pagamento',
    },
    failure_notice: {
      subject: 'Pagamento non riuscito a favore di {merchant}: {amount}',
      preview: 'Ritenteremo il pagamento. Per ora non deve fare nulla.',
      heading: 'Il Suo pagamento non è andato a buon fine',
      opening: [
        'Il Suo pagamento di {amount} a favore di {merchant} non è andato a buon fine.',
        'Ritenteremo il pagamento nei prossimi giorni. Se preferisce pagare in altro modo, scelga un altro metodo di pagamento: useremo quello.',
      ],
      button: 'Scegli un altro metodo di pagamento',
    },
    subscription_ended: {
      subject: 'Il Suo abbonamento è terminato: {merchant}',
      preview: 'Il pagamento di {amount} non è stato effettuato.',
      heading: 'Il Suo abbonamento è terminato',
      opening: [
        'Il Suo pagamento di {amount} a favore di {merchant} non è stato effettuato, quindi il Suo abbonamento è terminato.',
      ],
      button: 'Ricomincia',
    },
    subscription_paused: {
      subject: 'Il Suo abbonamento è sospeso: {merchant}',
      preview: 'Il pagamento di {amount} non è stato effettuato.',
      heading: 'Il Suo abbonamento è sospeso',
      opening: [
        'Il Suo pagamento di {amount} a favore di {merchant} non è stato effettuato, quindi il Suo abbonamento è sospeso.',
      ],
      button: 'Continua',
    },
    backup_charged: {
      subject: '{amount} per {merchant}: addebito sull’altra carta',
      preview:
        'La carta che termina con {failed} non ha funzionato: l’importo è stato addebitato su quella che termina con {charged}.',
      heading: 'L’addebito è avvenuto sull’altra carta',
      opening: [
        'Il pagamento di {amount} a favore di {merchant} non è andato a buon fine con la carta che termina con {failed}.',
        'L’importo è stato addebitato sull’altra carta salvata, quella che termina con {charged}. Non c’è più nulla da pagare.',
        'La prossima volta l’addebito avverrà di nuovo sulla carta che termina con {failed}. Se non lo desidera, ne scelga un’altra.',
      ],
      button: 'Scegli la carta',
    },
    paid_otherwise: {
      subject: 'Grazie: il pagamento di {amount} a favore di {merchant} è stato effettuato',
      preview: 'Scelga il metodo di pagamento per la prossima volta.',
      heading: 'Grazie per il pagamento',
      opening: [
        'Il pagamento di {amount} a favore di {merchant} è stato effettuato. Non c’è più nulla da pagare.',
        'La prossima volta sarà usato di nuovo il metodo di pagamento che non ha funzionato. Scelga quello da usare d’ora in poi.',
      ],
      button: 'Scegli il metodo di pagamento',
    },
    expiring_card: {
      subject: 'La carta che termina con {card} scade prima del prossimo pagamento a {merchant}',
      preview: 'Aggiorni la carta per evitare interruzioni.',
      heading: 'La Sua carta sta per scadere',
      opening: [
        'La carta che termina con {card} scade prima del prossimo addebito di {merchant}.',
        'Inserisca la nuova data di scadenza o scelga un’altra carta per evitare interruzioni. Se la banca Le ha già inviato la nuova carta, basta un minuto.',
      ],
      button: 'Aggiorna la carta',
    },
    missing_method: {
      subject: 'Aggiunga un metodo di pagamento prima del prossimo pagamento a {merchant}',
      preview: 'Aggiunga un metodo di pagamento per evitare interruzioni.',
      heading: 'Aggiunga un metodo di pagamento',
      opening: [
        'Per il prossimo pagamento a {merchant} non è registrato alcun metodo di pagamento.',
        'Ne aggiunga uno per evitare interruzioni. Non deve fare altro.',
      ],
      button: 'Aggiungi un metodo di pagamento',
    },
  },
  pauseOffer: {
    line: 'In alternativa può sospendere il Suo abbonamento.',
    button: 'Sospendi il mio abbonamento',
  },
  pages: {
    update: {
      title: 'Aggiorni la Sua carta',
      lines: [
        'Un pagamento a favore di {merchant} non è andato a buon fine. Controlli la Sua carta o ne aggiunga un’altra: ritenteremo il pagamento.',
        'Importo da pagare: {amount}',
      ],
      button: 'Continua alla pagina sicura',
      notes: [
        'La pagina successiva è gestita da Stripe, il nostro fornitore di servizi di pagamento. I dati della carta vanno soltanto a Stripe.',
        'Il link è personale. Scadenza: {until}.',
      ],
    },
    thanks: {
      title: 'Grazie',
      lines: [
        'Se ha salvato un metodo di pagamento, {merchant} lo userà per il pagamento in sospeso. Non deve fare altro.',
      ],
    },
    choose: {
      title: 'Scelga il metodo di pagamento',
      lines: ['Scelga il metodo di pagamento che {merchant} userà d’ora in poi.'],
    },
    chosen: {
      title: 'Grazie',
      lines: ['Se ha salvato un metodo di pagamento, {merchant} lo userà d’ora in poi.'],
    },
    paused: {
      title: 'Grazie',
      lines: ['Se ha sospeso il Suo abbonamento, non scadrà alcun nuovo pagamento fino alla ripresa.'],
      notes: ['Un pagamento aperto si può ancora effettuare con il link nell’email.'],
    },
    nothing_due: {
      title: 'Non c’è nulla da pagare',
      lines: [
        'Questo link riguardava un pagamento a favore di {merchant} che non è più in sospeso. Non deve fare nulla.',
      ],
    },
    expired: {
      title: 'Questo link è scaduto',
      lines: [
        'Per la Sua sicurezza il link era valido solo per un periodo limitato. Scadenza: {until}.',
        'Per riceverne uno nuovo, risponda all’e-mail che lo conteneva o contatti {merchant}.',
      ],
    },
    renew: {
      line: 'Possiamo inviarne uno nuovo all’indirizzo e-mail registrato presso {merchant}.',
      button: 'Invia un nuovo link',
    },
    renewed: {
      title: 'Controlli la Sua posta',
      lines: [
        'Se il pagamento è ancora in sospeso, un nuovo link è in arrivo all’indirizzo e-mail registrato presso {merchant}. Può richiedere qualche minuto.',
      ],
    },
    not_found: {
      title: 'Questo link non funziona',
      lines: [
        'Forse manca una parte dell’indirizzo. Apra di nuovo il link nell’e-mail oppure lo copi per intero nel Suo browser.',
        'Se non basta, risponda all’e-mail che lo conteneva.',
      ],
    },
    try_again: {
      title: 'Qualcosa è andato storto',
      lines: [
        'Non è stato possibile aprire la pagina sicura. Non è stato modificato nulla. La preghiamo di riprovare tra un momento.',
      ],
      button: 'Riprova',
    },
    too_many: {
      title: 'Un momento, per favore',
      lines: [
        'Dalla Sua rete sono arrivate molte richieste. Attenda qualche minuto, poi apra di nuovo il link.',
      ],
    },
  },
};
