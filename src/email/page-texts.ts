/** The words of the card-update page. In a text, `{merchant}`, `{amount}` and `{until}` stand for what is known. */
export type PageState =
  | 'update'
  | 'thanks'
  /** A card is to be chosen, whatever is due. */
  | 'choose'
  | 'chosen'
  | 'nothing_due'
  | 'expired'
  | 'not_found'
  | 'try_again'
  | 'too_many';

/** One state of the page in one language. A line with a place for something that is not known is left out. */
export interface PageTexts {
  readonly title: string;
  readonly lines: readonly string[];
  readonly button?: string;
  /** In small letters, after the button. */
  readonly notes: readonly string[];
}

export type CardUpdatePages = Readonly<Record<PageState, PageTexts>>;
