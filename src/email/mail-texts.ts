export interface MailFacts {
  merchant: string;
  amount: string;
  /** Date and time at which the link stops working. */
  until: string;
}

/** The words of one mail in one language. */
export interface MailTexts {
  unnamedMerchant(): string;
  subject(facts: MailFacts): string;
  preview(facts: MailFacts): string;
  heading(): string;
  greeting(name: string | undefined): string;
  opening(facts: MailFacts): string[];
  button(): string;
  bareLink(): string;
  closing(facts: MailFacts): string[];
}
