import type { ComponentChildren, HTMLAttributes } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { StyleSheet } from '../../core/web/page-document.tsx';
import type { BrandColors } from './brand-colors.ts';
import { isolateName } from './clean-name.ts';
import { fillText } from './email-texts.ts';

/** The content of an email with one thing to do, in the words of one language. */
export interface EmailContent {
  language: string;
  direction: 'ltr' | 'rtl';
  brand: {
    name: string | undefined;
    /** An https address. */
    logoUrl: string | undefined;
    colors: BrandColors;
  };
  heading: string;
  /** The line that mail readers show next to the subject. */
  preview: string;
  /** Contains `{name}` where one is known; a line each. */
  greeting: string;
  name: string | undefined;
  opening: readonly string[];
  /** What it is about, a line each. */
  details: readonly string[];
  /** What to do, and what happens otherwise. */
  ask: readonly string[];
  button: { label: string; link: string };
  bareLink: string;
  closing: readonly string[];
}

const FONT =
  'font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,Hiragino Sans,Yu Gothic UI,Meiryo,Noto Sans CJK JP,sans-serif';

/** Mail programs that know no style sheet use the inline styles; the sheet serves dark mode and small screens. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .back { background: #16181d !important; }
    .card { background: #22252c !important; border-color: #3a3f4a !important; }
    .text { color: #e8eaee !important; }
    .note, .note a { color: #b4bac6 !important; }
    .button { border-color: #b4bac6 !important; }
  }
  @media (max-width: 480px) { .card { padding: 24px 20px !important; } }
`;

export function renderEmailHtml(content: EmailContent): string {
  const { language, direction, heading, preview } = content;
  return `<!doctype html>\n${renderToString(
    <html lang={language} dir={direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{heading}</title>
        <StyleSheet text={STYLE} />
      </head>
      <body class="back" style="margin:0;padding:0;background:#f3f4f6">
        <div style="display:none;max-height:0;overflow:hidden">{preview}</div>
        <Table class="back" width="100%" style="background:#f3f4f6">
          <td align="center" style="padding:24px 12px">
            <Table width="100%" style="max-width:560px">
              <td
                class="card"
                // Where the email is shown within another page, of the document only this is left.
                dir={direction}
                style={`background:#ffffff;border:1px solid #e2e5ea;border-radius:8px;padding:32px;${FONT}`}
              >
                <EmailBody {...content} />
              </td>
            </Table>
          </td>
        </Table>
      </body>
    </html>,
  )}`;
}

/** Mail programs lay out by tables. */
function Table({ children, ...attributes }: HTMLAttributes<HTMLTableElement> & { width?: string }) {
  return (
    <table role="presentation" cellPadding="0" cellSpacing="0" {...attributes}>
      <tbody>
        <tr>{children}</tr>
      </tbody>
    </table>
  );
}

function EmailBody(content: EmailContent) {
  const { brand, heading, opening, details, ask, button, bareLink, closing } = content;
  return (
    <>
      <Brand {...brand} />
      <h1 class="text" style="margin:0 0 20px;font-size:22px;line-height:1.3;color:#14171c">
        {heading}
      </h1>
      <Paragraph>
        <Greeting {...content} />
      </Paragraph>
      {opening.map((text) => (
        <Paragraph>{text}</Paragraph>
      ))}
      {details.length > 0 && <Details lines={details} />}
      {ask.map((text) => (
        <Paragraph>{text}</Paragraph>
      ))}
      <Button {...button} colors={brand.colors} />
      <Note>
        {bareLink}
        <br />
        <a href={button.link} style="color:#4a5160;word-break:break-all">
          {button.link}
        </a>
      </Note>
      {closing.map((text) => (
        <Note>{text}</Note>
      ))}
    </>
  );
}

/** The logo, which many readers show only on request, next to the name, over a line in the brand's color. */
function Brand({ name, logoUrl, colors }: EmailContent['brand']) {
  return (
    <>
      {logoUrl && (
        <img
          src={logoUrl}
          alt=""
          height="40"
          style="display:block;height:40px;max-width:220px;margin:0 0 12px;border:0"
        />
      )}
      {name && (
        <p
          class="text"
          style="margin:0;font-size:16px;font-weight:600;line-height:1.4;color:#14171c;overflow-wrap:anywhere"
        >
          {name}
        </p>
      )}
      <div
        style={`height:3px;width:48px;margin:12px 0 24px;background:${colors.outline};border-radius:2px;font-size:0;line-height:0`}
      >
        {'\u00a0'}
      </div>
    </>
  );
}

interface Content {
  readonly children: ComponentChildren;
}

function Paragraph({ children }: Content) {
  return (
    <p
      class="text"
      style="margin:0 0 16px;font-size:16px;line-height:1.5;color:#14171c;overflow-wrap:anywhere"
    >
      {children}
    </p>
  );
}

/** The name may be written in the other direction than the rest. */
function Greeting({ greeting, name }: Pick<EmailContent, 'greeting' | 'name'>) {
  return greeting.split('\n').map((line, index) => (
    <>
      {index > 0 && <br />}
      {line.split('{name}').map((part, place) => (
        <>
          {place > 0 && <bdi>{name}</bdi>}
          {part}
        </>
      ))}
    </>
  ));
}

function Details({ lines }: { lines: readonly string[] }) {
  return (
    <p
      class="text"
      style="margin:0 0 16px;font-size:16px;line-height:1.6;font-weight:600;color:#14171c;overflow-wrap:anywhere"
    >
      {lines.map((line, index) => (
        <>
          {index > 0 && <br />}
          {line}
        </>
      ))}
    </p>
  );
}

function Note({ children }: Content) {
  return (
    <p
      class="note"
      style="margin:0 0 12px;font-size:14px;line-height:1.5;color:#4a5160;overflow-wrap:anywhere"
    >
      {children}
    </p>
  );
}

/** The border is the button's padding: Outlook draws borders of a link and ignores its padding. */
function Button({ label, link, colors }: EmailContent['button'] & { colors: BrandColors }) {
  const { background, text, outline } = colors;
  return (
    <Table style="margin:8px 0 28px">
      <td
        class="button"
        {...{ bgcolor: background }}
        style={`border:1px solid ${outline};border-radius:7px;background:${background}`}
      >
        <a
          href={link}
          style={`display:inline-block;border:1px solid ${background};border-width:12px 24px;border-radius:6px;background:${background};color:${text};font-size:16px;font-weight:600;line-height:1.25;text-decoration:none`}
        >
          {label}
        </a>
      </td>
    </Table>
  );
}

export function renderEmailText(content: EmailContent): string {
  const { name, opening, details, ask, button, closing } = content;
  const greeting = fillText(content.greeting, { name: name && isolateName(name, content.direction) });
  const about = details.length > 0 ? [details.join('\n')] : [];
  return [greeting, ...opening, ...about, ...ask, `${button.label}\n${button.link}`, ...closing]
    .join('\n\n')
    .concat('\n');
}
