import type { Translation } from '../mail-texts.ts';

export const de: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'das Unternehmen',
    greeting: 'Guten Tag {name},',
    greetingWithoutName: 'Guten Tag,',
    bareLink: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie bitte diese Adresse in Ihren Browser:',
    steps: {
      reminder: {
        subject: 'Erinnerung: {subject}',
        lead: 'Wir haben Ihnen bereits geschrieben: Der Betrag von {amount} ist noch offen.',
      },
      last: {
        subject: 'Letzte Erinnerung: {subject}',
        lead: 'Dies ist unsere letzte Erinnerung: Der Betrag von {amount} ist noch offen.',
      },
    },
    details: ['Abonnement: {plan}', 'Zahlungsmittel: {card}'],
    consequences: {
      cancel: 'Geht die Zahlung nicht bis zum {day} ein, wird Ihr Abonnement gekündigt.',
      pause: 'Geht die Zahlung nicht bis zum {day} ein, wird Ihr Abonnement ausgesetzt.',
      may_stop: 'Bleibt die Zahlung offen, kann Ihr Abonnement eingestellt werden.',
    },
    several: {
      opening: 'Ihre Zahlungen an {merchant} konnten nicht ausgeführt werden. Zusammen sind es {amount}.',
      pays: 'Mit einer neuen Karte werden alle bezahlt.',
      consequences: {
        cancel: 'Gehen die Zahlungen nicht bis zum {day} ein, werden Ihre Abonnements gekündigt.',
        pause: 'Gehen die Zahlungen nicht bis zum {day} ein, werden Ihre Abonnements ausgesetzt.',
        may_stop: 'Bleiben die Zahlungen offen, können Ihre Abonnements eingestellt werden.',
      },
    },
    otherMethod: {
      subject: 'Bitte aktualisieren Sie Ihr Zahlungsmittel: {amount} an {merchant}',
      heading: 'Bitte aktualisieren Sie Ihr Zahlungsmittel',
      ask: 'Bitte prüfen Sie Ihr Zahlungsmittel oder hinterlegen Sie ein anderes. Sobald es gespeichert ist, wiederholen wir die Zahlung; mehr müssen Sie nicht tun.',
      button: 'Zahlungsmittel aktualisieren',
      secure:
        'Ihre Zahlungsdaten geben Sie auf einer gesicherten Seite von Stripe ein, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail danach.',
      pays: 'Mit einem neuen Zahlungsmittel werden alle bezahlt.',
      page: {
        line: 'Eine Zahlung an {merchant} konnte nicht ausgeführt werden. Prüfen Sie Ihr Zahlungsmittel oder hinterlegen Sie ein anderes, dann wiederholen wir die Zahlung.',
        note: 'Die nächste Seite betreibt Stripe, unser Zahlungsdienstleister. Ihre Zahlungsdaten erhält allein Stripe.',
      },
    },
  },
  mails: {
    card_update: {
      subject: 'Bitte aktualisieren Sie Ihre Karte: {amount} an {merchant}',
      preview: 'Ihre Zahlung über {amount} konnte nicht ausgeführt werden.',
      heading: 'Bitte aktualisieren Sie Ihre Karte',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} konnte nicht ausgeführt werden.',
        'Bitte prüfen Sie Ihre Karte oder hinterlegen Sie eine andere. Sobald sie gespeichert ist, wiederholen wir die Zahlung; mehr müssen Sie nicht tun.',
      ],
      button: 'Karte aktualisieren',
      closing: [
        'Der Link ist bis zum {until} gültig und nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
        'Ihre Kartendaten geben Sie auf einer gesicherten Seite von Stripe ein, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail danach.',
        'Haben Sie Fragen oder ist die Zahlung bereits erledigt? Antworten Sie einfach auf diese E-Mail, {merchant} hilft Ihnen gern weiter.',
      ],
    },
    confirm_payment: {
      subject: 'Bitte bestätigen Sie Ihre Zahlung: {amount} an {merchant}',
      preview: 'Ihre Bank bittet Sie, eine Zahlung über {amount} zu bestätigen.',
      heading: 'Bitte bestätigen Sie Ihre Zahlung',
      opening: [
        'Ihre Bank bittet Sie, Ihre Zahlung über {amount} an {merchant} zu bestätigen.',
        'Das dauert nur einen Moment: Öffnen Sie die Rechnung, wählen Sie Ihre Karte und folgen Sie den Schritten Ihrer Bank. Mehr müssen Sie nicht tun.',
      ],
      button: 'Zahlung bestätigen',
      closing: [
        'Sie bestätigen auf einer gesicherten Seite von Stripe, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail nach Kartendaten.',
        'Haben Sie Fragen oder ist die Zahlung bereits erledigt? Antworten Sie einfach auf diese E-Mail, {merchant} hilft Ihnen gern weiter.',
      ],
    },
    backup_charged: {
      subject: '{amount} für {merchant} wurden von Ihrer anderen Karte abgebucht',
      preview: 'Die Karte mit den Endziffern {failed} ging nicht, daher wurde die mit {charged} belastet.',
      heading: 'Ihre andere Karte wurde belastet',
      opening: [
        'Ihre Zahlung von {amount} an {merchant} ist mit Ihrer Karte mit den Endziffern {failed} fehlgeschlagen.',
        'Der Betrag wurde von Ihrer anderen hinterlegten Karte mit den Endziffern {charged} abgebucht. Es ist nichts mehr offen.',
        'Beim nächsten Mal wird wieder die Karte mit den Endziffern {failed} belastet. Wählen Sie eine andere, wenn Sie das nicht möchten.',
      ],
      button: 'Karte auswählen',
      closing: [
        'Der Link gilt bis {until} und ist nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
        'War das nicht in Ihrem Sinn? Antworten Sie auf diese E-Mail, {merchant} hilft Ihnen weiter.',
      ],
    },
    paid_otherwise: {
      subject: 'Vielen Dank: Ihre Zahlung über {amount} an {merchant} ist eingegangen',
      preview: 'Wählen Sie, was beim nächsten Mal belastet wird.',
      heading: 'Vielen Dank für Ihre Zahlung',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} ist eingegangen. Es ist nichts mehr offen.',
        'Beim nächsten Mal wird wieder das Zahlungsmittel belastet, mit dem es zuvor nicht ging. Wählen Sie, welches künftig belastet werden soll.',
      ],
      button: 'Zahlungsmittel auswählen',
      closing: [
        'Der Link gilt bis {until} und ist nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
        'Fragen? Antworten Sie auf diese E-Mail, {merchant} hilft Ihnen weiter.',
      ],
    },
    expiring_card: {
      subject: 'Ihre Karte mit den Endziffern {card} läuft vor der nächsten Zahlung an {merchant} ab',
      preview: 'Bitte hinterlegen Sie eine andere Karte, damit nichts unterbrochen wird.',
      heading: 'Ihre Karte läuft bald ab',
      opening: [
        'Ihre Karte mit den Endziffern {card} läuft ab, bevor {merchant} sie das nächste Mal belastet.',
        'Bitte geben Sie das neue Datum ein oder wählen Sie eine andere Karte, damit nichts unterbrochen wird. Wenn Sie von Ihrer Bank schon eine neue Karte haben, dauert das eine Minute.',
      ],
      button: 'Karte aktualisieren',
      closing: [
        'Der Link gilt bis {until} und ist nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
        'Ihre Kartendaten geben Sie auf einer sicheren Seite von Stripe ein, unserem Zahlungsanbieter. Wir fragen nie per E-Mail danach.',
        'Fragen? Antworten Sie auf diese E-Mail, {merchant} hilft Ihnen weiter.',
      ],
    },
    missing_method: {
      subject: 'Bitte hinterlegen Sie ein Zahlungsmittel vor der nächsten Zahlung an {merchant}',
      preview: 'Bitte hinterlegen Sie ein Zahlungsmittel, damit nichts unterbrochen wird.',
      heading: 'Bitte hinterlegen Sie ein Zahlungsmittel',
      opening: [
        'Für Ihre nächste Zahlung an {merchant} ist kein Zahlungsmittel hinterlegt, das belastet werden kann.',
        'Bitte hinterlegen Sie eines, damit nichts unterbrochen wird. Mehr müssen Sie nicht tun.',
      ],
      button: 'Zahlungsmittel hinterlegen',
      closing: [
        'Der Link gilt bis {until} und ist nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
        'Ihre Zahlungsdaten geben Sie auf einer gesicherten Seite von Stripe ein, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail danach.',
        'Fragen? Antworten Sie auf diese E-Mail, {merchant} hilft Ihnen weiter.',
      ],
    },
  },
  pages: {
    update: {
      title: 'Karte aktualisieren',
      lines: [
        'Eine Zahlung an {merchant} konnte nicht ausgeführt werden. Prüfen Sie Ihre Karte oder hinterlegen Sie eine andere, dann wiederholen wir die Zahlung.',
        'Offener Betrag: {amount}',
      ],
      button: 'Weiter zur gesicherten Seite',
      notes: [
        'Die nächste Seite betreibt Stripe, unser Zahlungsdienstleister. Ihre Kartendaten erhält allein Stripe.',
        'Der Link ist bis zum {until} gültig und nur für Sie bestimmt.',
      ],
    },
    thanks: {
      title: 'Vielen Dank',
      lines: [
        'Wenn Sie ein Zahlungsmittel gespeichert haben, wird {merchant} es für die offene Zahlung verwenden. Mehr müssen Sie nicht tun.',
      ],
      notes: ['Sie können diese Seite schließen.'],
    },
    choose: {
      title: 'Zahlungsmittel auswählen',
      lines: ['Wählen Sie das Zahlungsmittel, das {merchant} künftig belastet.'],
      button: 'Weiter zur sicheren Seite',
      notes: [
        'Die nächste Seite betreibt Stripe, unser Zahlungsdienstleister. Ihre Zahlungsdaten erhält allein Stripe.',
        'Der Link ist bis zum {until} gültig und nur für Sie bestimmt.',
      ],
    },
    chosen: {
      title: 'Vielen Dank',
      lines: ['Wenn Sie ein Zahlungsmittel gespeichert haben, wird {merchant} es künftig belasten.'],
      notes: [],
    },
    nothing_due: {
      title: 'Es ist nichts offen',
      lines: [
        'Dieser Link gehörte zu einer Zahlung an {merchant}, die nicht mehr offen ist. Sie müssen nichts tun.',
      ],
      notes: ['Sie können diese Seite schließen.'],
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      lines: [
        'Zu Ihrer Sicherheit galt der Link nur für begrenzte Zeit, bis zum {until}.',
        'Einen neuen erhalten Sie, wenn Sie auf die E-Mail antworten, mit der er kam, oder sich an {merchant} wenden.',
      ],
      notes: [],
    },
    not_found: {
      title: 'Dieser Link funktioniert nicht',
      lines: [
        'Vielleicht fehlt ein Teil der Adresse. Öffnen Sie den Link in der E-Mail noch einmal, oder kopieren Sie ihn vollständig in Ihren Browser.',
        'Hilft das nicht, antworten Sie bitte auf die E-Mail, mit der er kam.',
      ],
      notes: [],
    },
    try_again: {
      title: 'Das hat leider nicht geklappt',
      lines: [
        'Die gesicherte Seite ließ sich nicht öffnen. Es wurde nichts geändert. Bitte versuchen Sie es gleich noch einmal.',
      ],
      button: 'Noch einmal versuchen',
      notes: [],
    },
    too_many: {
      title: 'Einen Moment, bitte',
      lines: [
        'Aus Ihrem Netz kamen sehr viele Anfragen. Bitte warten Sie einige Minuten und öffnen Sie den Link dann erneut.',
      ],
      notes: [],
    },
  },
};
