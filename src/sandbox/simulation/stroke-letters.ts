/**
 * Letters as strokes, so that a picture needs no font: a renderer without one leaves text out. Each glyph is a list of
 * strokes, each stroke a list of points, two digits a point: right, down. A capital is six high.
 */
const BOWL_RIGHT = '3322120305162635';
const BOWL_LEFT = '0312223335261605';
const GLYPHS: Readonly<Record<string, string>> = {
  a: `3236 ${BOWL_RIGHT}`,
  b: `0006 ${BOWL_LEFT}`,
  c: '3322120305162635',
  d: `3036 ${BOWL_RIGHT}`,
  e: '04343322120305162635',
  f: '30201116 0222',
  g: `3237281807 ${BOWL_RIGHT}`,
  h: '0006 0312223336',
  i: '0206 0000',
  j: '121708 1010',
  k: '0006 3204 1336',
  l: '0006',
  m: '0206 03122326 23324346',
  n: '0206 0312223336',
  o: '122233352616050312',
  p: `0208 ${BOWL_LEFT}`,
  q: `3238 ${BOWL_RIGHT}`,
  r: '0206 031222',
  s: '33221203142435261605',
  t: '101526 0222',
  u: '0205162635 3236',
  v: '022642',
  w: '0216243642',
  x: '0236 3206',
  y: '0226 4208',
  z: '02320636',
  0: '102031352616050110',
  1: '011016',
  2: '01102031320636',
  3: '0110203132233435261605 1323',
  4: '26200434',
  5: '300003233435261605',
  6: '2010010516263534231304',
  7: '003016',
  8: '13020110203132231304051626353423',
  9: '1626353120100102132332',
  D: '00062635312000',
  R: '06002031322303 1336',
  S: '312010010213233435261605',
  T: '0040 2026',
  W: '0016243640',
  '%': '4006 0010110100 3545463635',
  '.': '0606',
  ',': '1607',
  ':': '0303 0606',
  '/': '3006',
  '-': '0434',
};

const SCALE = 1.5;
const GAP = 2;
const SPACE = 3;
const UNKNOWN = '0030360600';

/** An SVG path of a text whose base line begins at a point. A character that has no strokes becomes a box. */
export function drawText(x: number, y: number, text: string): string {
  let right = 0;
  const strokes: string[] = [];
  for (const character of text) {
    if (character === ' ') {
      right += SPACE;
      continue;
    }
    const glyph = (GLYPHS[character] ?? UNKNOWN).split(' ').map(readPoints);
    strokes.push(...glyph.map((points) => drawStroke(points, { x: x + right * SCALE, y })));
    right += Math.max(...glyph.flat().map(([across]) => across)) + GAP;
  }
  return `<path d="${strokes.join('')}" fill="none" stroke="#222222" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round"/>`;
}

type Point = readonly [across: number, down: number];

function readPoints(stroke: string): Point[] {
  return Array.from({ length: stroke.length / 2 }, (_, index) => [
    Number(stroke[2 * index]),
    Number(stroke[2 * index + 1]),
  ]);
}

const CAPITAL = 6;

function drawStroke(points: readonly Point[], origin: { x: number; y: number }): string {
  const places = points.map(
    ([across, down]) =>
      `${(origin.x + across * SCALE).toFixed(1)} ${(origin.y + (down - CAPITAL) * SCALE).toFixed(1)}`,
  );
  return `M${places.join('L')}`;
}
