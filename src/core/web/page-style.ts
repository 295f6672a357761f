/** What every page of ours looks like; a page adds its own layout. Both themes keep text readable (WCAG AA). */
const BASE = `
:root { color-scheme: light dark; --back: #f5f6f8; --card: #ffffff; --line: #d9dde4; --text: #14171c; --soft: #4a5160; --action: #1f4fd8; --button: #1f4fd8; --danger: #b3261e; --good: #14713f; --bad: #b3261e; --warn: #8a5200; --quiet: #eceff3; --note: #fff6d6; --noteline: #b88a00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14161a; --card: #1d2025; --line: #383d47; --text: #e8eaee; --soft: #b4bac6; --action: #8fb0ff; --button: #3763e6; --danger: #d0453c; --good: #5fcf93; --bad: #ff8f86; --warn: #e9b455; --quiet: #2a2e36; --note: #3a3212; --noteline: #d9b44a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, "Hiragino Sans", "Yu Gothic UI", Meiryo, "Noto Sans CJK JP", sans-serif; }
h1 { margin: 0 0 .75rem; line-height: 1.25; }
p { margin: 0 0 .75rem; }
ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
code { font: .9375em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.soft, .note { color: var(--soft); }
.head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
input, select { font: inherit; font-weight: 400; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: .375rem; }
button { font: inherit; font-weight: 600; color: #ffffff; background: var(--button); border: 1px solid transparent; border-radius: .375rem; cursor: pointer; }
button:hover { filter: brightness(1.1); }
:focus-visible { outline: 3px solid var(--action); outline-offset: 2px; border-radius: .25rem; }
`;

/** The only style of a page. Its content security policy allows it by its hash. */
export function pageStyle(own: string): string {
  return BASE + own;
}
