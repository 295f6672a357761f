/** The merchant's colour on a button, such that its text can be read (WCAG 2.2, 1.4.3 and 1.4.11). */

export interface BrandColors {
  /** All as `#rrggbb`. */
  readonly background: string;
  readonly text: string;
  /** Sets the button off from the white around it. */
  readonly outline: string;
}

const DEFAULT_COLOR = '#1f4fd8';
const WHITE = '#ffffff';
const BLACK = '#000000';
const GREY = '#5b6270';
const READABLE = 4.5;
const DISTINGUISHABLE = 3;

/** Reads `#rgb` and `#rrggbb`; undefined for anything else. */
export function parseColor(text: string | null | undefined): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text?.trim() ?? '')?.[1]?.toLowerCase();
  if (digits === undefined) return undefined;
  return digits.length === 6 ? `#${digits}` : `#${digits.replace(/./g, '$&$&')}`;
}

/** Picks white or black letters for the color: one of the two is always readable. */
export function brandColors(color: string | undefined): BrandColors {
  const background = parseColor(color) ?? DEFAULT_COLOR;
  return {
    background,
    text: contrast(background, WHITE) >= READABLE ? WHITE : BLACK,
    outline: contrast(background, WHITE) >= DISTINGUISHABLE ? background : GREY,
  };
}

/** WCAG's contrast ratio of two colours `#rrggbb`, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
