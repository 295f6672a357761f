import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
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
};
