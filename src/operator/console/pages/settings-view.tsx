/** Every setting: what counts here, where it comes from, and what it does. */
import type { SettingSource, ShownSetting } from '../../../config/schema/shown-settings.ts';
import { MarkedWords } from '../marked-words.tsx';

export interface ShownSettings {
  readonly settings: readonly ShownSetting[];
  readonly root: string;
}

const SOURCES: Readonly<Record<SettingSource, string>> = {
  option: 'Option of the host application',
  environment: 'Environment',
  file: 'File',
  default: 'Default',
  none: 'Not set',
};

export function SettingsView({ settings, root }: ShownSettings) {
  const isGiven = ({ source }: ShownSetting) => source !== 'default' && source !== 'none';
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        As this process started with them. They are changed where they come from, and count after the next
        start. Secrets are not shown.
      </p>
      <Group title="Set here" settings={settings.filter(isGiven)} root={root} />
      <Group title="By default" settings={settings.filter((one) => !isGiven(one))} root={root} />
    </>
  );
}

function Group({ title, settings, root }: ShownSettings & { title: string }) {
  return (
    <section class="card flush">
      <h2>{title}</h2>
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
                <MarkedWords text={meaning} root={root} />
              </p>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Value({ value }: Pick<ShownSetting, 'value'>) {
  if (value === undefined) return null;
  return value === 'hidden' ? <span>Set, not shown</span> : <code>{value}</code>;
}
