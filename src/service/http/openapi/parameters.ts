/** The listings' query parameters, each with what the service takes for it. */

import type { JsonSchema } from '../../../http/openapi.ts';
import { type CasesParameter, MAX_REVISION } from '../list-recovery-cases.ts';
import { DIRECTIONS, type ListingParameter, MAX_PAGE_SIZE, ORDER_BY } from '../listing-query.ts';

interface Meaning {
  description: string;
  schema: JsonSchema;
}

const text = { type: 'string', maxLength: 255 };
const instant = { type: 'string', format: 'date-time' };

/** A parameter that is not described here, or described and not taken, does not compile. */
const PARAMETERS: Record<ListingParameter, Meaning> = {
  orderBy: {
    description:
      'By created_at unless said. By executed_at, actions not executed come last in either direction.',
    schema: { type: 'string', enum: Object.keys(ORDER_BY) },
  },
  orderDirection: {
    description: 'Ascending unless said, which is what continuous reading needs.',
    schema: { type: 'string', enum: Object.keys(DIRECTIONS) },
  },
  pageSize: {
    description: 'Actions on a page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE },
  },
  pageToken: {
    description:
      'The nextPageToken of the page before; good for 24 hours. It carries ordering and filters, which may be left out or repeated, not changed.',
    schema: { type: 'string' },
  },
  executedAfter: { description: 'Executed at this instant or later.', schema: instant },
  executedBefore: { description: 'Executed before this instant.', schema: instant },
  subscriptionId: { description: 'Of this subscription.', schema: text },
  invoiceId: { description: 'Of this invoice.', schema: text },
  customerId: { description: 'Of this customer.', schema: text },
  transactionId: { description: 'That this transaction came of.', schema: text },
  cardCountry: { description: 'Of cards of this country: ISO 3166-1 alpha-2.', schema: text },
  currency: { description: 'In this currency: ISO 4217, upper case.', schema: text },
};

const CASES_PARAMETERS: Record<CasesParameter, Meaning> = {
  afterRevision: {
    description: 'Decided about later than this: the revision of the last case that was read.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_REVISION, default: 0 },
  },
  pageSize: {
    description: 'Cases on a page.',
    schema: PARAMETERS.pageSize.schema,
  },
  invoiceId: PARAMETERS.invoiceId,
};

export const listingParameters = inQuery(PARAMETERS);
export const casesParameters = inQuery(CASES_PARAMETERS);

function inQuery(parameters: Record<string, Meaning>) {
  return Object.entries(parameters).map(([name, meaning]) => ({
    name,
    in: 'query',
    required: false,
    ...meaning,
  }));
}
