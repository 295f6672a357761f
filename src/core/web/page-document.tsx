import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';

export interface PageDocument {
  readonly title: string;
  /** The sheets of the page, each allowed by its hash. */
  readonly styles: readonly string[];
  readonly language?: string;
  readonly direction?: 'ltr' | 'rtl';
  readonly head?: ComponentChildren;
  readonly body: ComponentChildren;
}

/**
 * A whole page. Every text and attribute in it is escaped; that does not make an address safe to follow, nor a text safe
 * inside a script or a style.
 */
export function renderDocument({
  title,
  styles,
  language = 'en',
  direction,
  head,
  body,
}: PageDocument): string {
  return `<!doctype html>\n${renderToString(
    <html lang={language} dir={direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {head}
        <title>{title}</title>
        {styles.map((style) => (
          <StyleSheet text={style} />
        ))}
      </head>
      <body>{body}</body>
    </html>,
  )}`;
}

/** Only for our own style sheets: it is inserted unescaped, exactly as its hash was computed. */
export function StyleSheet({ text }: { text: string }) {
  return <style dangerouslySetInnerHTML={{ __html: text }} />;
}

export function HiddenFields({ fields }: { fields: Readonly<Record<string, string>> }) {
  return Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={value} />);
}
