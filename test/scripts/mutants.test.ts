/** The planted faults of `npm run mutants`: each still applies, so that none is kept that breaks nothing any more. */
import { existsSync, readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { MUTANTS, plant } from '../../scripts/mutants/mutants.ts';

const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test.each(MUTANTS)('planted fault $name applies, and the file can still be read', async (mutant) => {
  const text = textOf(mutant.file);
  const broken = plant(mutant, text);
  expect(broken).not.toBe(text);
  if (mutant.file.endsWith('.ts')) await transform(broken, { loader: 'ts' });
  for (const suite of mutant.killedBy)
    expect({ suite, exists: existsSync(suite) }).toEqual({ suite, exists: true });
});

test('planted faults have names of their own, and there are sixty at least', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

test('a planted fault whose text is gone, or is there twice, is told by its name', () => {
  const [mutant] = MUTANTS;
  if (!mutant) throw new Error('There are none.');
  expect(() => plant(mutant, '')).toThrow(`${mutant.name}: its text occurs 0 times`);
  expect(() => plant(mutant, mutant.find + mutant.find)).toThrow('occurs 2 times');
});
