/** The words of the card-update page. In a text, `{merchant}`, `{amount}` and `{until}` stand for what is known. */
export type PageState =
  | 'update'
  | 'thanks'
  /** A card is to be chosen, whatever is due. */
  | 'choose'
  | 'chosen'
  /** The customer comes back from where the subscription can be paused. */
  | 'paused'
  | 'nothing_due'
  /** The subscription has ended, and its invoice is still owed. */
  | 'lost'
  /** Of a link that is not renewed. */
  | 'expired'
  /** One that has expired, with the offer of a new one; and the answer to who takes it, whatever is due. */
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
  /** In small letters, after the button. */
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
