/** Writes both OpenAPI documents into the folder that is given, for programs, and beside each a page of it for people. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOperatorApi } from '../../src/plugin/operator/api/describe-operator-api.ts';
import { describeApi } from '../../src/service/http/openapi/describe-api.ts';

/** What the pages show of a document. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Content {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}
interface Operation {
  summary?: string;
  description?: string;
  parameters?: {
    $ref?: string;
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface OpenApi {
  info: { title: string; summary?: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, never>> & { schemas: Record<string, Schema> };
}

function renderPage(name: string, api: OpenApi): string {
  const { info, paths, webhooks = {}, components } = api;
  const sections = (heading: string, list: typeof paths) =>
    Object.entries(list).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) =>
          renderOperation(api, `${heading}\`${method.toUpperCase()} ${path}\``, operation),
        ),
    );
  return [
    `# ${info.title}`,
    info.summary,
    plain(info.description),
    `For programs: the [OpenAPI document](${name}.json).`,
    ...sections('## ', paths),
    ...sections('## Callback: ', webhooks),
    '## Schemas',
    ...Object.entries(components.schemas).map(([title, schema]) => renderSchema(title, schema)),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}

function renderOperation(api: OpenApi, heading: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((one) => resolve(api, one));
  const example = Object.values(operation.requestBody?.content ?? {})[0]?.example;
  return [
    `${heading}\n\n**${plain(operation.summary)}.** ${plain(operation.description)}`,
    parameters.length > 0 &&
      table(
        ['Parameter', 'In', 'Type', 'Meaning'],
        parameters.map((one) => [
          `\`${one.name}\`${one.required ? ', required' : ''}`,
          one.in,
          typeOf(one.schema),
          plain(one.description),
        ]),
      ),
    operation.requestBody && `Body: ${bodyOf(operation.requestBody)}`,
    example !== undefined && `\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``,
    table(
      ['Answer', 'Body', 'Meaning'],
      Object.entries(operation.responses).map(([status, given]) => {
        const answer = resolve(api, given);
        return [status, bodyOf(answer), plain(answer.description)];
      }),
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderSchema(title: string, schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([field, one]) => [
    `\`${field}\`${schema.required?.includes(field) ? ', required' : ''}`,
    typeOf(one),
    plain(one.description),
  ]);
  const body = rows.length > 0 ? table(['Field', 'Type', 'Meaning'], rows) : typeOf(schema);
  return [`### ${title}`, plain(schema.description), body].filter(Boolean).join('\n\n');
}

const bodyOf = ({ content = {} }: Content) =>
  Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema) : type))
    .join(', ');

function typeOf(schema: Schema = {}): string {
  const { $ref, items, anyOf, oneOf, enum: values, type, format } = schema;
  if ($ref) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  const choice = anyOf ?? oneOf;
  if (choice) return [...new Set(choice.map((one) => typeOf(one)))].join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return [[type ?? 'any'].flat().join(' or '), format].filter(Boolean).join(', ');
}

const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? '';

/** What `#/components/…` stands for. */
function resolve<Found extends { $ref?: string }>(api: OpenApi, one: Found): Found {
  if (!one.$ref) return one;
  const [kind = '', name = ''] = one.$ref.split('/').slice(2);
  return api.components[kind]?.[name] ?? one;
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A text of the document within a page, where `<`, `|` and `{{` mean something. */
const plain = (text = '') => text.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('{{', '&#123;{');

const [folder = 'previews/openapi'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const documents = {
  service: describeApi({ requestsPerSecond: 100, concurrentRequests: 5 }),
  operator: describeOperatorApi(),
};
for (const [name, document] of Object.entries(documents)) {
  const json = JSON.stringify(document, undefined, 2);
  writeFileSync(join(folder, `${name}.json`), json);
  writeFileSync(join(folder, `${name}.md`), renderPage(name, JSON.parse(json)));
}
