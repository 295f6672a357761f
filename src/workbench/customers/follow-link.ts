/**
 * What a customer does with an email, over HTTP: opens its link, presses the button, and on Stripe's page chooses the
 * first card offered, or pays. Returns it in words; throws when a page is not as expected.
 */
export async function followLink(email: string): Promise<string> {
  const link = /https?:\/\/\S+/.exec(email)?.[0];
  if (link === undefined) throw new Error(`There is no link in the email:\n${email}`);
  const page = await open(link);
  if (new URL(link).pathname.startsWith('/card-update/')) return changeCard(page);
  return confirmPayment(page);
}

/** A page that asks for nothing has none. */
const FORM = /<form method="post"(?: action="([^"]*)")?>/;
const NOTHING_DUE = 'opens the link of the email: nothing is due any more';

async function changeCard(page: Page): Promise<string> {
  if (!FORM.test(page.body)) return NOTHING_DUE;
  const portal = await press(page, {});
  const card = /<button name="card" value="0">([^<]+)</.exec(portal.body)?.[1] ?? 'a card';
  const thanks = await press(portal, { card: '0' });
  if (FORM.test(thanks.body)) throw new Error(`The card is not chosen at ${thanks.url}:\n${thanks.body}`);
  return `opens the link of the email and chooses another card: ${card}`;
}

async function confirmPayment(page: Page): Promise<string> {
  if (!FORM.test(page.body)) return NOTHING_DUE;
  await press(page, {});
  return "opens the link of the email and confirms the payment on Stripe's invoice page";
}

interface Page {
  url: string;
  body: string;
}

async function open(url: string): Promise<Page> {
  return readPage(await fetch(url));
}

/** Submits the page's form; the browser follows the redirect. */
async function press(page: Page, fields: Record<string, string>): Promise<Page> {
  const action = FORM.exec(page.body);
  if (action === null) throw new Error(`There is no form at ${page.url}:\n${page.body}`);
  const target = new URL(action[1] ?? page.url, page.url);
  return readPage(
    await fetch(target, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: new URL(page.url).origin },
    }),
  );
}

async function readPage(response: Response): Promise<Page> {
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}:\n${body}`);
  return { url: response.url, body };
}
