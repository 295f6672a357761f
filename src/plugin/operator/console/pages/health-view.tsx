/** What `status` shows: what needs a person first, then what waits, then the counts. */
import type { DateTime } from 'luxon';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import {
  describeMore,
  describeSystem,
  listStatusParts,
  nameCursor,
  nameStandstill,
  WATCHED,
} from '../../text/status/describe-status.ts';
import type { StatusPart } from '../../text/status/status-part.ts';
import type { Reader } from '../page-reader.ts';
import { Figure } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm } from '../parts/operation-form.tsx';

/** Shown as figures or as a table. */
const SHOWN_OTHERWISE: readonly StatusPart['about'][] = ['counts', 'undelivered'];

export interface ShownHealth {
  readonly status: WorkStatus;
  /** What pausing, or resuming, would do. */
  readonly previewed: OperationPreview;
  readonly reader: Reader;
  /** The session's token for forms. */
  readonly token: string;
}

export function HealthView({ status, previewed, reader, token }: ShownHealth) {
  const { now } = reader;
  const parts = listStatusParts(status, now);
  const system = describeSystem(status, now);
  const concerns = parts.filter(({ about }) => isConcern(status, about));
  const rest = parts.filter(({ about }) => !isConcern(status, about) && !SHOWN_OTHERWISE.includes(about));
  const watched = rest.filter(({ about }) => WATCHED.includes(about));
  const calm = rest.filter(({ about }) => !WATCHED.includes(about));
  return (
    <>
      <h1>System status</h1>
      <p class={`verdict ${system.tone}`} role="status">
        {system.words}{' '}
        <span class="soft">
          As of <Moment at={now} reader={reader} />
        </span>
      </p>
      <Parts parts={concerns.map(nameStandstill)} tone="bad" reader={reader} token={token} />
      <Parts parts={watched} tone="warn" reader={reader} token={token} />
      <Figures status={status} now={now} />
      <Parts parts={calm} tone="calm" reader={reader} token={token} />
      <Switch
        isPaused={status.pausedEffects.length > 0}
        previewed={previewed}
        reader={reader}
        token={token}
      />
    </>
  );
}

function isConcern({ concerns }: WorkStatus, about: StatusPart['about']): boolean {
  return concerns.some((concern) => concern === about);
}

/** The operation that replays a whole part. */
const REPLAYS: ReadonlyMap<StatusPart['about'], { field: string; button: string }> = new Map([
  ['quarantined', { field: 'refused', button: 'Deliver all of them again' }],
  ['unmapped', { field: 'unmapped', button: 'Read all of them again' }],
  ['deadEvents', { field: 'events', button: 'Process all of them again' }],
  ['failedInstructions', { field: 'instructions', button: 'Plan all of them again' }],
]);

function Replay({ about, reader, token }: { about: StatusPart['about']; reader: Reader; token: string }) {
  const replay = REPLAYS.get(about);
  if (!replay) return null;
  const shared = { token, reader, back: 'deliveries', fields: { [replay.field]: 'all' } };
  return <OperationForm {...shared} name="replay" button={replay.button} />;
}

/** What can be done about one record that the service refused. */
function Refused({ id, reader, token }: { id: string; reader: Reader; token: string }) {
  const shared = { token, reader, back: 'deliveries' };
  return (
    <div class="acts">
      <OperationForm
        {...shared}
        name="replay"
        title="Deliver again"
        button="Deliver it again"
        fields={{ refused: id }}
      />
      <OperationForm {...shared} name="dismiss" fields={{ records: id }} />
    </div>
  );
}

/** The kill switch. */
function Switch({ isPaused, previewed, reader, token }: Omit<ShownHealth, 'status'> & { isPaused: boolean }) {
  const shared = { token, reader, back: 'deliveries', fields: {}, previewed };
  return (
    <section class="card calm" aria-label="Pause and resume">
      <OperationForm {...shared} name={isPaused ? 'resume' : 'pause'} />
    </section>
  );
}

interface ShownParts extends Pick<ShownHealth, 'reader' | 'token'> {
  readonly parts: readonly StatusPart[];
  readonly tone: string;
}

function Parts({ parts, tone, reader, token }: ShownParts) {
  const { root } = reader;
  return parts.map(({ about, title, advice, lines, more, ids }) => (
    <section id={about} class={`card ${tone}`}>
      <h2>{title}</h2>
      {advice !== undefined && (
        <p class="advice">
          <MarkedWords text={capitalize(advice)} reader={reader} />
        </p>
      )}
      <ul class="lines">
        {lines.map((line, index) => (
          <li>
            <MarkedWords text={line} reader={reader} />
            {ids?.[index] !== undefined && <Refused id={ids[index]} reader={reader} token={token} />}
          </li>
        ))}
        {more > 0 && <li class="soft">{describeMore(more)}</li>}
      </ul>
      <Replay about={about} reader={reader} token={token} />
      {about === 'experiment' && (
        <p>
          <a href={`${root}timing`}>The figures</a>
        </p>
      )}
    </section>
  ));
}

function Figures({ status, now }: Pick<ShownHealth, 'status'> & { now: DateTime }) {
  const { undelivered, cursors } = status;
  const { count, oldestAt } = undelivered;
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

function describeAge(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
