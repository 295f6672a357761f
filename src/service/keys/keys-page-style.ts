import { pageStyle } from '../../core/web/page-style.ts';

/** Of the page itself, whatever stands around it. */
export const KEYS_STYLE = `
.keys { max-width: 48rem; }
.keys h1 { font-size: 1.75rem; }
.keys h2 { margin: 2.25rem 0 .75rem; font-size: 1.25rem; }
.keys h3 { margin: 0; font-size: 1.0625rem; }
.keys ul { display: grid; gap: .75rem; }
.keys .card, .keys .message { padding: 1rem 1.25rem; }
.keys .message { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.keys .message { margin: 1rem 0; border-left: .375rem solid var(--action); }
.keys .message.made { background: var(--note); border-color: var(--noteline); }
.keys .message.refused { border-color: var(--danger); }
.keys .message :last-child { margin-bottom: 0; }
.keys .badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; color: var(--soft); }
.keys .secret { display: block; margin: 0 0 .75rem; padding: .75rem; background: var(--card); border: 1px dashed var(--noteline); border-radius: .375rem; user-select: all; }
.keys dl { margin: .5rem 0 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .375rem 1rem; }
.keys dt { font-size: .8125rem; color: var(--soft); }
.keys .note { margin: .75rem 0 0; font-size: .9375rem; }
.keys details { margin-top: .75rem; border-top: 1px solid var(--line); padding-top: .5rem; }
.keys summary { min-height: 2.75rem; display: flex; align-items: center; gap: .5rem; cursor: pointer; color: var(--soft); }
.keys summary::before { content: "▸"; }
.keys details[open] > summary::before { content: "▾"; }
.keys form { display: grid; gap: .75rem; max-width: 28rem; margin: .25rem 0 1rem; }
.keys form + form { border-top: 1px solid var(--line); padding-top: 1rem; }
.keys label { display: grid; gap: .25rem; font-weight: 600; }
.keys label small { font-weight: 400; color: var(--soft); }
.keys input, .keys select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; }
.keys button { min-height: 2.75rem; padding: .5rem 1rem; justify-self: start; }
.keys button.danger { background: var(--danger); }
`;

/** Around the page where the service runs by itself. */
export const FRAME_STYLE = pageStyle(`
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
a { color: var(--action); }
.problem { color: var(--danger); font-weight: 600; }
form { display: grid; gap: .75rem; max-width: 28rem; }
form.out { display: flex; gap: 1rem; align-items: baseline; max-width: none; justify-content: flex-end; }
.sign-in { padding: 1rem 1.25rem; }
input { min-height: 2.75rem; padding: .5rem .75rem; }
button { min-height: 2.75rem; padding: .5rem 1rem; }
`);
