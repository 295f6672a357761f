/** Every setting: what counts here, where it comes from, and what it does. */
import type { SettingSource, ShownSetting } from '../../../settings/schema/shown-settings.ts';
import type { Reader } from '../page-reader.ts';
import { MarkedWords } from '../parts/marked-words.tsx';

export interface ShownSettings {
  readonly settings: readonly ShownSetting[];
  readonly reader: Reader;
}

const SOURCES: Readonly<Record<SettingSource, string>> = {
  option: 'Option of the host application',
  environment: 'Environment',
  file: 'File',
  default: 'Default',
  none: 'Not set',
};

export function SettingsView({ settings, reader }: ShownSettings) {
  const isGiven = ({ source }: ShownSetting) => source !== 'default' && source !== 'none';
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">Values at startup. Change them at their source, then restart. Secrets are not shown.</p>
      <p>
        To change the mode, set <a href="#RETRY_MODE">RETRY_MODE</a>. Planned payments and emails stay
        planned, and follow the mode of the time when they are due.
      </p>
      <section class="card flush">
        <h2>Set here</h2>
        <List settings={settings.filter(isGiven)} reader={reader} />
      </section>
      <details class="card flush">
        <summary>
          <h2>By default, {settings.filter((one) => !isGiven(one)).length} settings</h2>
        </summary>
        <List settings={settings.filter((one) => !isGiven(one))} reader={reader} />
      </details>
    </>
  );
}

function List({ settings, reader }: ShownSettings) {
  return (
    <dl class="settings">
      {settings.map(({ name, meaning, source, value }) => (
        <div id={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            <p class="value">
              <Value value={value} /> <span class="chip soft">{SOURCES[source]}</span>
            </p>
            <p class="soft">
              <MarkedWords text={meaning} reader={reader} />
            </p>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: Pick<ShownSetting, 'value'>) {
  if (value === undefined) return null;
  return value === 'hidden' ? <span>Set, not shown</span> : <code>{value}</code>;
}
