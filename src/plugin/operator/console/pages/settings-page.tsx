/** Every setting: what counts here, where it comes from, and what it does. */
import type { SettingSource, ShownSetting } from '../../../settings/schema/shown-settings.ts';
import type { Page } from '../page-answer.ts';
import { MarkedWords } from '../parts/marked-words.tsx';

const SOURCES: Readonly<Record<SettingSource, string>> = {
  option: 'Option of the host application',
  environment: 'Environment',
  file: 'File',
  default: 'Default',
  none: 'Not set',
};

export const settingsPage: Page = async ({ config: { shownSettings } }) => {
  const usual = shownSettings.filter(({ source }) => source === 'default' || source === 'none');
  const main = (
    <>
      <h1>Settings</h1>
      <p class="lead">Values at startup. Change them at their source, then restart. Secrets are not shown.</p>
      <p>
        To change the mode, set <a href="#RETRY_MODE">RETRY_MODE</a>. Planned payments and emails stay
        planned, and follow the mode of the time when they are due.
      </p>
      <section class="card flush">
        <h2>Set here</h2>
        <List settings={shownSettings.filter((one) => !usual.includes(one))} />
      </section>
      <details class="card flush">
        <summary>
          <h2>By default, {usual.length} settings</h2>
        </summary>
        <List settings={usual} />
      </details>
    </>
  );
  return { title: 'Settings', here: 'settings', main };
};

function List({ settings }: { settings: readonly ShownSetting[] }) {
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
              <MarkedWords text={meaning} />
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
