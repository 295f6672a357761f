import type { MailTexts } from '../../mail-texts.ts';

/** The reason of a decline is not told: the bank's word is often wrong, and mail is read by others. */
export const cardUpdate: MailTexts = {
  subject: 'Please update your card: {amount} to {merchant}',
  preview: 'Your payment of {amount} did not go through.',
  heading: 'Please update your card',
  opening: [
    'Your payment of {amount} to {merchant} did not go through.',
    'Please check your card or add another one. Once it is saved, we will try the payment again; there is nothing else you need to do.',
  ],
  button: 'Update my card',
  closing: [
    'The link works until {until} and is meant for you alone. Please do not pass it on.',
    'You enter your card details on a secure page of Stripe, our payment provider. We will never ask for them by email.',
    'Questions, or already settled? Reply to this email and {merchant} will help.',
  ],
};
