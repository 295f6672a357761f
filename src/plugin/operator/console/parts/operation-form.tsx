import { HiddenFields } from '../../../../core/web/page-document.tsx';
import { hasRole } from '../../../../core/web/sign-in/sign-in-desk.ts';
import { type FormSpec, type InvoiceStanding, roleFor } from '../../operations/operation.ts';
import { type OperationName, operationOf } from '../../operations/operations.ts';
import { ASK_FOR_CARD, listForms, type OperationPreview } from '../../text/preview-operation.ts';
import { useReader } from '../page-reader.ts';
import { MarkedWords } from './marked-words.tsx';

interface FormPlace {
  /** Where the answer is shown, below the root. */
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
  readonly previewed?: OperationPreview | undefined;
}

interface OperationFormsProps extends FormPlace {
  readonly about: FormSpec['about'];
  readonly standing?: InvoiceStanding;
  readonly previewed?: ReadonlyMap<OperationName, OperationPreview>;
}

/** Forms about the page's subject. */
export function OperationForms({ about, standing, previewed, ...place }: OperationFormsProps) {
  return listForms(about, standing).map(({ name }) => (
    <OperationForm {...place} name={name} previewed={previewed?.get(name)} />
  ));
}

/** An operation with what it will do and the reason for it. It is opened, then confirmed; to send it twice does it once. */
export function OperationForm(props: OperationFormProps) {
  const reader = useReader();
  const { name, back, fields, zones = ['UTC'], previewed } = props;
  const { form, needsReason = false, ...operation } = operationOf(name);
  if (!form || !hasRole(reader, roleFor(operation))) return null;
  if (previewed?.refusal !== undefined) {
    const { refusal, needsOtherCard } = previewed;
    if (needsOtherCard && name === 'retry')
      return (
        <OperationForm
          {...props}
          {...ASK_FOR_CARD}
          previewed={undefined}
          fields={{ ...fields, ...ASK_FOR_CARD.fields }}
        />
      );
    return (
      <p class="soft refused">
        {props.title ?? form.title}: <MarkedWords text={refusal} />
      </p>
    );
  }
  const { kept, root, token } = reader;
  const isKept = kept.do === name && Object.entries(fields).every(([field, value]) => kept[field] === value);
  const given = isKept ? kept : {};
  return (
    <details class="act" name="act" open={isKept}>
      <summary>{props.title ?? form.title}</summary>
      <form method="post" action={`${root}operations/${name}`}>
        {previewed?.will && (
          <ul class="will">
            {previewed.will.map((sentence) => (
              <li>
                <MarkedWords text={`${sentence}.`} />
              </li>
            ))}
          </ul>
        )}
        <HiddenFields fields={{ token, back, ...fields }} />
        {form.asks?.map((asked) => (
          <Asked {...asked} zones={zones} given={given[asked.name]} />
        ))}
        <label>
          Reason
          <input
            name="reason"
            value={given.reason}
            required={needsReason}
            maxLength={500}
            placeholder="For the audit log"
            autocomplete="off"
          />
        </label>
        <button type="submit" class={form.isDangerous ? 'danger' : undefined}>
          {props.button ?? form.button}
        </button>
      </form>
    </details>
  );
}

type AskedProps = NonNullable<FormSpec['asks']>[number] & {
  readonly zones: readonly string[];
  readonly given: string | undefined;
};

function Asked({ name, label, as, options = [], zones, given }: AskedProps) {
  if (as === 'check')
    return (
      <label class="check">
        <input type="checkbox" name={name} value="true" checked={given === 'true'} /> {label}
      </label>
    );
  if (as === 'choice')
    return (
      <label>
        {label}
        <select name={name}>
          {options.map(([value, words]) => (
            <option value={value} selected={value === given}>
              {words}
            </option>
          ))}
        </select>
      </label>
    );
  const zone = { list: 'zones', value: given ?? zones[0], maxLength: 60, autocomplete: 'off' };
  const kinds = {
    moment: { type: 'datetime-local' as const, value: given },
    zone,
    text: { value: given, maxLength: 200, autocomplete: 'off' },
  };
  return (
    <>
      <label>
        {label}
        <input name={name} required {...kinds[as]} />
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
