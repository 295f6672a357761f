import fc from 'fast-check';
import { html } from '../../src/http/html.ts';

test('escapes what is put in, in text and in attributes', () => {
  const name = `<b title="a" id='b'>Tom & Co</b>`;
  expect(html`<p title="${name}">${name}</p>`.markup).toBe(
    '<p title="&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;Tom &amp; Co&lt;/b&gt;">' +
      '&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;Tom &amp; Co&lt;/b&gt;</p>',
  );
});

test('keeps markup that it made itself, alone and in a list', () => {
  const items = ['a', '<'].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}</ul>${html`<hr>`}`.markup).toBe('<ul><li>a</li>\n<li>&lt;</li></ul><hr>');
});

test('writes numbers, and nothing for an empty text', () => {
  expect(html`${0}|${''}|${-1.5}`.markup).toBe('0||-1.5');
});

test('lets no value open a tag or leave its quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(html`${value}`.markup).not.toMatch(/[<>"']/);
    }),
  );
});
