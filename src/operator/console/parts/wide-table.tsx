import type { ComponentChildren } from 'preact';

/** A table that a narrow window shows a part of; keys move it, too. */
export function WideTable({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys (WCAG 2.1.1)
    <section class="wide" aria-label={label} tabIndex={0}>
      <table class="list">{children}</table>
    </section>
  );
}
