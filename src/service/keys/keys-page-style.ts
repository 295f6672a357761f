/** The only style of the page of API keys. Its content security policy allows it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #f3f4f6; --card: #fff; --line: #d5d9e0; --text: #14171c; --soft: #4a5160; --action: #1f4fd8; --danger: #b3261e; --note: #fff6d6; --noteline: #b88a00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181d; --card: #22252c; --line: #464c59; --text: #e8eaee; --soft: #b4bac6; --action: #3763e6; --danger: #d0453c; --note: #3a3212; --noteline: #d9b44a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.0625rem; }
p { margin: 0 0 .75rem; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
.card, .message { padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.message { margin: 1rem 0; border-left: .375rem solid var(--action); }
.message.made { background: var(--note); border-color: var(--noteline); }
.message.refused { border-color: var(--danger); }
.message :last-child { margin-bottom: 0; }
.head { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
.badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; color: var(--soft); }
code { font: .9375em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.secret { display: block; margin: 0 0 .75rem; padding: .75rem; background: var(--card); border: 1px dashed var(--noteline); border-radius: .375rem; user-select: all; }
dl { margin: .5rem 0 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .375rem 1rem; }
dt { font-size: .8125rem; color: var(--soft); }
dd { margin: 0; }
.note { margin: .75rem 0 0; color: var(--soft); font-size: .9375rem; }
details { margin-top: .75rem; border-top: 1px solid var(--line); padding-top: .5rem; }
summary { min-height: 2.75rem; display: flex; align-items: center; gap: .5rem; cursor: pointer; color: var(--soft); }
summary::before { content: "▸"; }
details[open] > summary::before { content: "▾"; }
form { display: grid; gap: .75rem; max-width: 28rem; margin: .25rem 0 1rem; }
form + form { border-top: 1px solid var(--line); padding-top: 1rem; }
label { display: grid; gap: .25rem; font-weight: 600; }
label small { font-weight: 400; color: var(--soft); }
input, select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; font-weight: 400; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: .375rem; }
button { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; color: #fff; background: var(--action); border: 2px solid transparent; border-radius: .375rem; cursor: pointer; justify-self: start; }
button.danger { background: var(--danger); }
button:hover { filter: brightness(1.1); }
button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible { outline: 3px solid var(--action); outline-offset: 2px; }
`;
