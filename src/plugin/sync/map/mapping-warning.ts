/** Oddities of a forwarded record, for the log. */
export type MappingWarning =
  | { readonly code: 'field_left_out'; readonly field: string }
  | { readonly code: 'unknown_status'; readonly status: string; readonly takenAs: string }
  | { readonly code: 'unknown_interval'; readonly interval: string }
  | { readonly code: 'unknown_usage_type'; readonly priceId: string; readonly usageType: string }
  /** Counted as 1. */
  | { readonly code: 'no_quantity'; readonly priceId: string }
  /** Chosen by the customer; counted as 0. */
  | { readonly code: 'custom_amount'; readonly priceId: string }
  /** Adds nothing to the amount. */
  | { readonly code: 'item_not_recurring'; readonly itemId: string }
  | { readonly code: 'amount_negative'; readonly amount: number }
  | {
      readonly code: 'metadata_cut';
      readonly key: string;
      readonly characters: number;
      readonly kept: number;
    };
