import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
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
};
