/** Makes a value at its first use, once: what only some processes need costs the others no memory. */
export function whenUsed<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
