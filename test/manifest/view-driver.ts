/** The views for tests that run the plugin, too: the compiler reads the two with different settings, so they meet here. */
export type ViewName = 'invoice' | 'customer' | 'work' | 'settings' | 'onboarding';

export interface DrivenView {
  text(): string;
  press(label: string): Promise<void>;
  canPress(label: string): boolean;
  type(label: string, value: string): Promise<void>;
  settle(): Promise<void>;
}

export interface ViewDriver {
  /** From now on the Dashboard signs with this secret, for this account, at this time. */
  signIn(secret: string, accountId: string, now: () => number): void;
  show(name: ViewName, place: { id: string; accountId: string; backend: string }): Promise<DrivenView>;
}
