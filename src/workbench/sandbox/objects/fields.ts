/** Objects of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** None where it is no object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
