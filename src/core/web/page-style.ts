/** What every page of ours looks like; a page adds its own layout. Both themes keep text readable (WCAG AA). */
const LIGHT =
  '--back: #f7f7f8; --card: #ffffff; --quiet: #f1f2f4; --line: #e5e7eb; --edge: #d3d7de; --field: #878e9b; --text: #15171c; --soft: #575d69; --action: #4250c9; --button: #4250c9; --on: #ffffff; --danger: #b3261e; --good: #12704a; --goodback: #e5f4ec; --info: #3a48b8; --infoback: #eceefc; --warn: #875000; --warnback: #fcf0d9; --bad: #b3261e; --badback: #fdeceb; --second: #2f9469; --third: #7fc3a4; --none: #a9afba; --open: #6b79dd; --waits: #b0b8f1; --need: #b97f1a; --lost: #c25b52;';
const DARK =
  '--back: #0e0f12; --card: #16181c; --quiet: #1f2228; --line: #282b32; --edge: #3a3e48; --field: #737a88; --text: #eceef2; --soft: #a2a8b4; --action: #a3b0ff; --button: #a3b0ff; --on: #12142b; --danger: #ff8f86; --good: #5fd09b; --goodback: #14281f; --info: #a9b5ff; --infoback: #1e2240; --warn: #e6b455; --warnback: #2b2314; --bad: #ff8f86; --badback: #331a19; --second: #37a577; --third: #22694c; --none: #5b616d; --open: #8b98f0; --waits: #525da6; --need: #d19a33; --lost: #d9746b;';

const BASE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
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
.card { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
input, select { font: inherit; font-weight: 400; color: var(--text); background: var(--card); border: 1px solid var(--field); border-radius: .375rem; }
button { font: inherit; font-weight: 600; color: var(--on); background: var(--button); border: 1px solid transparent; border-radius: .375rem; cursor: pointer; }
button:hover { filter: brightness(1.1); }
:focus-visible { outline: 2px solid var(--action); outline-offset: 2px; border-radius: .25rem; }
`;

/** The only style of a page. Its content security policy allows it by its hash. */
export function pageStyle(own: string): string {
  return BASE + own;
}
