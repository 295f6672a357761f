import fc from 'fast-check';
import { renderToString } from 'preact-render-to-string';
import { renderDocument } from '../../../src/core/web/page-document.tsx';
import { anyCharacter } from '../../support/any-character.ts';

test('a page escapes what is put in, in text, attributes and its title', () => {
  const name = `<b title="a" id='b'>Tom & Co</b>`;
  const page = renderDocument({ title: name, styles: [], body: <p title={name}>{name}</p> });
  expect(page).toContain('<title>&lt;b title=&quot;a&quot;');
  expect(page).toContain(
    `<p title="&lt;b title=&quot;a&quot; id='b'>Tom &amp; Co&lt;/b>">&lt;b title=&quot;a&quot; id='b'>Tom &amp; Co&lt;/b></p>`,
  );
});

test('no value in a page opens a tag or leaves its quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => {
      const page = renderToString(<p title={value}>{value}</p>);
      expect(page).toMatch(/^<p title(="[^"]*")?>[^<]*<\/p>$/);
    }),
  );
});

test('an object from outside is never taken for an element of a page', () => {
  const element = JSON.parse(
    '{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"alert(1)"}},"key":null}',
  );
  expect(renderToString(<div>{element}</div>)).toBe('<div></div>');
});

test('a style sheet is in its page to the character, so that its hash is that of the text', () => {
  const style = 'main > p::before { content: "<&"; }';
  expect(renderDocument({ title: 'x', styles: [style], body: 'x' })).toContain(`<style>${style}</style>`);
});
