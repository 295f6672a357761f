/** A piece of HTML that is safe to place into another. Made by `html` alone. */
export interface Html {
  readonly markup: string;
}

type Interpolation = string | number | Html | readonly Html[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Markup in which every value is escaped, for text and for quoted attributes alike, except what `html` made
 * itself. It does not make a value safe inside a script or a style, nor an address safe to follow.
 */
export function html(parts: TemplateStringsArray, ...values: Interpolation[]): Html {
  const markup = parts.reduce((before, part, index) => before + toMarkup(values[index - 1] ?? '') + part);
  return { markup };
}

function toMarkup(value: Interpolation): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
