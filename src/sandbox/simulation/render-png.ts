import { readFile } from 'node:fs/promises';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

let ready: Promise<void> | undefined;

/** A picture of an SVG that holds no text: the renderer has no fonts. */
export async function renderPng(svg: string): Promise<Uint8Array> {
  ready ??= loadRenderer();
  await ready;
  const resvg = new Resvg(svg);
  try {
    return resvg.render().asPng();
  } finally {
    resvg.free();
  }
}

async function loadRenderer(): Promise<void> {
  const wasm = new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'));
  await initWasm(await readFile(wasm));
}
