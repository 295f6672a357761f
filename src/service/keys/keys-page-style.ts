import { pageStyle } from '../../http/page-style.ts';

export const PAGE_STYLE = pageStyle(`
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.0625rem; }
ul { display: grid; gap: .75rem; }
.card, .message { padding: 1rem 1.25rem; }
.message { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.message { margin: 1rem 0; border-left: .375rem solid var(--action); }
.message.made { background: var(--note); border-color: var(--noteline); }
.message.refused { border-color: var(--danger); }
.message :last-child { margin-bottom: 0; }
.badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; color: var(--soft); }
.secret { display: block; margin: 0 0 .75rem; padding: .75rem; background: var(--card); border: 1px dashed var(--noteline); border-radius: .375rem; user-select: all; }
dl { margin: .5rem 0 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .375rem 1rem; }
dt { font-size: .8125rem; color: var(--soft); }
.note { margin: .75rem 0 0; font-size: .9375rem; }
details { margin-top: .75rem; border-top: 1px solid var(--line); padding-top: .5rem; }
summary { min-height: 2.75rem; display: flex; align-items: center; gap: .5rem; cursor: pointer; color: var(--soft); }
summary::before { content: "▸"; }
details[open] > summary::before { content: "▾"; }
form { display: grid; gap: .75rem; max-width: 28rem; margin: .25rem 0 1rem; }
form + form { border-top: 1px solid var(--line); padding-top: 1rem; }
label { display: grid; gap: .25rem; font-weight: 600; }
label small { font-weight: 400; color: var(--soft); }
input, select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; }
button { min-height: 2.75rem; padding: .5rem 1rem; justify-self: start; }
button.danger { background: var(--danger); }
`);
