import type { MailTexts } from '../../mail-texts.ts';

/** The bank wants the customer to confirm; Stripe's invoice page does that. */
export const confirmPayment: MailTexts = {
  subject: 'Please confirm your payment of {amount} to {merchant}',
  preview: 'Your bank asks you to confirm a payment of {amount}.',
  heading: 'Please confirm your payment',
  opening: [
    'Your bank asks you to confirm your payment of {amount} to {merchant}.',
    'It takes a moment: open the invoice, choose your card and follow the steps of your bank. There is nothing else you need to do.',
  ],
  button: 'Confirm my payment',
  closing: [
    'You confirm on a secure page of Stripe, our payment provider. We will never ask for card details by email.',
    'Questions, or already settled? Reply to this email and {merchant} will help.',
  ],
};
