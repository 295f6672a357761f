/** The fields of an object that are null until something sets them, by name: `nulls('footer discount')`. */
export function nulls<Names extends string>(names: Names): Record<Words<Names>, null>;
export function nulls(names: string): Record<string, null> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

type Words<Text extends string, Found extends string = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Found | Word>
  : Found | Text;
