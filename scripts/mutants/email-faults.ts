/** In emails, their links, and what follows when an invoice is given up or taken over. */
import type { Mutant } from './mutants.ts';

const SEND = 'src/plugin/retry/mail/send-customer-email.ts';
const GUARDS = 'src/plugin/retry/guards/email-guards.ts';
const LINK = 'src/plugin/retry/mail/card-update-link.ts';
const INSTRUCTIONS = 'src/plugin/retry/instructions/handle-instruction.ts';

export const EMAIL_FAULTS: readonly Mutant[] = [
  {
    name: 'sent-email-sent-again',
    cost: 'a customer gets an email twice',
    file: SEND,
    find: "if (state === 'sent')\n",
    replace: "if (state === 'given_up')\n",
    killedBy: ['test/plugin/retry/mail/send-customer-email.test.ts'],
  },
  {
    name: 'email-unique-no-more',
    cost: 'each try reserves an email of its own, and sends it',
    file: 'src/plugin/store/tables/retry/emails.ts',
    find: 'const key = [email.account, email.template, email.step];',
    replace: 'const key = [email.account, email.template, `${email.step} ${now.toMillis()}`];',
    killedBy: [
      'test/plugin/retry/mail/send-customer-email.test.ts',
      'test/plugin/retry/mail/customer-emails.test.ts',
    ],
  },
  {
    name: 'message-id-made-anew',
    cost: 'a mail reader shows one email twice',
    file: SEND,
    find: 'const messageId = `<${action.id}@${deps.config.publicUrl.hostname}>`;',
    replace: 'const messageId = `<${deps.clock.now().toMillis()}@${deps.config.publicUrl.hostname}>`;',
    killedBy: ['test/plugin/retry/mail/customer-emails.test.ts'],
  },
  {
    name: 'email-without-its-claim',
    cost: 'two processes send one email',
    file: 'src/plugin/retry/mail/send-copies.ts',
    find: 'if (mailer && (await holdsClaim(database, action, now.plus({ seconds: SEND_SECONDS }))))',
    replace: 'if (mailer && SEND_SECONDS > 0)',
    killedBy: ['test/plugin/retry/mail/send-customer-email.test.ts'],
  },
  {
    name: 'email-marked-before-it-is-sent',
    cost: 'an email that was cut off never goes out',
    file: SEND,
    find: '    const result = await send({ to, messageId, ...content });\n',
    replace:
      "    await finishEmail(deps.database, key, { state: 'sent', detail: '' }, deps.clock.now());\n    const result = await send({ to, messageId, ...content });\n",
    killedBy: ['test/plugin/retry/mail/customer-emails.test.ts'],
  },
  {
    name: 'customers-night-forgotten',
    cost: 'an email wakes a customer on the other side of the earth',
    file: SEND,
    find: 'nextInWindow(now, zone, deps.config.emailWindow);',
    replace: 'nextInWindow(now, deps.config.timeZone, deps.config.emailWindow);',
    killedBy: ['test/plugin/retry/mail/customer-emails.test.ts'],
  },
  {
    name: 'planned-in-the-merchants-zone',
    cost: 'an email is planned for the merchant’s morning',
    file: INSTRUCTIONS,
    find: 'return customerZone(deps, await deps.stripe.findCustomer(instruction.account, customerId));',
    replace: 'return deps.config.timeZone;',
    killedBy: ['test/scenarios/instructions.test.ts'],
  },
  {
    name: 'days-between-emails-forgotten',
    cost: 'a customer gets emails on two days in a row',
    file: GUARDS,
    find: 'lastFor === invoice.id && lastTemplate === template && lastAt !== null && lastAt > since;',
    replace: 'lastFor === invoice.id && lastTemplate === template && lastAt !== null && lastAt > now;',
    killedBy: ['test/plugin/retry/mail/customer-emails.test.ts'],
  },
  {
    name: 'emails-off-by-one',
    cost: 'one reminder more than the merchant wants',
    file: GUARDS,
    find: 'if (count < reminderDays.length) return undefined;',
    replace: 'if (count <= reminderDays.length) return undefined;',
    killedBy: ['test/scenarios/reminders.test.ts'],
  },
  {
    name: 'customer-told-of-a-block-list',
    cost: 'a suspected fraudster learns what gave him away',
    file: GUARDS,
    find: "return because !== undefined && { code: 'merchant_matter', because };",
    replace: 'return because !== undefined && undefined;',
    killedBy: ['test/plugin/retry/mail/customer-emails.test.ts'],
  },
  {
    name: 'link-signature-unchecked',
    cost: 'anybody opens anybody’s billing portal',
    file: LINK,
    find: "if (!isSameSecret(signature, sign(payload, secret))) return { kind: 'invalid' };",
    replace: '',
    killedBy: ['test/plugin/retry/mail/card-update-link.test.ts'],
  },
  {
    name: 'link-without-an-end',
    cost: 'an old email opens a portal for ever',
    file: LINK,
    find: "return now < claims.expiresAt ? { kind: 'valid', claims }",
    replace: "return now > claims.expiresAt.minus({ years: 1 }) ? { kind: 'valid', claims }",
    killedBy: ['test/plugin/retry/mail/card-update-link.test.ts'],
  },
  {
    name: 'new-links-without-a-limit',
    cost: 'whoever has an old link floods its customer',
    file: 'src/plugin/retry/mail/card-update-page.ts',
    find: "reference: now.toUTC().toISODate() ?? '' }",
    replace: "reference: now.toUTC().toISO() ?? '' }",
    killedBy: ['test/scenarios/customer-email.test.ts'],
  },
  {
    name: 'acknowledged-without-a-row',
    cost: 'the service never sends again what was not stored',
    file: 'src/plugin/retry/instructions/receive-instruction.ts',
    find: 'throw new StoreUnavailableError(error);',
    replace: 'if (error !== null) res.json({ success: true });',
    killedBy: ['test/plugin/app/http.test.ts'],
  },
  {
    name: 'instruction-planned-twice',
    cost: 'two payments for one instruction',
    file: INSTRUCTIONS,
    find: 'if (!(await settleIn(tx, deps, instruction, schedule))) return;',
    replace: 'await settleIn(tx, deps, instruction, schedule);',
    killedBy: ['test/plugin/retry/instructions/handle-instruction.test.ts'],
  },
  {
    name: 'older-instruction-over-a-newer',
    cost: 'what the service took back is carried out',
    file: INSTRUCTIONS,
    find: 'stays in force.\n    await lockInstructionsOfInvoice(tx, account, invoiceId);\n    if (await hasNewerInstruction(tx, account, requestId)) {',
    replace: 'stays in force.\n    if (invoiceId === requestId) {',
    killedBy: ['test/plugin/retry/instructions/handle-instruction.test.ts'],
  },
  {
    name: 'replaced-action-kept',
    cost: 'the old time and the new one both charge',
    file: INSTRUCTIONS,
    find: "await closeScheduledActions(tx, target, { code: 'replaced', requestId }, now);\n    await takeUpAgain",
    replace: 'await takeUpAgain',
    killedBy: ['test/plugin/retry/instructions/handle-instruction.test.ts'],
  },
  {
    name: 'horizon-off-by-one',
    cost: 'an instruction for the last day is refused',
    file: 'src/plugin/retry/instructions/plan-instruction.ts',
    find: 'if (idealAt > now.plus({ days: HORIZON_DAYS }))',
    replace: 'if (idealAt >= now.plus({ days: HORIZON_DAYS }))',
    killedBy: ['test/plugin/retry/instructions/plan-instruction.test.ts'],
  },
  {
    name: 'ending-without-its-claim',
    cost: 'a subscription is canceled although a person stopped it',
    file: 'src/plugin/retry/ending/end-dunning.ts',
    find: 'if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return false;',
    replace: '',
    killedBy: ['test/plugin/retry/ending/end-dunning.test.ts'],
  },
  {
    name: 'paying-customer-ended',
    cost: 'a customer who has paid the latest invoice is canceled',
    file: 'src/plugin/retry/ending/end-dunning.ts',
    find: "if (!BEHIND.has(status)) return { code: 'subscription_status', subscriptionId: id, status };",
    replace: '',
    killedBy: ['test/scenarios/giving-up.test.ts'],
  },
  {
    name: 'taken-over-before-it-is-written',
    cost: 'an invoice is left to nobody after a crash',
    file: 'src/plugin/retry/exclusive/take-over-invoice.ts',
    find: `  await recordTakeover(deps.database, key, { at: deps.clock.now(), isStop });
  await deps.stripe.setAutoAdvance(key.account, key.invoiceId, false);
`,
    replace: `  await deps.stripe.setAutoAdvance(key.account, key.invoiceId, false);
  await recordTakeover(deps.database, key, { at: deps.clock.now(), isStop });
`,
    killedBy: ['test/scenarios/stripe-retries.test.ts'],
  },
  {
    name: 'handed-back-taken-again',
    cost: 'an invoice goes to and fro between Stripe and us',
    file: 'src/plugin/retry/exclusive/take-over-invoice.ts',
    find: ' || (await wasHandedBack(deps.database, key))',
    replace: '',
    killedBy: ['test/scenarios/stripe-retries.test.ts'],
  },
];
