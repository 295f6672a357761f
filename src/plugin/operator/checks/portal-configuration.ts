/** The billing portal configuration that the card-update page opens, and the payment methods that it offers (stripe-facts 6.1). */
import Stripe from 'stripe';
import { z } from 'zod';

/** What can be wrong with it, for a person. */
export const PORTAL_FAULTS = {
  none: 'the billing portal has no configuration that is switched on',
  no_card_update: 'the billing portal does not let customers change their card',
  no_methods: 'the billing portal offers no payment method that can be charged at the next renewal',
};

export interface PortalState {
  readonly fault?: keyof typeof PORTAL_FAULTS;
  /** What customers can choose from; undefined where the key may not read it. */
  readonly methods?: readonly string[];
  /** Made by `connect --portal`. */
  readonly isOurs: boolean;
}

/** Types that can be charged while the customer is away. */
const RENEWABLE: ReadonlySet<string> = new Set([
  ...['card', 'link', 'paypal', 'cashapp', 'amazon_pay', 'revolut_pay', 'kr_card', 'kakao_pay', 'naver_pay'],
  ...[
    'us_bank_account',
    'sepa_debit',
    'bacs_debit',
    'acss_debit',
    'au_becs_debit',
    'nz_bank_account',
    'payto',
  ],
]);
const NAME = 'Payment Retry';
const MARK = { payment_retry: 'card_update' };

type Configuration = Stripe.BillingPortal.Configuration;

interface PortalUse {
  readonly portalConfiguration?: string | undefined;
}

/** Inspects the named configuration, else the account's default. */
export async function inspectPortal(
  stripe: Stripe,
  { portalConfiguration: configured }: PortalUse,
): Promise<PortalState> {
  const all = await listConfigurations(stripe);
  const used = all.find(({ id, is_default: isDefault }) => (configured ? id === configured : isDefault));
  const isOurs = used !== undefined && isMade(used);
  if (!used?.active) return { fault: 'none', isOurs };
  const { enabled, payment_method_configuration: named } = used.features.payment_method_update;
  if (!enabled) return { fault: 'no_card_update', isOurs };
  const methods = await listMethods(stripe, named);
  return { ...(methods?.length === 0 ? { fault: 'no_methods' } : {}), ...(methods && { methods }), isOurs };
}

/**
 * One that lets a customer change the card, see the invoices and, where that is offered, pause: the one that was made before, put in order, or a
 * new one. The account's usual payment methods stay, unless none of them serves.
 */
export async function makePortal(stripe: Stripe): Promise<string> {
  const all = await listConfigurations(stripe);
  const made = all.find(isMade);
  const { subscription_pause: pause } = (made ?? all.find((one) => one.is_default))?.features ?? {};
  const methods = (await listMethods(stripe, null))?.length === 0 ? await makeMethods(stripe) : '';
  const params = {
    name: NAME,
    features: {
      payment_method_update: { enabled: true, payment_method_configuration: methods },
      invoice_history: { enabled: true },
      // The length is Stripe's default, a month, or the merchant's choice.
      subscription_pause: { enabled: pause?.enabled ?? false },
    },
    metadata: MARK,
  };
  const { configurations } = stripe.billingPortal;
  const { id } = made
    ? await configurations.update(made.id, { ...params, active: true })
    : await configurations.create(params);
  return id;
}

/** Switches off what `makePortal` made: Stripe deletes neither kind. The methods first, which only the configuration names. */
export async function removePortals(stripe: Stripe): Promise<string[]> {
  const removed: string[] = [];
  for (const { id, active, features } of (await listConfigurations(stripe)).filter(isMade)) {
    const methods = await findMethods(stripe, features.payment_method_update.payment_method_configuration);
    if (methods?.active && methods.name === NAME) {
      await stripe.paymentMethodConfigurations.update(methods.id, { active: false });
      removed.push(methods.id);
    }
    if (!active) continue;
    await stripe.billingPortal.configurations.update(id, { active: false });
    removed.push(id);
  }
  return removed;
}

const isMade = ({ metadata }: Configuration) => metadata?.payment_retry === MARK.payment_retry;

function listConfigurations(stripe: Stripe): Promise<Configuration[]> {
  return stripe.billingPortal.configurations.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
}

/** Those that can be charged later, of the configuration that is named, else of the account's default. */
async function listMethods(stripe: Stripe, named: string | null): Promise<string[] | undefined> {
  try {
    const found = named === null ? await findDefault(stripe) : await findMethods(stripe, named);
    if (!found?.active) return [];
    const types = Object.entries(found).filter(([, part]) => offered.safeParse(part).success);
    return types.map(([type]) => type).filter((type) => RENEWABLE.has(type));
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return undefined;
    throw error;
  }
}

const offered = z.object({ available: z.literal(true) });

async function findDefault(stripe: Stripe): Promise<Stripe.PaymentMethodConfiguration | undefined> {
  const all = await listAllMethods(stripe);
  return all.find(({ is_default: isDefault, application }) => isDefault && application === null);
}

const listAllMethods = (stripe: Stripe) =>
  stripe.paymentMethodConfigurations.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });

async function findMethods(stripe: Stripe, id: string | null) {
  return id === null ? undefined : stripe.paymentMethodConfigurations.retrieve(id);
}

async function makeMethods(stripe: Stripe): Promise<string> {
  const { paymentMethodConfigurations } = stripe;
  const params = { name: NAME, card: { display_preference: { preference: 'on' } } } as const;
  const made = (await listAllMethods(stripe)).find(
    ({ name, is_default: isDefault }) => name === NAME && !isDefault,
  );
  const { id } = made
    ? await paymentMethodConfigurations.update(made.id, { ...params, active: true })
    : await paymentMethodConfigurations.create(params);
  return id;
}
