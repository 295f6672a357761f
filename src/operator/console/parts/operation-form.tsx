import type { ComponentChildren } from 'preact';
import type { OperationName } from '../../operations/operations.ts';

export interface OperationFormProps {
  readonly name: OperationName;
  /** What opens the form. */
  readonly title: string;
  /** What does it. */
  readonly button: string;
  readonly token: string;
  readonly root: string;
  /** Where the answer leads back to, below the root. */
  readonly back: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly isDangerous?: boolean;
  /** What else it takes. */
  readonly children?: ComponentChildren;
}

/** An operation with the reason for it. It is opened, then confirmed; to send it twice does it once. */
export function OperationForm(props: OperationFormProps) {
  const { name, title, button, token, root, back, fields, isDangerous = false, children } = props;
  return (
    <details class="act" name="act">
      <summary>{title}</summary>
      <form method="post" action={`${root}operations/${name}`}>
        {Object.entries({ token, back, ...fields }).map(([field, value]) => (
          <input type="hidden" name={field} value={value} />
        ))}
        {children}
        <label>
          Why
          <input name="why" maxLength={500} placeholder="for the history" autocomplete="off" />
        </label>
        <button type="submit" class={isDangerous ? 'danger' : undefined}>
          {button}
        </button>
      </form>
    </details>
  );
}
