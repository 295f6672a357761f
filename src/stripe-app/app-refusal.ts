/** Why a request that is signed and well formed is not served: a code that the views have words for. */
const REFUSALS = {
  account_unknown: {
    status: 403,
    message: 'This server does not serve the account, or may not read which account its key belongs to.',
  },
  account_disconnected: { status: 403, message: 'The account has revoked access.' },
  other_mode: { status: 409, message: 'This server works with the other mode of Stripe, live or test.' },
  role_missing: { status: 403, message: 'The role of the user does not allow this.' },
  replayed: { status: 409, message: 'This request was carried out before.' },
  request_unknown: {
    status: 404,
    message: 'This server does not know the request: is it older than the app?',
  },
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export class AppRefusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;

  constructor(code: RefusalCode) {
    super(REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
  }
}
