import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
  update: {
    title: 'Update your card',
    lines: [
      'A payment to {merchant} did not go through. Check your card or add another one, and we will try the payment again.',
      'Open amount: {amount}',
    ],
    button: 'Continue to secure page',
    notes: [
      'The next page is run by Stripe, our payment provider. Your card details go to Stripe alone.',
      'The link works until {until} and is meant for you alone.',
    ],
  },
  thanks: {
    title: 'Thank you',
    lines: [
      'If you saved a card, {merchant} will use it for the open payment. There is nothing else you need to do.',
    ],
    notes: ['You can close this page.'],
  },
  nothing_due: {
    title: 'Nothing is due',
    lines: [
      'This link was made for a payment to {merchant} that is not open any more. You do not need to do anything.',
    ],
    notes: ['You can close this page.'],
  },
  expired: {
    title: 'This link has expired',
    lines: [
      'For your safety the link worked for a limited time only, until {until}.',
      'To get a new one, reply to the email it came with, or contact {merchant}.',
    ],
    notes: [],
  },
  not_found: {
    title: 'This link does not work',
    lines: [
      'Part of the address may be missing. Open the link in the email again, or copy all of it into your browser.',
      'If that does not help, reply to the email it came with.',
    ],
    notes: [],
  },
  try_again: {
    title: 'Something went wrong',
    lines: ['We could not open the secure page. Nothing was changed. Please try again in a moment.'],
    button: 'Try again',
    notes: [],
  },
  too_many: {
    title: 'One moment, please',
    lines: [
      'There were many requests from your network. Please wait a few minutes, then open the link again.',
    ],
    notes: [],
  },
};
