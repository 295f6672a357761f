/** What the package's OpenAPI documents are made with: zod's own JSON schemas, as named components. */
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const addressOf = (name: string) => `#/components/schemas/${name}`;

export function refer(name: string): JsonSchema {
  return { $ref: addressOf(name) };
}

export function inJson(schema: JsonSchema, example?: object) {
  return { 'application/json': { schema, ...(example ? { example } : {}) } };
}

/** Schemas by name, for `components.schemas`; one within another becomes a reference. */
export function toComponents(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, uri: addressOf, unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $id, $schema, ...schema }]) => [name, schema]),
  );
}
