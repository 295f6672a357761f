import { CHART_STYLE } from '../../../core/web/chart-style.ts';
import { pageStyle } from '../../../core/web/page-style.ts';

export const CONSOLE_STYLE = pageStyle(`${CHART_STYLE}
:root { --c0: #1f4fd8; --c1: #14713f; --c2: #8a5200; --c3: #7b3fb5; --c4: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --c0: #8fb0ff; --c1: #5fcf93; --c2: #e9b455; --c3: #c79bf2; --c4: #9aa2b1; } }
body { font-size: .9375rem; font-variant-numeric: tabular-nums; }
a { color: var(--action); text-underline-offset: .15em; }
h1 { font-size: 1.375rem; letter-spacing: -.01em; }
h2 { margin: 0 0 .375rem; font-size: 1rem; line-height: 1.4; }
.soft { font-weight: 400; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: .5rem; top: .5rem; z-index: 1; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
.bar, main, footer { max-width: 80rem; margin: 0 auto; padding: 0 1rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .5rem; min-height: 3.25rem; padding-top: .375rem; padding-bottom: .375rem; }
.brand { font-weight: 700; color: var(--text); text-decoration: none; }
header nav ul { display: flex; flex-wrap: wrap; gap: .125rem; }
header nav a { display: block; padding: .375rem .3rem; font-size: .875rem; border-radius: .375rem; color: var(--text); text-decoration: none; }
header nav a:hover { background: var(--quiet); }
header nav a[aria-current] { background: var(--quiet); font-weight: 600; }
.more { position: relative; }
.more summary { color: var(--text); padding: .375rem .3rem; font-size: .875rem; border-radius: .375rem; }
.more summary:hover, .more summary.here { background: var(--quiet); }
.more summary.here { font-weight: 600; }
.more ul { position: absolute; left: 0; z-index: 1; flex-direction: column; min-width: 9rem; padding: .25rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.whose { display: flex; align-items: baseline; gap: .5rem; max-width: 16rem; font-size: .875rem; }
.whose bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
search:has(.find) { margin-left: auto; }
.find { display: flex; align-items: center; gap: .5rem; }
.find label { color: var(--soft); }
.find input { width: 11rem; min-width: 0; font-size: .875rem; }
input { min-height: 2.25rem; padding: .25rem .625rem; }
input::placeholder { color: var(--soft); opacity: 1; }
button { min-height: 2.25rem; padding: .25rem .875rem; }
button.quiet { color: var(--text); background: transparent; border-color: var(--line); font-weight: 400; }
main { padding-top: 1.5rem; padding-bottom: 2rem; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
main > h1, main > p, .head h1 { margin: 0; }
footer { padding-bottom: 2rem; color: var(--soft); font-size: .8125rem; }
.alarm { margin: 0; padding: .75rem max(1rem, calc((100% - 78rem) / 2)); background: #b3261e; color: #ffffff; font-weight: 700; }
.alarm a { color: inherit; }
.lead { max-width: 48rem; }
.card { padding: .875rem 1.125rem; }
.card > :last-child { margin-bottom: 0; }
.card:empty { display: none; }
.card.bad, .verdict.bad { box-shadow: inset .25rem 0 var(--bad); }
.card.warn { box-shadow: inset .25rem 0 var(--warn); }
.card.good, .verdict.good { box-shadow: inset .25rem 0 var(--good); }
.card.bad h2, .verdict.bad { color: var(--bad); }
.card.warn h2 { color: var(--warn); }
.verdict { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; align-items: baseline; padding: .625rem 1.125rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; font-weight: 600; }
.verdict.good { color: var(--good); }
.advice { margin-bottom: .5rem; }
.lines > li { padding: .375rem 0; border-top: 1px solid var(--line); }
.lines > li:last-child { padding-bottom: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); background: var(--line); gap: 1px; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
.figures > div { padding: .75rem 1.125rem; background: var(--card); }
.figures dt { color: var(--soft); font-size: .8125rem; }
.figures strong { display: block; font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; }
.figures .soft { font-size: .8125rem; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0 .75rem; }
th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border-top: 0; color: var(--soft); font-size: .8125rem; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
caption { padding-bottom: .25rem; text-align: left; }
tbody th { overflow-wrap: normal; }
.words::first-letter { text-transform: uppercase; }
.counts th { width: 13rem; color: var(--soft); }
.states { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.states b { font-weight: 600; }
.facts > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem .75rem; padding: .375rem 0; border-top: 1px solid var(--line); }
.facts > div:last-child { padding-bottom: 0; }
.facts dt { color: var(--soft); }
.log > li { padding: .4375rem 0; border-top: 1px solid var(--line); }
.log ol { margin-left: .5rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.entry { display: grid; grid-template-columns: 10rem 5.5rem minmax(0, 1fr); gap: .125rem .75rem; align-items: baseline; padding: .1875rem 0; }
.ids { display: inline-block; margin-left: .5rem; font-size: .8125rem; }
.ids[open] { display: block; margin-left: 0; }
.ids code { display: block; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: start; }
.number input[type=checkbox] { width: 1rem; height: 1rem; min-height: 0; margin: 0 .375rem 0 0; padding: 0; vertical-align: -.125rem; }
.act { margin: .25rem 0; }
.act summary { display: inline-block; padding: .25rem .875rem; border: 1px solid var(--line); border-radius: .375rem; color: var(--text); list-style: none; }
.act summary::-webkit-details-marker { display: none; }
.act summary:hover { background: var(--quiet); }
.act[open], .act.off { flex: 1 1 100%; }
.act .will { flex: 1 1 100%; margin: 0; font-weight: 600; }
.act.off { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; }
.act.off > p { margin: 0; flex: 1 1 16rem; max-width: 52rem; color: var(--soft); }
button:disabled { background: var(--quiet); color: var(--soft); border: 1px dashed var(--line); cursor: not-allowed; }
.act form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; padding: .625rem 0; }
.act label { display: grid; gap: .125rem; color: var(--soft); font-size: .8125rem; }
button.danger { background: var(--danger); }
.log > li:last-child { padding-bottom: 0; }
time { color: var(--soft); white-space: nowrap; }
.what { justify-self: start; padding: 0 .5rem; border-radius: .25rem; background: var(--quiet); font-size: .8125rem; }
.what.charge, .what.attempt { color: var(--action); }
.what.decision { color: var(--warn); }
.prose { list-style: disc; padding-left: 1.25rem; display: grid; gap: .375rem; max-width: 52rem; }
.settings > div { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr); gap: .25rem 1rem; padding: .5rem 1.125rem; border-top: 1px solid var(--line); }
.settings p { margin: 0; }
.settings .value { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
.settings .chip { margin-left: auto; }
.chip.soft { color: var(--soft); border-color: var(--line); }
.mail-frame { display: block; width: 100%; height: 46rem; border: 1px solid var(--line); border-radius: .375rem; background: #ffffff; color-scheme: light; }
.mail-text { margin: 0; font: .9375em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
figure { max-width: 44rem; margin: .5rem 0 .75rem; }
figcaption { color: var(--soft); font-size: .8125rem; }
.plot { display: block; overflow: visible; }
.plot text { fill: var(--soft); font-size: 12px; text-anchor: middle; }
.plot .value { fill: var(--text); font-size: 13px; font-weight: 600; }
.plot .axis { stroke: var(--soft); stroke-width: 1; }
.plot .zero { stroke: var(--text); stroke-width: 1; stroke-dasharray: 3 3; }
.plot .interval { stroke: var(--action); stroke-width: 3; }
.plot .estimate { fill: var(--action); }
main.outer { max-width: 26rem; padding-top: 12vh; }
.sign-in { display: grid; gap: .5rem; padding: 1.25rem; }
.sign-in label { font-weight: 600; }
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
.chosen, .sums { display: flex; flex-wrap: wrap; gap: .375rem 1.25rem; }
.chosen { gap: .375rem; }
.chosen a { display: inline-block; padding: .125rem .75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); color: var(--text); font-size: .875rem; text-decoration: none; }
.chosen a:hover { background: var(--quiet); text-decoration: line-through; }
.verdict p { margin: 0; }
.verdict ul { width: 100%; font-weight: 400; color: var(--text); margin-top: .375rem; }
.verdict li { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: center; padding: .375rem 0; border-top: 1px solid var(--line); }
.verdict.good a { color: inherit; }
.button { display: inline-block; padding: .125rem .75rem; border: 1px solid var(--line); border-radius: .375rem; color: var(--text); text-decoration: none; background: var(--card); }
.button:hover { background: var(--quiet); }
.figures .good strong { color: var(--good); }
.figures .bad strong { color: var(--bad); }
.figures .warn strong { color: var(--warn); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem; align-items: start; }
.wide { overflow-x: auto; }
.wide table { min-width: 40rem; }
.flush { padding: 0; overflow: hidden; }
.flush table { margin: 0; }
.flush > h2, .flush > summary { margin: 0; padding: .75rem 1.125rem .25rem; }
.flush thead th { padding-top: .625rem; }
.flush th:first-child, .flush td:first-child { padding-left: 1.125rem; }
.flush th:last-child, .flush td:last-child { padding-right: 1.125rem; }
.empty { margin: 0; padding: 2rem 1.125rem; text-align: center; }
.list th, .list td { padding-top: .5rem; padding-bottom: .5rem; overflow-wrap: break-word; }
.list td { max-width: 18rem; }
.list thead th { white-space: nowrap; }
.list tbody tr:hover { background: var(--back); }
.list tbody th { font-weight: 600; }
.list tbody th a { text-decoration: none; }
.list tbody th a:hover { text-decoration: underline; }
.list thead th.number, .list tbody th.number { width: 7rem; }
.list .number:not(:last-child) { padding-right: 1.25rem; }
.list tbody th small { font-weight: 400; }
.list tbody th { max-width: 26rem; }
thead a { color: inherit; }
th[aria-sort="descending"]::after { content: " ↓"; }
th[aria-sort="ascending"]::after { content: " ↑"; }
.chip { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; white-space: nowrap; }
.chip.info { color: var(--action); }
.chip.good { color: var(--good); }
.chip.warn { color: var(--warn); }
.chip.bad { color: var(--bad); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; }
.filters label { display: grid; gap: .125rem; color: var(--soft); font-size: .8125rem; }
.filters .grow { flex: 1 1 16rem; }
.filters select { min-height: 2.25rem; padding: .25rem .5rem; }
.filters input, .filters select { font-size: .9375rem; min-width: 0; }
.filters > a { line-height: 2.25rem; }
.share { display: inline-flex; gap: .5rem; align-items: center; }
.share .rail { fill: var(--quiet); }
.share .fill { fill: var(--good); }
.shares th { overflow-wrap: anywhere; }
.shares .few td, .shares .few a { color: var(--soft); }
.shares .few .fill { fill: var(--soft); }
.c0 { fill: var(--c0); }
.c1 { fill: var(--c1); }
.c2 { fill: var(--c2); }
.c3 { fill: var(--c3); }
.c4 { fill: var(--c4); }
summary h2 { display: inline; }
summary { cursor: pointer; color: var(--action); }
@media (max-width: 40rem) {
  .share svg { display: none; }
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
@media (max-width: 48rem) {
  main { padding-top: 1rem; }
  search:has(.find) { order: 3; width: 100%; margin: 0; }
  .find input { flex: 1; width: auto; }
  .bar nav { order: 2; width: 100%; }
  .out { order: 1; margin-left: auto; }
  .facts > div { grid-template-columns: 6rem minmax(0, 1fr); }
  .entry { grid-template-columns: minmax(0, 1fr) auto; }
  .settings > div { grid-template-columns: minmax(0, 1fr); padding-left: .875rem; padding-right: .875rem; }
  .log .words { grid-column: 1 / -1; }
  time, .what { font-size: .75rem; }
  .counts th { width: 7rem; }
  thead .number { white-space: normal; overflow-wrap: normal; }
  th, td { padding-right: .5rem; }
  thead th { font-size: .75rem; }
  .flush > h2, .flush > summary { padding-left: .875rem; }
  .card:not(.flush), .verdict, .figures > div { padding-left: .875rem; padding-right: .875rem; }
}
`);
