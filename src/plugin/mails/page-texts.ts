/** Texts of the card-update page. `{merchant}`, `{amount}` and `{until}` are replaced by their values. */
export type PageState =
  | 'update'
  | 'thanks'
  /** The customer chooses a card, with or without a debt. */
  | 'choose'
  | 'chosen'
  /** The customer comes back from where the subscription can be paused. */
  | 'paused'
  | 'nothing_due'
  /** The subscription has ended, and its invoice is still owed. */
  | 'lost'
  /** A link that is not renewed. */
  | 'expired'
  /** An expired link with the offer of a new one, and the answer to a customer who takes it. */
  | 'renew'
  | 'renewed'
  | 'not_found'
  | 'try_again'
  | 'too_many';

/** One state of the page in one language. A line with a place for something that is not known is left out. */
export interface PageTexts {
  readonly title: string;
  readonly lines: readonly string[];
  readonly button?: string;
  /** Small print after the button. */
  readonly notes?: readonly string[];
}

/** What states have in common is written once; `lost` has the words of its email. */
export interface CardUpdatePages
  extends Readonly<Record<Exclude<PageState, 'choose' | 'renew' | 'lost'>, PageTexts>> {
  /** The rest is as in `update`. */
  readonly choose: Pick<PageTexts, 'title' | 'lines'>;
  /** The line is in place of the last one of `expired`. */
  readonly renew: { readonly line: string; readonly button: string };
}
