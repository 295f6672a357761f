import type { Translation } from '../email-texts.ts';

export const en: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'the merchant',
    greeting: 'Hello {name},',
    greetingWithoutName: 'Hello,',
    bareLink: 'If the button does not work, copy this address into your browser:',
    closePage: 'You can close this page.',
    steps: {
      reminder: {
        subject: 'Reminder: {subject}',
        lead: 'We wrote to you before: {amount} is still open.',
      },
      last: {
        subject: 'Last reminder: {subject}',
        lead: 'This is our last reminder: {amount} is still open.',
      },
    },
    details: ['Subscription: {plan}', 'Invoice: {invoice}', 'Payment method: {card}'],
    closing: {
      link: 'The link works until {until} and is meant for you alone. Please do not pass it on.',
      card: 'You enter your card details on a secure page of Stripe, our payment provider. We will never ask for them by email.',
      method:
        'You enter your payment details on a secure page of Stripe, our payment provider. We will never ask for them by email.',
      confirm:
        'You confirm on a secure page of Stripe, our payment provider. We will never ask for card details by email.',
      settled: 'Questions, or already settled? Reply to this email and {merchant} will help.',
      help: 'Questions? Reply to this email and {merchant} will help.',
      unwanted: 'Was this not what you wanted? Reply to this email and {merchant} will help.',
    },
    consequences: {
      cancel: 'If the payment is not made by {day}, your subscription will be canceled.',
      pause: 'If the payment is not made by {day}, your subscription will be paused.',
      may_stop: 'If the payment is not made, your subscription may end.',
    },
    several: {
      opening: 'Your payments to {merchant} did not go through. Together they come to {amount}.',
      pays: 'One new card pays all of them.',
      consequences: {
        cancel: 'If the payments are not made by {day}, your subscriptions will be canceled.',
        pause: 'If the payments are not made by {day}, your subscriptions will be paused.',
        may_stop: 'If the payments are not made, your subscriptions may end.',
      },
    },
    lost: {
      owed: '{amount} is still open.',
      resumes:
        'Once it is paid, your subscription starts again on the same plan. The next period is charged as soon as the paid one is over.',
      waived: 'You do not owe anything for it any more.',
      pay: 'Pay the open amount',
      view: 'View the invoice',
    },
    otherMethod: {
      subject: 'Update your payment method for {merchant} ({amount})',
      heading: 'Please update your payment method',
      ask: 'Please check your payment method or add another one. Once it is saved, we will try the payment again; there is nothing else you need to do.',
      button: 'Update my payment method',
      pays: 'One new payment method pays all of them.',
      page: {
        line: 'A payment to {merchant} did not go through. Check your payment method or add another one, and we will try the payment again.',
        note: 'The next page is run by Stripe, our payment provider. Your payment details go to Stripe alone.',
      },
    },
  },
  emails: {
    // The reason of a decline is not named: the bank's word is often wrong, and email is read by others.
    card_update: {
      subject: 'Update your card for {merchant} ({amount})',
      preview: 'Your payment of {amount} did not go through.',
      heading: 'Please update your card',
      opening: [
        'Your payment of {amount} to {merchant} did not go through.',
        'Please check your card or add another one. Once it is saved, we will try the payment again; there is nothing else you need to do.',
      ],
      button: 'Update my card',
    },
    // The bank wants the customer to confirm; Stripe's invoice page does that.
    confirm_payment: {
      subject: 'Confirm your payment to {merchant} ({amount})',
      preview: 'Your bank asks you to confirm a payment of {amount}.',
      heading: 'Please confirm your payment',
      opening: [
        'Your bank asks you to confirm your payment of {amount} to {merchant}.',
        'It takes a moment: open the invoice, choose your card and follow the steps of your bank. There is nothing else you need to do.',
      ],
      button: 'Confirm my payment',
    },
    failure_notice: {
      subject: 'Your payment to {merchant} did not go through: {amount}',
      preview: 'We will try it again. There is nothing you need to do yet.',
      heading: 'Your payment did not go through',
      opening: [
        'Your payment of {amount} to {merchant} did not go through.',
        'We will try it again over the next days. If you would rather pay another way, choose another payment method, and we will use that one.',
      ],
      button: 'Choose another payment method',
    },
    subscription_ended: {
      subject: 'Your subscription with {merchant} has ended',
      preview: 'Your payment of {amount} was not made.',
      heading: 'Your subscription has ended',
      opening: ['Your payment of {amount} to {merchant} was not made, so your subscription has ended.'],
      button: 'Start again',
    },
    subscription_paused: {
      subject: 'Your subscription with {merchant} is paused',
      preview: 'Your payment of {amount} was not made.',
      heading: 'Your subscription is paused',
      opening: ['Your payment of {amount} to {merchant} was not made, so your subscription is paused.'],
      button: 'Go on',
    },
    backup_charged: {
      subject: 'Your other card was charged {amount} for {merchant}',
      preview: 'The card ending in {failed} did not work, so the one ending in {charged} was charged.',
      heading: 'Another card of yours was charged',
      opening: [
        'Your payment of {amount} to {merchant} did not go through with your card ending in {failed}.',
        'It was charged to your other saved card, the one ending in {charged}. Nothing is due any more.',
        'We will charge the card ending in {failed} next time, unless you choose another.',
      ],
      button: 'Choose my card',
    },
    paid_otherwise: {
      subject: 'Thank you: your payment of {amount} to {merchant} was made',
      preview: 'Choose what is charged next time.',
      heading: 'Thank you for your payment',
      opening: [
        'Your payment of {amount} to {merchant} was made. Nothing is due any more.',
        'We will charge the payment method that did not work before next time, unless you choose another.',
      ],
      button: 'Choose my payment method',
    },
    expiring_card: {
      subject: 'Your card ending in {card} expires before the next payment to {merchant}',
      preview: 'Please add another card, so that nothing is interrupted.',
      heading: 'Your card is about to expire',
      opening: [
        'Your card ending in {card} expires before {merchant} charges it next.',
        'Please enter its new date or choose another card, so that nothing is interrupted. If your bank has sent you a new card already, this takes a minute.',
      ],
      button: 'Update my card',
    },
    missing_method: {
      subject: 'Please add a payment method before your next payment to {merchant}',
      preview: 'Please add a payment method, so that nothing is interrupted.',
      heading: 'Please add a payment method',
      opening: [
        'There is no payment method that {merchant} can charge for your next payment.',
        'Please add one, so that nothing is interrupted. There is nothing else you need to do.',
      ],
      button: 'Add a payment method',
    },
  },
  pauseOffer: { line: 'You can also pause your subscription instead.', button: 'Pause my subscription' },
  pages: {
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
        'If you saved a payment method, {merchant} will use it for the open payment. There is nothing else you need to do.',
      ],
    },
    choose: {
      title: 'Choose your payment method',
      lines: ['Choose the payment method that {merchant} charges from now on.'],
    },
    chosen: {
      title: 'Thank you',
      lines: ['If you saved a payment method, {merchant} will charge it from now on.'],
    },
    paused: {
      title: 'Thank you',
      lines: ['If you paused your subscription, no new payments fall due until it resumes.'],
      notes: ['An open payment can still be made with the link in the email.'],
    },
    nothing_due: {
      title: 'Nothing is due',
      lines: [
        'This link was made for a payment to {merchant} that is not open any more. You do not need to do anything.',
      ],
    },
    expired: {
      title: 'This link has expired',
      lines: [
        'For your safety the link worked for a limited time only, until {until}.',
        'To get a new one, reply to the email it came with, or contact {merchant}.',
      ],
    },
    renew: {
      line: 'We can send a new one to the email address that {merchant} has on file.',
      button: 'Send me a new link',
    },
    renewed: {
      title: 'Please check your email',
      lines: [
        'If the payment is still open, a new link is on its way to the email address that {merchant} has on file. It can take a few minutes.',
      ],
    },
    not_found: {
      title: 'This link does not work',
      lines: [
        'Part of the address may be missing. Open the link in the email again, or copy all of it into your browser.',
        'If that does not help, reply to the email it came with.',
      ],
    },
    try_again: {
      title: 'Something went wrong',
      lines: ['We could not open the secure page. Nothing was changed. Please try again in a moment.'],
      button: 'Try again',
    },
    too_many: {
      title: 'One moment, please',
      lines: [
        'There were many requests from your network. Please wait a few minutes, then open the link again.',
      ],
    },
  },
};
