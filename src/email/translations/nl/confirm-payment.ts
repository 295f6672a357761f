import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
  subject: 'Bevestig uw betaling: {amount} aan {merchant}',
  preview: 'Uw bank vraagt u een betaling van {amount} te bevestigen.',
  heading: 'Bevestig uw betaling',
  opening: [
    'Uw bank vraagt u uw betaling van {amount} aan {merchant} te bevestigen.',
    'Het duurt maar even: open de factuur, kies uw kaart en volg de stappen van uw bank. U hoeft verder niets te doen.',
  ],
  button: 'Mijn betaling bevestigen',
  closing: [
    'U bevestigt op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen nooit via e-mail om kaartgegevens.',
    'Hebt u vragen of is de betaling al geregeld? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
  ],
};
