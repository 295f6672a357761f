/** Parts of a whole as a bar, and the keys to its colours. */
import type { ComponentChildren } from 'preact';

/** The bars' style; a page adds the colour of each tone. */
export const SEGMENT_STYLE = `.segments { display: block; max-width: 100%; margin: .75rem 0; border-radius: 2px; overflow: hidden; }
.segments rect { stroke: var(--card); stroke-width: 2; }
rect.good { fill: var(--good); }
.open:is(rect) { fill: var(--open); }
.lost:is(rect) { fill: var(--lost); }
.key { white-space: nowrap; }`;

interface SegmentsProps {
  readonly parts: readonly (readonly [tone: string, amount: number])[];
  /** Percent of its place. */
  readonly width?: number;
  readonly height?: number;
}

/** Parts of a whole as one bar; the numbers are next to it. */
export function Segments({ parts, width: size = 100, height = 8 }: SegmentsProps) {
  const whole = parts.reduce((all, [, amount]) => all + amount, 0);
  let x = 0;
  return (
    <svg class="segments" width={`${size.toFixed(1)}%`} height={height} aria-hidden="true">
      {parts.map(([tone, amount]) => {
        const from = x;
        const width = whole === 0 ? 0 : (100 * amount) / whole;
        x += width;
        return width > 0 ? (
          <rect
            class={tone}
            x={`${from.toFixed(2)}%`}
            y="-2"
            width={`${width.toFixed(2)}%`}
            height={height + 4}
          />
        ) : null;
      })}
    </svg>
  );
}

export function Key({ tone, children }: { tone: string; children: ComponentChildren }) {
  return (
    <span class="key">
      <svg width="8" height="8" aria-hidden="true">
        <rect class={tone} width="8" height="8" rx="2" />
      </svg>{' '}
      {children}
    </span>
  );
}
