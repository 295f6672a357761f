import { createContext } from 'preact';
import { ROLES, type Role } from '../../../config/schema/operator-entries.ts';
import { type FormSpec, type InvoiceStanding, roleFor } from '../../operations/operation.ts';
import { OPERATION_NAMES, type OperationName, operationOf } from '../../operations/operations.ts';

/** Of who reads the page: forms that it may not send are not shown. */
export const ReaderRole = createContext<Role>('reader');

interface FormPlace {
  readonly token: string;
  readonly root: string;
  /** Where the answer leads back to, below the root. */
  readonly back: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What a person who enters a time is offered for its zone, the usual one first. */
  readonly zones?: readonly string[];
}

interface OperationFormProps extends FormPlace {
  readonly name: OperationName;
  /** Where the page says it better than the row. */
  readonly title?: string;
  readonly button?: string;
}

/** Those that are about what the page shows. */
export function OperationForms({
  about,
  standing,
  ...place
}: FormPlace & { about: FormSpec['about']; standing?: InvoiceStanding }) {
  return OPERATION_NAMES.map((name) => {
    const { form } = operationOf(name);
    if (form?.about !== about || (standing && form.isOffered?.(standing) === false)) return null;
    return <OperationForm {...place} name={name} />;
  });
}

/** An operation with the reason for it. It is opened, then confirmed; to send it twice does it once. */
export function OperationForm(props: OperationFormProps) {
  const needed = ROLES.indexOf(roleFor(operationOf(props.name)));
  return (
    <ReaderRole.Consumer>
      {(role) => (ROLES.indexOf(role) >= needed ? <OpenedForm {...props} /> : null)}
    </ReaderRole.Consumer>
  );
}

function OpenedForm(props: OperationFormProps) {
  const { name, token, root, back, fields, zones = ['UTC'] } = props;
  const { form } = operationOf(name);
  if (!form) return null;
  return (
    <details class="act" name="act">
      <summary>{props.title ?? form.title}</summary>
      <form method="post" action={`${root}operations/${name}`}>
        {Object.entries({ token, back, ...fields }).map(([field, value]) => (
          <input type="hidden" name={field} value={value} />
        ))}
        {form.asks?.map((asked) => (
          <Asked {...asked} zones={zones} />
        ))}
        <label>
          Why
          <input name="why" maxLength={500} placeholder="for the history" autocomplete="off" />
        </label>
        <button type="submit" class={form.isDangerous ? 'danger' : undefined}>
          {props.button ?? form.button}
        </button>
      </form>
    </details>
  );
}

type AskedProps = NonNullable<FormSpec['asks']>[number] & { readonly zones: readonly string[] };

function Asked({ name, label, as, zones }: AskedProps) {
  const zone = { list: 'zones', value: zones[0], maxLength: 60, autocomplete: 'off' };
  return (
    <>
      <label>
        {label}
        <input name={name} required {...(as === 'moment' ? { type: 'datetime-local' } : zone)} />
      </label>
      {as === 'zone' && (
        <datalist id="zones">
          {zones.map((zone) => (
            <option value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}
