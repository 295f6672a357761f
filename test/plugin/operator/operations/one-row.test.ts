/** A row is enough: whatever shows operations shows each of them, and what it needs of the row is there. */
import { DateTime } from 'luxon';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { STORE_COMMANDS } from '../../../../src/plugin/app/commands/store-commands.ts';
import { describeOperatorApi } from '../../../../src/plugin/operator/api/describe-operator-api.ts';
import { ReaderContext } from '../../../../src/plugin/operator/console/page-reader.ts';
import { OperationForms } from '../../../../src/plugin/operator/console/parts/operation-form.tsx';
import { OPERATION_NAMES, operationOf } from '../../../../src/plugin/operator/operations/operations.ts';
import { REQUESTS } from '../../../../src/plugin/operator/stripe-app/requests.ts';
import { describeAuditKind } from '../../../../src/plugin/operator/text/describe-actions.ts';

const rows = OPERATION_NAMES.map((name) => ({ name, row: operationOf(name) }));
const { paths } = describeOperatorApi();

test.each(rows)('$name is a request of the API, described in its document', ({ name, row }) => {
  expect(paths[`/operations/${name}`]).toMatchObject({
    post: { operationId: name, summary: row.description },
  });
  expect(paths[`/operations/${name}/check`]).toBeDefined();
});

test.each(rows.flatMap(({ name, row }) => (row.command ? [{ name, row, command: row.command }] : [])))(
  '$name is a command that takes each of its parameters',
  ({ row, command: { use, values = {} } }) => {
    const entry = STORE_COMMANDS.find(({ name }) => name === use);
    const flags = [use, ...(entry?.options ?? []).map(([flag]) => flag)].join(' ');
    for (const parameter of Object.keys(row.parameters.shape))
      expect(flags).toContain(parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    for (const parameter of Object.keys(values))
      expect(Object.keys(row.parameters.shape)).toContain(parameter);
  },
);

test.each(rows.flatMap(({ name, row: { app } }) => (app ? [{ name, app }] : [])))(
  '$name is a request of the Stripe App for those who may $app.needs',
  ({ name, app }) => expect(REQUESTS.get(app.request ?? name)?.needs).toBe(app.needs),
);

test.each(rows)('each line of $name in the audit has words', ({ row: { history = {} } }) => {
  for (const [kind, words] of Object.entries(history)) expect(describeAuditKind(kind)).toBe(words);
});

const person = { name: 'ada', role: 'administrator' as const, token: 't', kept: {}, answer: undefined };
const reader = { ...person, root: '/console/', zone: 'UTC', locale: 'en', now: DateTime.utc(2026, 3, 2) };
const place = { back: 'x', fields: { given: 'x' } };

test.each(['invoice', 'customer'] as const)('a page about one %s has each form about it', (about) => {
  const names = rows.flatMap(({ name, row: { form } }) => (form?.about === about ? [{ name, form }] : []));
  expect(names.length).toBeGreaterThan(0);
  for (const { name, form } of names) {
    const html = [true, false].map((isHeld) =>
      renderToString(
        h(
          ReaderContext.Provider,
          { value: reader },
          h(OperationForms, { ...place, about, standing: { isHeld, hadEmail: true } }),
        ),
      ),
    );
    const shown = html.find((one) => one.includes(`action="/console/operations/${name}"`)) ?? '';
    expect(shown).toContain(`>${form.button}</button>`);
    for (const asked of form.asks ?? []) expect(shown).toContain(`name="${asked.name}"`);
  }
});
