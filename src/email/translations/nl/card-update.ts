import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
  subject: 'Werk uw kaart bij: {amount} aan {merchant}',
  preview: 'Uw betaling van {amount} is niet gelukt.',
  heading: 'Werk uw kaart bij',
  opening: [
    'Uw betaling van {amount} aan {merchant} is niet gelukt.',
    'Wilt u uw kaart controleren of een andere toevoegen? Zodra de kaart is opgeslagen, proberen we de betaling opnieuw; u hoeft verder niets te doen.',
  ],
  button: 'Mijn kaart bijwerken',
  closing: [
    'De link is geldig tot {until} en alleen voor u bedoeld. Stuur hem alstublieft niet door.',
    'U voert uw kaartgegevens in op een beveiligde pagina van Stripe, onze betaaldienstverlener. We vragen er nooit om via e-mail.',
    'Hebt u vragen of is de betaling al geregeld? Beantwoord deze e-mail, dan helpt {merchant} u graag.',
  ],
};
