import { runHashPassword } from '../../src/cli/hash-password-command.ts';
import { createPasswordCheck } from '../../src/core/web/sign-in/passwords.ts';
import { loadConfig } from '../../src/plugin/settings/config.ts';

async function make(name: string, password: string, options = {}): Promise<{ code: number; text: string }> {
  const written: string[] = [];
  const code = await runHashPassword(
    [name],
    options,
    async () => password,
    (text) => void written.push(text),
  );
  return { code, text: written.join('').trim() };
}

test('an entry of hash-password opens the console to its name and password, and does not hold it', async () => {
  const password = 'naïve passwörd, with: commas';
  const { code, text } = await make('anna@shop.example', password);
  expect([code, text]).toEqual([0, expect.stringMatching(/^anna@shop\.example:scrypt:[\w:-]+$/)]);
  const { signIn } = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      consoleUsers: text,
    },
    {},
  );
  const check = createPasswordCheck(signIn?.operators ?? []);
  expect((await check('Anna@shop.example', password))?.name).toBe('anna@shop.example');
  // The same characters, as another keyboard composes them.
  expect(await check('anna@shop.example', password.normalize('NFD'))).toBeDefined();
  expect(await check('anna@shop.example', 'naive password, with: commas')).toBeUndefined();
  expect((await make('anna@shop.example', password)).text).not.toBe(text);
});

test.each([
  ['anna:x', 'long enough, this one', 'cannot be a name'],
  ['anna', 'too short', 'at least 12 characters'],
])('hash-password refuses %s with "%s"', async (name, password, words) => {
  expect(await make(name, password)).toEqual({ code: 1, text: expect.stringContaining(words) });
});

test('an entry has the role and the secret of an authenticator that were asked for', async () => {
  const { code, text } = await make('ben', 'long enough, this one', { role: 'reader', totp: true });
  const [entry = '', , link = ''] = text.split('\n');
  const secret = /:totp:([A-Z2-7]{32})$/.exec(entry)?.[1];
  expect([code, new URL(link).searchParams.get('secret')]).toEqual([0, secret]);
  const { signIn } = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      consoleUsers: entry,
    },
    {},
  );
  expect(signIn?.operators).toMatchObject([{ name: 'ben', role: 'reader', totp: secret }]);
  expect(await make('ben', 'long enough, this one', { role: 'chief' })).toEqual({
    code: 1,
    text: 'chief is no role: give reader, operator, administrator',
  });
});
