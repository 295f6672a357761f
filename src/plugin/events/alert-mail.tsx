import { renderToString } from 'preact-render-to-string';

/** The text as a page of its own, a paragraph a line. */
export function alertPage(text: string): string {
  return `<!doctype html>\n${renderToString(
    <html lang="en">
      <body>
        {text.split('\n').map((line) => (
          <p>{line}</p>
        ))}
      </body>
    </html>,
  )}`;
}
