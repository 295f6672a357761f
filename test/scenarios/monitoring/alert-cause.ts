import type { MonitoredSite } from './monitored-site.ts';

/** How an alert is made to fire, and to end, by what it is about. */
export interface AlertCause {
  readonly alert: string;
  /** Beside the alert's name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** In words, for the test's name. */
  readonly when: string;
  /** What has to be there before. */
  prepare?(site: MonitoredSite): Promise<void>;
  /** Gives what ends it. */
  begin(site: MonitoredSite): Promise<() => Promise<void>>;
  /** What goes on until it fires. */
  goOn?(site: MonitoredSite): Promise<void>;
}
