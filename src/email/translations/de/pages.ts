import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
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
      'Wenn Sie eine Karte gespeichert haben, wird {merchant} sie für die offene Zahlung verwenden. Mehr müssen Sie nicht tun.',
    ],
    notes: ['Sie können diese Seite schließen.'],
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
};
