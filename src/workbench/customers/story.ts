/** Gathers what happened at one moment, from all sides, and prints it person by person. */
import { listAudit } from '../../plugin/store/tables/audit.ts';
import { createEndingsReader } from './case-endings.ts';
import type { CustomerWorld } from './customer-world.ts';
import type { Narrate, Person } from './people.ts';
import { createAuditReader, type Sentence } from './text/describe-audit.ts';
import { createStripeReader, type StripeStep } from './text/describe-stripe.ts';
import type { Printer } from './text/printer.ts';
import { moment } from './text/words.ts';

interface Step extends Sentence {
  readonly person: Person;
}

export interface Story {
  readonly narrate: Narrate;
  /** Prints a line that belongs to no customer, immediately. */
  announce(text: string): void;
  /** Prints what has happened since the last call. */
  observe(): Promise<void>;
}

export interface StoryOptions {
  readonly world: Pick<CustomerWorld, 'clock' | 'sandbox' | 'plugin'>;
  readonly people: readonly Person[];
  readonly printer: Pick<Printer, 'step'>;
  /** Called for each thing that Stripe says, before it is printed. */
  readonly onStripeStep?: (step: StripeStep) => void;
  /** Whether renewals paid at the first attempt are printed, too. */
  readonly tellsRenewals?: boolean;
}

export function createStory({ world, people, printer, onStripeStep, tellsRenewals }: StoryOptions): Story {
  const byCustomer = new Map(people.map((person) => [person.customerId, person]));
  const readStripe = createStripeReader(world.sandbox, tellsRenewals);
  const readAudit = createAuditReader();
  const readEndings = createEndingsReader(world);
  let acts: Step[] = [];
  let lastAuditId = 0;

  const personOf = (invoiceId: string) =>
    byCustomer.get(world.sandbox.state.invoices.get(invoiceId)?.customer ?? '');

  function stripeSteps(): Step[] {
    return readStripe().flatMap((step) => {
      onStripeStep?.(step);
      const person = byCustomer.get(step.customerId);
      return person ? [{ person, text: step.text, tone: step.tone }] : [];
    });
  }

  async function auditSteps(): Promise<Step[]> {
    const entries = await listAudit(world.plugin.parts.database, { afterId: lastAuditId });
    lastAuditId = entries.at(-1)?.id ?? lastAuditId;
    return entries.flatMap((entry) => {
      const person = personOf(entry.invoiceId ?? '');
      const sentence = readAudit(entry, entry.at);
      return person && sentence ? [{ person, ...sentence }] : [];
    });
  }

  async function endingSteps(): Promise<Step[]> {
    return (await readEndings()).flatMap(({ invoiceId, ...sentence }) => {
      const person = personOf(invoiceId);
      return person ? [{ person, ...sentence }] : [];
    });
  }

  return {
    narrate: (person, text) => {
      acts.push({ person, text, tone: 'strong' });
    },
    announce: (text) => printer.step(moment(world.clock.now()), '', text, 'strong'),
    observe: async () => {
      const steps = [...acts, ...stripeSteps(), ...(await auditSteps()), ...(await endingSteps())];
      acts = [];
      steps.sort((left, right) => left.person.position - right.person.position);
      const when = moment(world.clock.now());
      for (const { person, text, tone } of joinPlans(steps)) printer.step(when, person.role.name, text, tone);
    },
  };
}

/** Joins a step to the line of the step that it follows from. */
function joinPlans(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (last?.person === step.person && last.tone === 'bad' && step.isPlan) {
      joined.splice(-1, 1, { ...last, text: `${last.text}; ${step.text}`, tone: 'bad' });
    } else joined.push(step);
  }
  return joined;
}
