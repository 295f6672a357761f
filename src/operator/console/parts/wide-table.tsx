import type { ComponentChildren } from 'preact';

interface WideTableProps {
  readonly label: string;
  /** Whether a phone shows each row's cells below each other. A cell that needs its heading then has it in `data-name`. */
  readonly isStacked?: boolean;
  readonly children: ComponentChildren;
}

/** A table that a narrow window shows a part of; keys move it, too. */
export function WideTable({ label, isStacked = false, children }: WideTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys (WCAG 2.1.1)
    <section class={isStacked ? 'wide stacked' : 'wide'} aria-label={label} tabIndex={0}>
      <table class="list">{children}</table>
    </section>
  );
}
