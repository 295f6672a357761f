import { pageStyle } from '../../core/web/page-style.ts';

export const PLAYGROUND_STYLE = pageStyle(`
html { scroll-padding-top: 7rem; }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .75rem 1.25rem; background: var(--card); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.125rem; }
h2 { margin: 0 0 .5rem; font-size: 1.125rem; }
h3 { margin: 0; font-size: 1rem; }
main { padding: 1rem 1.25rem 2rem; max-width: 96rem; margin: 0 auto; }
/* As wide at any time, so that no button moves. */
.clock { min-width: 17rem; font-variant-numeric: tabular-nums; font-weight: 600; margin: 0; }
.speeds { display: flex; flex-wrap: wrap; gap: .375rem; }
button { padding: .3125rem .75rem; min-height: 2.25rem; color: var(--text); background: var(--card); border-color: var(--soft); font-weight: 400; }
button:hover { background: var(--quiet); filter: none; }
button[aria-pressed=true] { background: var(--quiet); border-color: var(--action); color: var(--action); box-shadow: inset 0 0 0 1px var(--action); }
button.main { background: var(--button); color: var(--on); border-color: transparent; font-weight: 600; }
button.main:hover { background: var(--button); filter: brightness(1.1); }
.links { margin-left: auto; }
a { color: var(--action); }
.guide { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .5rem; margin-bottom: 1rem; }
.guide li { padding: .625rem .875rem; }
.guide b { display: block; }
.guide .done { border-color: var(--good); }
.guide .done b { color: var(--good); }
.desk { display: grid; grid-template-columns: minmax(20rem, 6fr) minmax(20rem, 6fr) minmax(18rem, 5fr); gap: 1.25rem; align-items: start; }
.people { display: grid; gap: .75rem; }
.people > li { padding: .75rem 1rem; }
.people p { margin: .125rem 0; }
.chip { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.acts { display: flex; flex-wrap: wrap; gap: .375rem; align-items: end; margin-top: .5rem; }
.acts label { flex: 1 1 14rem; color: var(--soft); font-size: .8125rem; }
select { display: block; width: 100%; min-height: 2.25rem; padding: .25rem .375rem; font-size: 1rem; }
.story { padding: .25rem 1rem; }
.story li { padding: .4375rem 0; border-top: 1px solid var(--line); }
.story li:first-child { border-top: 0; }
.story time { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .25rem; }
.story .quiet { color: var(--soft); }
.story .strong span { font-weight: 600; }
.empty { padding: .625rem 1rem; margin: 0; color: var(--soft); }
.emails > li { margin-bottom: .5rem; }
summary { padding: .5rem 1rem; cursor: pointer; }
summary small { display: block; color: var(--soft); font-size: .8125rem; }
iframe { display: block; width: 100%; height: 36rem; border: 0; border-top: 1px solid var(--line); background: #ffffff; color-scheme: light; border-radius: 0 0 .5rem .5rem; }
@media (max-width: 75rem) { .desk { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); } }
@media (max-width: 40rem) { header { position: static; } .links { margin-left: 0; } main { padding: .75rem; } }
`);
