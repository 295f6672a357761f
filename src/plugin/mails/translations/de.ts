import type { Translation } from '../email-texts.ts';

export const de: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'das Unternehmen',
    greeting: 'Guten Tag {name},',
    greetingWithoutName: 'Guten Tag,',
    bareLink: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie bitte diese Adresse in Ihren Browser:',
    closePage: 'Sie können diese Seite schließen.',
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
    details: ['Abonnement: {plan}', 'Rechnung: {invoice}', 'Zahlungsmethode: {card}'],
    closing: {
      link: 'Der Link ist bis zum {until} gültig und nur für Sie bestimmt. Bitte geben Sie ihn nicht weiter.',
      card: 'Ihre Kartendaten geben Sie auf einer gesicherten Seite von Stripe ein, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail danach.',
      method:
        'Ihre Zahlungsdaten geben Sie auf einer gesicherten Seite von Stripe ein, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail danach.',
      confirm:
        'Sie bestätigen auf einer gesicherten Seite von Stripe, unserem Zahlungsdienstleister. Wir fragen niemals per E-Mail nach Kartendaten.',
      settled:
        'Haben Sie Fragen oder ist die Zahlung bereits erledigt? Antworten Sie einfach auf diese E-Mail, {merchant} hilft Ihnen gern weiter.',
      help: 'Haben Sie Fragen? Antworten Sie einfach auf diese E-Mail, {merchant} hilft Ihnen gern weiter.',
      unwanted:
        'War das nicht in Ihrem Sinne? Antworten Sie einfach auf diese E-Mail, {merchant} hilft Ihnen gern weiter.',
    },
    consequences: {
      cancel: 'Geht die Zahlung nicht bis zum {day} ein, wird Ihr Abonnement beendet.',
      pause: 'Geht die Zahlung nicht bis zum {day} ein, wird Ihr Abonnement ausgesetzt.',
      may_stop: 'Bleibt die Zahlung offen, kann Ihr Abonnement eingestellt werden.',
    },
    several: {
      opening: 'Ihre Zahlungen an {merchant} konnten nicht ausgeführt werden. Insgesamt sind {amount} offen.',
      pays: 'Eine neue Karte genügt für alle Zahlungen.',
      consequences: {
        cancel: 'Gehen die Zahlungen nicht bis zum {day} ein, werden Ihre Abonnements beendet.',
        pause: 'Gehen die Zahlungen nicht bis zum {day} ein, werden Ihre Abonnements ausgesetzt.',
        may_stop: 'Bleiben die Zahlungen offen, können Ihre Abonnements eingestellt werden.',
      },
    },
    lost: {
      owed: '{amount} sind noch offen.',
      resumes:
        'Nach der Zahlung läuft Ihr Abonnement wieder, im selben Tarif. Der nächste Zeitraum wird abgebucht, sobald der bezahlte vorbei ist.',
      waived: 'Dafür ist nichts mehr zu zahlen.',
      pay: 'Offenen Betrag zahlen',
      view: 'Rechnung ansehen',
    },
    otherMethod: {
      subject: 'Bitte aktualisieren Sie Ihre Zahlungsmethode für {merchant} ({amount})',
      heading: 'Bitte aktualisieren Sie Ihre Zahlungsmethode',
      ask: 'Bitte prüfen Sie Ihre Zahlungsmethode oder hinterlegen Sie eine andere. Sobald sie gespeichert ist, versuchen wir die Zahlung erneut; mehr müssen Sie nicht tun.',
      button: 'Zahlungsmethode aktualisieren',
      pays: 'Eine neue Zahlungsmethode genügt für alle Zahlungen.',
      page: {
        line: 'Eine Zahlung an {merchant} konnte nicht ausgeführt werden. Prüfen Sie Ihre Zahlungsmethode oder hinterlegen Sie eine andere, dann versuchen wir die Zahlung erneut.',
        note: 'Die nächste Seite betreibt Stripe, unser Zahlungsdienstleister. Ihre Zahlungsdaten erhält allein Stripe.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Bitte aktualisieren Sie Ihre Karte für {merchant} ({amount})',
      preview: 'Ihre Zahlung über {amount} konnte nicht ausgeführt werden.',
      heading: 'Bitte aktualisieren Sie Ihre Karte',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} konnte nicht ausgeführt werden.',
        'Bitte prüfen Sie Ihre Karte oder hinterlegen Sie eine andere. Sobald sie gespeichert ist, versuchen wir die Zahlung erneut; mehr müssen Sie nicht tun.',
      ],
      button: 'Karte aktualisieren',
    },
    confirm_payment: {
      subject: 'Bitte bestätigen Sie Ihre Zahlung an {merchant} ({amount})',
      preview: 'Ihre Bank bittet Sie, eine Zahlung über {amount} zu bestätigen.',
      heading: 'Bitte bestätigen Sie Ihre Zahlung',
      opening: [
        'Ihre Bank bittet Sie, Ihre Zahlung über {amount} an {merchant} zu bestätigen.',
        'Das dauert nur einen Moment: Öffnen Sie die Rechnung, wählen Sie Ihre Karte und folgen Sie den Schritten Ihrer Bank. Mehr müssen Sie nicht tun.',
      ],
      button: 'Zahlung bestätigen',
    },
    failure_notice: {
      subject: 'Ihre Zahlung an {merchant} ist fehlgeschlagen: {amount}',
      preview: 'Wir versuchen es erneut. Sie müssen noch nichts tun.',
      heading: 'Ihre Zahlung konnte nicht ausgeführt werden',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} konnte nicht ausgeführt werden.',
        'Wir versuchen es in den nächsten Tagen erneut. Wenn Sie lieber anders zahlen möchten, wählen Sie eine andere Zahlungsart; wir verwenden dann diese.',
      ],
      button: 'Andere Zahlungsart wählen',
    },
    subscription_ended: {
      subject: 'Ihr Abonnement bei {merchant} ist beendet',
      preview: 'Ihre Zahlung über {amount} ist nicht eingegangen.',
      heading: 'Ihr Abonnement ist beendet',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} ist nicht eingegangen, deshalb ist Ihr Abonnement beendet.',
      ],
      button: 'Neu beginnen',
    },
    subscription_paused: {
      subject: 'Ihr Abonnement bei {merchant} ist ausgesetzt',
      preview: 'Ihre Zahlung über {amount} ist nicht eingegangen.',
      heading: 'Ihr Abonnement ist ausgesetzt',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} ist nicht eingegangen, deshalb ist Ihr Abonnement ausgesetzt.',
      ],
      button: 'Fortsetzen',
    },
    backup_charged: {
      subject: '{amount} an {merchant}: Ihre andere Karte wurde belastet',
      preview:
        'Mit der Karte mit den Endziffern {failed} war die Zahlung nicht möglich. Belastet wurde die Karte mit den Endziffern {charged}.',
      heading: 'Ihre andere Karte wurde belastet',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} konnte mit der Karte mit den Endziffern {failed} nicht ausgeführt werden.',
        'Der Betrag wurde stattdessen von Ihrer anderen hinterlegten Karte mit den Endziffern {charged} abgebucht. Es ist nichts mehr offen.',
        'Beim nächsten Mal wird wieder die Karte mit den Endziffern {failed} belastet. Wählen Sie eine andere, wenn Sie das nicht möchten.',
      ],
      button: 'Karte auswählen',
    },
    paid_otherwise: {
      subject: 'Vielen Dank: Ihre Zahlung über {amount} an {merchant} ist eingegangen',
      preview: 'Wählen Sie die Zahlungsmethode für die nächsten Zahlungen.',
      heading: 'Vielen Dank für Ihre Zahlung',
      opening: [
        'Ihre Zahlung über {amount} an {merchant} ist eingegangen. Es ist nichts mehr offen.',
        'Beim nächsten Mal wird wieder die Zahlungsmethode belastet, mit der die Zahlung zuvor nicht möglich war. Wählen Sie, welche künftig belastet werden soll.',
      ],
      button: 'Zahlungsmethode auswählen',
    },
    expiring_card: {
      subject: 'Ihre Karte mit den Endziffern {card} läuft vor der nächsten Zahlung an {merchant} ab',
      preview: 'Bitte aktualisieren Sie die Karte, damit nichts unterbrochen wird.',
      heading: 'Ihre Karte läuft bald ab',
      opening: [
        'Ihre Karte mit den Endziffern {card} läuft ab, bevor {merchant} sie das nächste Mal belastet.',
        'Bitte tragen Sie das neue Ablaufdatum ein oder hinterlegen Sie eine andere Karte, damit nichts unterbrochen wird. Liegt Ihnen die neue Karte Ihrer Bank schon vor, dauert das nur eine Minute.',
      ],
      button: 'Karte aktualisieren',
    },
    missing_method: {
      subject: 'Bitte hinterlegen Sie eine Zahlungsmethode vor der nächsten Zahlung an {merchant}',
      preview: 'Bitte hinterlegen Sie eine Zahlungsmethode, damit nichts unterbrochen wird.',
      heading: 'Bitte hinterlegen Sie eine Zahlungsmethode',
      opening: [
        'Für Ihre nächste Zahlung an {merchant} ist keine Zahlungsmethode hinterlegt, die belastet werden kann.',
        'Bitte hinterlegen Sie eine, damit nichts unterbrochen wird. Mehr müssen Sie nicht tun.',
      ],
      button: 'Zahlungsmethode hinterlegen',
    },
  },
  pauseOffer: {
    line: 'Sie können Ihr Abonnement stattdessen auch aussetzen.',
    button: 'Abonnement aussetzen',
  },
  pages: {
    update: {
      title: 'Karte aktualisieren',
      lines: [
        'Eine Zahlung an {merchant} konnte nicht ausgeführt werden. Prüfen Sie Ihre Karte oder hinterlegen Sie eine andere, dann versuchen wir die Zahlung erneut.',
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
        'Wenn Sie eine Zahlungsmethode gespeichert haben, wird {merchant} sie für die offene Zahlung verwenden. Mehr müssen Sie nicht tun.',
      ],
    },
    choose: {
      title: 'Zahlungsmethode auswählen',
      lines: ['Wählen Sie die Zahlungsmethode, die {merchant} künftig belastet.'],
    },
    chosen: {
      title: 'Vielen Dank',
      lines: ['Wenn Sie eine Zahlungsmethode gespeichert haben, wird {merchant} sie künftig belasten.'],
    },
    paused: {
      title: 'Vielen Dank',
      lines: [
        'Wenn Sie Ihr Abonnement ausgesetzt haben, werden bis zu seiner Fortsetzung keine neuen Zahlungen fällig.',
      ],
      notes: ['Eine offene Zahlung können Sie weiterhin über den Link in der E-Mail leisten.'],
    },
    nothing_due: {
      title: 'Es ist nichts offen',
      lines: [
        'Dieser Link gehörte zu einer Zahlung an {merchant}, die nicht mehr offen ist. Sie müssen nichts tun.',
      ],
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      lines: [
        'Zu Ihrer Sicherheit galt der Link nur für begrenzte Zeit, bis zum {until}.',
        'Einen neuen erhalten Sie, wenn Sie auf die E-Mail antworten, in der er stand, oder sich an {merchant} wenden.',
      ],
    },
    renew: {
      line: 'Wir können Ihnen einen neuen an die E-Mail-Adresse senden, die {merchant} von Ihnen hat.',
      button: 'Neuen Link senden',
    },
    renewed: {
      title: 'Bitte sehen Sie in Ihr Postfach',
      lines: [
        'Falls die Zahlung noch offen ist, ist ein neuer Link an die E-Mail-Adresse unterwegs, die {merchant} von Ihnen hat. Das kann einige Minuten dauern.',
      ],
    },
    not_found: {
      title: 'Dieser Link funktioniert nicht',
      lines: [
        'Vielleicht fehlt ein Teil der Adresse. Öffnen Sie den Link in der E-Mail noch einmal, oder kopieren Sie ihn vollständig in Ihren Browser.',
        'Hilft das nicht, antworten Sie bitte auf die E-Mail, in der er stand.',
      ],
    },
    try_again: {
      title: 'Das hat leider nicht geklappt',
      lines: [
        'Die gesicherte Seite ließ sich nicht öffnen. Es wurde nichts geändert. Bitte versuchen Sie es gleich noch einmal.',
      ],
      button: 'Noch einmal versuchen',
    },
    too_many: {
      title: 'Einen Moment, bitte',
      lines: [
        'Aus Ihrem Netz kamen sehr viele Anfragen. Bitte warten Sie einige Minuten und öffnen Sie den Link dann erneut.',
      ],
    },
  },
};
