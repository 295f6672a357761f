import { pageStyle } from '../../../core/web/page-style.ts';
import { SEGMENT_STYLE } from '../../../core/web/segments.tsx';

export const CONSOLE_STYLE = pageStyle(`${SEGMENT_STYLE}
body { font-size: .875rem; line-height: 1.25rem; font-variant-numeric: tabular-nums; }
a { color: var(--action); text-underline-offset: .15em; }
h1 { font-size: 1.5rem; line-height: 2rem; letter-spacing: -.01em; }
h2, h3 { margin: 0; font-size: .875rem; line-height: 1.25rem; font-weight: 600; }
.card > h2 { margin-bottom: .375rem; }
.soft, .next h2 { font-weight: 400; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: .5rem; top: .5rem; z-index: 1; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
.bar, main, footer, .alarm { max-width: 80rem; margin: 0 auto; padding: 0 2rem; }
.bar { display: flex; align-items: center; gap: .5rem; min-height: 3.25rem; }
.brand { font-weight: 600; line-height: 1.5rem; color: var(--text); text-decoration: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 14rem; }
.tag { padding: 0 .375rem; margin-right: .5rem; border: 1px solid var(--edge); border-radius: .25rem; color: var(--soft); font-size: .75rem; }
header nav > ul { display: flex; gap: .125rem; }
header nav a, header summary { display: flex; align-items: center; gap: .375rem; min-height: 2rem; padding: 0 .625rem; border-radius: .375rem; color: var(--soft); text-decoration: none; white-space: nowrap; }
header nav a[aria-current], header .here { background: var(--quiet); color: var(--text); font-weight: 500; }
.badge { min-width: 1.25rem; border-radius: 1rem; padding: 0 .25rem; text-align: center; font-size: .75rem; background: var(--warnback); color: var(--warn); }
.tight, .card:empty, :is(.menu, .act) summary::-webkit-details-marker { display: none; }
.menu { position: relative; }
.menu summary { list-style: none; cursor: pointer; color: inherit; }
.menu summary::after { content: "⌄"; padding-left: .25rem; }
.menu > ul { position: absolute; left: 0; z-index: 1; min-width: 11rem; max-height: 24rem; overflow-y: auto; padding: .25rem; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
.menu > ul a { display: flex; align-items: center; min-height: 2rem; padding: 0 .625rem; border-radius: .375rem; color: var(--text); text-decoration: none; white-space: nowrap; }
.menu.end > ul { left: auto; right: 0; }
search:has(.find) { margin-left: auto; }
.find input { width: 9.75rem; min-width: 0; }
.system { display: flex; align-items: center; gap: .5rem; min-height: 2rem; color: var(--text); text-decoration: none; white-space: nowrap; }
.system circle { fill: var(--good); }
.system.bad, .system.bad circle { color: var(--bad); fill: currentColor; }
input { min-height: 2rem; padding: .25rem .625rem; }
input::placeholder { color: var(--soft); opacity: 1; }
button { min-height: 2rem; padding: .25rem .75rem; font-weight: 500; }
button.plain { min-height: 1.5rem; padding: 0; background: none; color: var(--soft); text-decoration: underline; font-weight: 400; }
button.quiet { color: var(--text); background: transparent; border-color: var(--line); font-weight: 400; }
main { padding-top: 1.25rem; padding-bottom: 1rem; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
main > h1, main > p, .head h1, .settings p, footer p, .banner p, .hero p, .outcomes .segments, .flush table { margin: 0; }
footer { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; padding-bottom: 1.5rem; color: var(--soft); font-size: .75rem; line-height: 1rem; }
footer button { margin-left: .75rem; font-size: inherit; }
.alarms { background: var(--danger); color: var(--on); font-weight: 600; }
.alarm { padding-top: .75rem; padding-bottom: .75rem; }
.alarm a, thead a { color: inherit; }
.card { padding: 1.25rem; }
.card > :last-child { margin-bottom: 0; }
.card.bad, .verdict.bad { box-shadow: inset .25rem 0 var(--bad); }
.card.warn { box-shadow: inset .25rem 0 var(--warn); }
.card.good, .verdict.good { box-shadow: inset .25rem 0 var(--good); }
.card.bad h2, .verdict.bad { color: var(--bad); }
.card.warn h2 { color: var(--warn); }
.verdict { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; align-items: baseline; padding: .625rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; font-weight: 600; }
.verdict.good { color: var(--good); }
.advice { margin-bottom: .5rem; }
.lines > li { padding: .375rem 0; border-top: 1px solid var(--line); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); background: var(--line); gap: 1px; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
.figures > div { padding: .75rem 1.125rem; background: var(--card); }
.figures strong { display: block; font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; }
.overview { display: grid; grid-template-columns: minmax(0, 1fr) 25.25rem; gap: 1.5rem; align-items: start; }
.erase .act summary, .erase button.danger { color: var(--bad); background: none; border: 1px solid var(--edge); }
.column { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.zone, .stepper { display: flex; align-items: center; justify-content: space-between; gap: .75rem; min-height: 2rem; }
.zone h2, .outcomes th, .list thead th { white-space: nowrap; }
.zone h2 { font-size: 1.125rem; line-height: 1.5rem; letter-spacing: -.01em; }
.stepper .button { min-width: 1.75rem; padding: 0; justify-content: center; }
.button[aria-disabled] { color: var(--field); }
.banner { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 1.25rem; border-radius: .625rem; background: var(--badback); }
.banner b { color: var(--bad); }
.hero { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; }
.hero h3 { font-weight: 400; color: var(--soft); }
.hero .sum { display: block; width: fit-content; font-size: 2.5rem; line-height: 3rem; font-weight: 600; letter-spacing: -.025em; color: var(--text); text-decoration: none; }
.sum a:hover, .hero .sum:hover, .tiles a:hover, .methods a:hover, .rows a:hover, .outcomes td a:hover { text-decoration: underline; }
.spark { flex: 0 1 21.5rem; margin: 0; max-width: none; min-width: 0; font-size: .75rem; line-height: 1rem; color: var(--soft); }
.spark figcaption { text-align: right; font-size: inherit; margin-bottom: .25rem; }
.spark .axis { display: flex; justify-content: space-between; }
.spark .paid, .spark .failed { fill: none; stroke: var(--good); stroke-width: 2; vector-effect: non-scaling-stroke; }
.spark .failed { stroke: var(--field); stroke-width: 1.5; stroke-dasharray: 3 3; }
.spark .area { fill: var(--goodback); }
.second { fill: var(--second); }
.third { fill: var(--third); }
.none:is(rect) { fill: var(--none); }
.waits { fill: var(--waits); }
.need, .system.warn circle { fill: var(--need); }
.key svg { margin-right: .125rem; }
.methods, .tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .75rem; }
.methods a, .tiles a, p.sum a, .rows .amount, .rows .who a, .outcomes td a { color: var(--text); text-decoration: none; }
.methods dd, :is(.open, .outcomes) tfoot :is(th, td), .sign-in label { font-weight: 600; }
.recovered .foot { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem -1.25rem -.5rem; padding: .75rem 1.25rem 0; border-top: 1px solid var(--line); font-size: .8125rem; color: var(--soft); }
.foot a { color: var(--text); }
.foot > a, .settings .chip { margin-left: auto; }
.tiles { gap: 0; padding: .75rem 0; }
.tiles > div { padding: 0 1.25rem; border-left: 1px solid var(--line); }
.tiles > div:first-child { border-left: 0; }
.tiles a, p.sum a { font-size: 1.25rem; line-height: 1.75rem; font-weight: 600; letter-spacing: -.01em; }
.flush > .head, .flush > p.sum, .flush > .segments { margin: 0; padding: .75rem 1.25rem; }
.flush > .head a:not(.go) { color: var(--soft); text-decoration: none; }
.flush > .head a:hover, .list tbody th a:hover { text-decoration: underline; }
.outcomes .go { margin-left: .75rem; }
.flush > p.sum { padding-top: 0; padding-bottom: .25rem; }
.flush > .segments { width: calc(100% - 2.5rem); margin: .25rem 1.25rem .5rem; padding: 0; }
.rows > li { display: flex; gap: .75rem; align-items: center; min-height: 1.9375rem; padding: .3125rem 1.25rem; border-top: 1px solid var(--line); }
.rows .who { flex: 1 1 auto; min-width: 0; }
.rows bdi { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.rows .amount { min-width: 5.25rem; text-align: right; white-space: nowrap; }
.blank { padding: 3.5rem 1.25rem; }
.blank h3 { font-size: 1.25rem; line-height: 1.75rem; }
.outcomes td, .outcomes th { padding-top: .1875rem; padding-bottom: .1875rem; vertical-align: middle; }
.outcomes .bar-cell { width: 28%; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0 .75rem; }
th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; }
thead :is(th, td) { border-top: 0; color: var(--soft); font-size: .75rem; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
tbody th { overflow-wrap: normal; }
.words::first-letter { text-transform: uppercase; }
dt { color: var(--soft); }
.methods dt, .figures :is(dt, .soft) { font-size: .8125rem; }
.facts > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem .75rem; padding: .375rem 0; border-top: 1px solid var(--line); }
.facts > div:last-child, .lines > li:last-child, .outcomes > .head { padding-bottom: 0; }
.month { margin: .75rem 0 .5rem; font-size: .75rem; line-height: 1rem; font-weight: 400; color: var(--soft); }
.timeline > li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); gap: .75rem; padding-bottom: 1rem; background: linear-gradient(var(--line), var(--line)) .75rem 1.75rem / 1px calc(100% - 2rem) no-repeat; }
.timeline > li:last-child { padding-bottom: 0; background: none; }
.timeline circle { fill: var(--quiet); }
.timeline path { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.timeline .good circle { fill: var(--goodback); } .timeline .good path { stroke: var(--good); }
.timeline .info circle { fill: var(--infoback); } .timeline .info path { stroke: var(--info); }
.timeline .warn circle { fill: var(--warnback); } .timeline .warn path { stroke: var(--warn); }
.timeline .bad circle { fill: var(--badback); } .timeline .bad path { stroke: var(--bad); }
.timeline li > div { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding-top: .125rem; }
.timeline .text { flex: 1 1 100%; margin: 0; font-size: .8125rem; color: var(--soft); }
.timeline details { display: inline-block; margin-left: .5rem; }
.timeline details[open] { display: block; margin-left: 0; }
.timeline summary { color: inherit; text-decoration: underline; list-style: none; line-height: 1.5rem; }
.timeline code { display: block; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: start; }
.number input[type=checkbox] { width: 1rem; height: 1rem; min-height: 0; margin: 0 .375rem 0 0; padding: 0; vertical-align: -.125rem; }
.page { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 1.5rem; align-items: start; }
.up { font-size: .8125rem; color: var(--soft); text-decoration: none; line-height: 1.5rem; }
h1 .chip { vertical-align: middle; letter-spacing: 0; }
.step { max-width: 42rem; font-size: 1rem; line-height: 1.5rem; }
.step time, .page .facts time { color: inherit; font-size: inherit; }
.page .facts > div { grid-template-columns: 5.5rem minmax(0, 1fr); }
.copy { min-width: 1.5rem; min-height: 1.5rem; padding: 0; background: none; vertical-align: middle; }
.copy path { fill: none; stroke: var(--soft); }
.next > details { margin-top: .75rem; font-size: .8125rem; }
.act summary { display: inline-flex; align-items: center; min-height: 2rem; padding: 0 .75rem; border: 1px solid var(--edge); border-radius: .375rem; color: var(--text); list-style: none; }
.act .will { flex: 1 1 100%; margin: 0; padding-left: 1.125rem; list-style: disc; }
.act .will > li:only-child { margin-left: -1.125rem; list-style: none; }
.next .acts:not(:has(.primary)) .act:first-child > summary, .button.primary { border-color: transparent; background: var(--button); color: var(--on); }
.button.plain { border-color: transparent; color: var(--soft); }
.act[open], .refused { flex: 1 1 100%; order: 1; margin: 0; }
.act form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; padding: .625rem 0; }
.act label, .filters label { display: grid; gap: .125rem; color: var(--soft); font-size: .8125rem; }
button.danger { background: var(--danger); }
time { color: var(--soft); white-space: nowrap; }
.settings > div { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr); gap: .25rem 1rem; padding: .5rem 1.125rem; border-top: 1px solid var(--line); }
.settings .value { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
.email-frame { display: block; width: 100%; height: 46rem; border: 1px solid var(--line); border-radius: .375rem; background: #ffffff; color-scheme: light; }
.email-text { margin: 0; font: .9375em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
main.outer { max-width: 26rem; padding-top: 12vh; }
.sign-in { display: grid; gap: .5rem; padding: 1.25rem; }
.sign-in input, .sign-in button { min-height: 2.75rem; }
.sign-in button { margin-top: .5rem; }
.problem { color: var(--bad); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
small { display: block; color: var(--soft); font-size: .8125rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; }
.tabs a { padding: .25rem .75rem; border: 1px solid transparent; border-radius: 1rem; color: var(--text); text-decoration: none; }
.tabs a:hover { background: var(--quiet); }
.tabs a[aria-current] { background: var(--card); border-color: var(--line); font-weight: 600; }
.pages { display: flex; gap: 1rem; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.chosen, .sums { display: flex; flex-wrap: wrap; gap: .375rem 1.25rem; }
.chosen { gap: .375rem; }
.chosen a { display: inline-block; padding: .125rem .75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); color: var(--text); font-size: .875rem; text-decoration: none; }
.chosen a:hover { background: var(--quiet); text-decoration: line-through; }
.button { display: inline-flex; align-items: center; min-height: 2rem; padding: 0 .75rem; white-space: nowrap; border: 1px solid var(--edge); border-radius: .375rem; color: var(--text); text-decoration: none; background: var(--card); }
header nav a:hover, header summary:hover, .menu > ul a:hover, .menu > ul a[aria-current], .act summary:hover, .button:hover { background: var(--quiet); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem; align-items: start; }
.wide { overflow-x: auto; }
.wide table { min-width: 40rem; }
.flush { padding: 0; overflow: hidden; }
.flush > h2, .flush > summary { margin: 0; padding: .75rem 1.25rem .25rem; }
.flush thead th { padding-top: .625rem; }
.flush th:first-child, .flush td:first-child { padding-left: 1.25rem; }
.flush th:last-child, .flush td:last-child, .list .number:not(:last-child) { padding-right: 1.25rem; }
.empty { margin: 0; padding: 2rem 1.125rem; text-align: center; }
.list th, .list td { padding-top: .5rem; padding-bottom: .5rem; overflow-wrap: break-word; }
.list td { max-width: 18rem; }
.list tbody tr:hover { background: var(--back); }
.list tbody th a { text-decoration: none; }
.list thead th.number, .list tbody th.number { width: 7rem; }
.list tbody th { max-width: 26rem; }
th[aria-sort="descending"]::after { content: " ↓"; }
th[aria-sort="ascending"]::after { content: " ↑"; }
.chip { display: inline-block; padding: .125rem .5rem; border-radius: 1rem; font-size: .75rem; line-height: 1rem; font-weight: 600; white-space: nowrap; background: var(--quiet); color: var(--soft); }
.chip.info { color: var(--info); background: var(--infoback); }
.chip.good { color: var(--good); background: var(--goodback); }
.chip.warn { color: var(--warn); background: var(--warnback); }
.chip.bad { color: var(--bad); background: var(--badback); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; }
.filters .grow { flex: 1 1 16rem; }
.filters input { min-width: 0; }
.filters > a { line-height: 2.25rem; }
summary h2 { display: inline; }
summary { cursor: pointer; color: var(--action); }
@media (max-width: 40rem) {
  .stacked table { display: block; min-width: 0; }
  .stacked thead { display: none; }
  .stacked tbody { display: block; }
  .stacked tbody tr { display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: baseline; padding: .5rem .875rem; border-top: 1px solid var(--line); }
  .card:not(.flush) .stacked tbody tr { padding-left: 0; padding-right: 0; }
  .stacked tbody tr:first-child { border-top: 0; }
  .stacked.stacked tbody :is(th, td) { max-width: 100%; width: auto; padding: 0; border: 0; text-align: left; white-space: normal; overflow-wrap: break-word; }
  .stacked tbody th:not(.number) { flex: 1 1 100%; }
  .stacked td:has(small) { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; }
  .stacked.stacked td.none { display: none; }
  .stacked [data-name]::before { content: attr(data-name) " "; color: var(--soft); font-size: .8125rem; }
}
@media (max-width: 77.5rem) {
  .bar { flex-wrap: wrap; padding-top: .375rem; padding-bottom: .375rem; row-gap: 0; }
  .bar nav { order: 1; width: 100%; }
}
@media (max-width: 58.75rem) { .overview, .page { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 45rem) {
  .bar, main, footer, .alarm { padding-left: 1rem; padding-right: 1rem; }
  .bar { min-height: 3rem; padding-top: 0; padding-bottom: 0; }
  .system { margin-left: auto; }
  search:has(.find) { order: 2; width: 100%; margin: 0; padding-bottom: .5rem; }
  .bar:not(:focus-within) search:has(.find) { display: none; }
  .find input { width: 100%; }
  .bar nav { position: fixed; left: 0; right: 0; bottom: 0; z-index: 2; width: auto; background: var(--card); border-top: 1px solid var(--line); }
  header nav > ul { justify-content: space-between; padding: .25rem; gap: 0; }
  header nav a, header summary { min-height: 2.5rem; padding: 0 .375rem; font-size: .75rem; }
  header nav .menu > ul { position: fixed; left: auto; right: .5rem; bottom: 3.25rem; }
  .roomy { display: none; }
  .tight { display: revert; }
  .zone .far { display: none; }
  footer { padding-bottom: 5rem; }
  button, .button, input, select { min-height: 2.5rem; }
  button.plain, .copy { min-height: 1.5rem; }
  .act summary { min-height: 2.5rem; }
  .timeline li > div > time { order: -1; flex: 1 1 100%; }
  main a:not(.button), main summary { line-height: 1.5rem; }
  .methods, .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tiles { row-gap: .75rem; }
  .tiles > div:nth-child(odd) { border-left: 0; }
  .spark { flex: 1 1 100%; }
  .foot > a { margin-left: 0; }
  .outcomes .failed, .outcomes .bar-cell, .outcomes .far, .open :nth-child(n + 3):nth-child(-n + 4):is(th, td) { display: none; }
  .outcomes .key svg { display: none; }
  .outcomes :is(th, td) { padding-right: .25rem; font-size: .75rem; letter-spacing: -.02em; }
  .outcomes :is(th, td):first-child { padding-left: 1rem; }
  .outcomes :is(th, td):last-child { padding-right: 1rem; }
  .recovered .foot { margin-left: -1rem; margin-right: -1rem; padding-left: 1rem; padding-right: 1rem; }
  .rows .key { white-space: normal; }
  .zone { flex-wrap: wrap; }
  .facts > div { grid-template-columns: 6rem minmax(0, 1fr); }
  .settings > div { grid-template-columns: minmax(0, 1fr); padding-left: .875rem; padding-right: .875rem; }
  time { font-size: .75rem; }
  thead .number { white-space: normal; overflow-wrap: normal; }
  th, td { padding-right: .5rem; }
  thead th { font-size: .75rem; }
  .flush > h2, .flush > summary { padding-left: .875rem; }
  .card:not(.flush, .tiles), .verdict, .figures > div { padding-left: 1rem; padding-right: 1rem; }
}
`);
