/** What a browser says of a form that our own page sent. */
export const FROM_OUR_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Forms that no page of ours sent: who sent it, what the browser says of that, and what the form has instead. */
export const FOREIGN_FORMS: readonly (readonly [
  from: string,
  headers: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>>,
])[] = [
  ['another site', { 'sec-fetch-site': 'cross-site' }, {}],
  ['another site of the same domain', { 'sec-fetch-site': 'same-site' }, {}],
  ['another origin, of an old browser', { origin: 'https://evil.example' }, {}],
  ['an origin that is hidden', { origin: 'null' }, {}],
  ['our page without its token', FROM_OUR_PAGE, { token: '' }],
  ['our page with a token of its own', FROM_OUR_PAGE, { token: 'x'.repeat(43) }],
];
