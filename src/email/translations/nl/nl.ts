import type { Translation } from '../../mail-texts.ts';
import { cardUpdate } from './card-update.ts';
import { common } from './common.ts';
import { confirmPayment } from './confirm-payment.ts';
import { pages } from './pages.ts';

export const nl: Translation = {
  direction: 'ltr',
  common,
  mails: { card_update: cardUpdate, confirm_payment: confirmPayment },
  pages,
};
