/** What `status` shows: what needs a person first, then what waits, then the counts. */
import { capitalize } from '../../../../core/base/sentence-case.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import {
  describeMore,
  describeSystem,
  listStatusParts,
  nameCursor,
  nameStandstill,
  WATCHED,
} from '../../text/status/describe-status.ts';
import type { StatusPart } from '../../text/status/status-part.ts';
import type { Page } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import { Link, Moment } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { OperationForm } from '../parts/operation-form.tsx';

/** Shown as figures or as a table. */
const SHOWN_OTHERWISE: readonly StatusPart['about'][] = ['counts', 'undelivered'];

const BACK = 'deliveries';

export const healthPage: Page = async ({ operations }, { reader: { now }, status }) => {
  const parts = listStatusParts(status, now);
  const system = describeSystem(status, now);
  const isConcern = ({ about }: StatusPart) => status.concerns.some((concern) => concern === about);
  const rest = parts.filter((part) => !isConcern(part) && !SHOWN_OTHERWISE.includes(part.about));
  // The kill switch.
  const name = status.pausedEffects.length > 0 ? 'resume' : 'pause';
  const previewed = await previewOperation(operations, name, {});
  const main = (
    <>
      <h1>System status</h1>
      <p class={`verdict ${system.tone}`} role="status">
        {system.words}{' '}
        <span class="soft">
          As of <Moment at={now} />
        </span>
      </p>
      <Parts parts={parts.filter(isConcern).map(nameStandstill)} tone="bad" />
      <Parts parts={rest.filter(({ about }) => WATCHED.includes(about))} tone="warn" />
      <Figures {...status} />
      <Parts parts={rest.filter(({ about }) => !WATCHED.includes(about))} tone="calm" />
      <section class="card calm" aria-label="Pause and resume">
        <OperationForm name={name} back={BACK} fields={{}} previewed={previewed} />
      </section>
    </>
  );
  return { title: 'System status', here: 'deliveries', isLive: true, main };
};

/** The operation that replays a whole part. */
const REPLAYS: ReadonlyMap<StatusPart['about'], { field: string; button: string }> = new Map([
  ['quarantined', { field: 'refused', button: 'Deliver all of them again' }],
  ['unmapped', { field: 'unmapped', button: 'Read all of them again' }],
  ['deadEvents', { field: 'events', button: 'Process all of them again' }],
  ['failedInstructions', { field: 'instructions', button: 'Plan all of them again' }],
]);

/** What can be done about one record that the service refused. */
function Refused({ id }: { id: string }) {
  const again = { title: 'Deliver again', button: 'Deliver it again' };
  return (
    <div class="acts">
      <OperationForm name="replay" back={BACK} {...again} fields={{ refused: id }} />
      <OperationForm name="dismiss" back={BACK} fields={{ records: id }} />
    </div>
  );
}

function Parts({ parts, tone }: { parts: readonly StatusPart[]; tone: string }) {
  return parts.map(({ about, title, advice, lines, more, ids }) => {
    const replay = REPLAYS.get(about);
    return (
      <section id={about} class={`card ${tone}`}>
        <h2>{title}</h2>
        {advice !== undefined && (
          <p class="advice">
            <MarkedWords text={capitalize(advice)} />
          </p>
        )}
        <ul class="lines">
          {lines.map((line, index) => (
            <li>
              <MarkedWords text={line} />
              {ids?.[index] !== undefined && <Refused id={ids[index]} />}
            </li>
          ))}
          {more > 0 && <li class="soft">{describeMore(more)}</li>}
        </ul>
        {replay && (
          <OperationForm
            name="replay"
            back={BACK}
            button={replay.button}
            fields={{ [replay.field]: 'all' }}
          />
        )}
        {about === 'experiment' && (
          <p>
            <Link to="timing">The figures</Link>
          </p>
        )}
      </section>
    );
  });
}

function Figures({ undelivered: { count, oldestAt }, cursors }: WorkStatus) {
  const { now } = useReader();
  const oldest =
    oldestAt === null
      ? 'the service has everything'
      : `the oldest for ${describeAge((now.toMillis() - oldestAt.toMillis()) / 1000)}`;
  const names = [...new Set(cursors.map(({ name }) => name))];
  return (
    <dl class="figures">
      <Figure name="Undelivered changes" value={count.toLocaleString('en')} text={oldest} />
      {names.map((name) => {
        const lags = cursors.filter((cursor) => cursor.name === name).map(({ lagSeconds }) => lagSeconds);
        const accounts = lags.length === 1 ? 'behind now' : `behind now, the last of ${lags.length} accounts`;
        const lag = describeAge(Math.max(...lags));
        return <Figure name={capitalize(nameCursor(name))} value={lag} text={accounts} />;
      })}
    </dl>
  );
}

function Figure({ name, value, text }: Readonly<Record<'name' | 'value' | 'text', string>>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> <span class="soft">{text}</span>
      </dd>
    </div>
  );
}

function describeAge(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
