import { OPERATOR, type SignInSettings } from './operators.ts';

type Operators = SignInSettings['operators'];

export interface SignInPage {
  readonly settings: SignInSettings;
  readonly token: string;
  /** Why the sign-in before it failed. */
  readonly problem: string | undefined;
  /** Whether there was a session, and it is over. */
  readonly isOver: boolean;
  /** The page that it leads to. */
  readonly place: string;
  /** Who is signed in proves it once more. */
  readonly isAgain: boolean;
}

export function SignInView({ settings, token, problem, isOver, place, isAgain }: SignInPage) {
  const { operators, openId } = settings;
  const parts = [...(isAgain ? ['again'] : []), ...(place === '' ? [] : [`to=${encodeURIComponent(place)}`])];
  const query = parts.length === 0 ? '' : `?${parts.join('&')}`;
  return (
    <>
      <h1>Payment Retry</h1>
      {isAgain && <p>What comes next cannot be undone. Sign in once more to go on.</p>}
      {isOver && problem === undefined && (
        <p class="card warn" role="status">
          You were signed out. Nothing was done yet: sign in, and you are where you were.
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {operators.length > 0 && <PasswordForm operators={operators} token={token} query={query} />}
      {openId && (
        <p>
          <a href={`openid${query}`}>Sign in with {openId.issuer.host}</a>
        </p>
      )}
    </>
  );
}

/** The one password needs no name. */
export function asksForName(operators: Operators): boolean {
  return operators.some(({ name }) => name !== OPERATOR);
}

function PasswordForm({ operators, token, query }: { operators: Operators; token: string; query: string }) {
  const hasNames = asksForName(operators);
  return (
    <>
      <form class="card sign-in" method="post" action={`login${query}`}>
        <input type="hidden" name="token" value={token} />
        {hasNames ? <NameField /> : <input name="username" value={OPERATOR} autocomplete="username" hidden />}
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          required
          autofocus={!hasNames}
          autocomplete="current-password"
        />
        {operators.some(({ totp }) => totp !== undefined) && <CodeField />}
        <button type="submit">Sign in</button>
      </form>
      <p class="soft">
        {hasNames ? 'Names and passwords are those of ' : 'It is the one in '}
        <code>{hasNames ? 'CONSOLE_USERS' : 'CONSOLE_PASSWORD'}</code>.
      </p>
    </>
  );
}

/** Shown to all: whose sign-in needs one is not to be learned here. */
function CodeField() {
  return (
    <>
      <label for="code">Code of your authenticator, if you have one</label>
      <input
        id="code"
        name="code"
        inputMode="numeric"
        pattern="[0-9 ]{6,7}"
        maxLength={7}
        autocomplete="one-time-code"
      />
    </>
  );
}

function NameField() {
  return (
    <>
      <label for="username">Name</label>
      <input
        id="username"
        name="username"
        required
        autofocus
        maxLength={64}
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
      />
    </>
  );
}

export function NotSignedOut({ root }: { root: string }) {
  return (
    <>
      <h1>Not signed out</h1>
      <p>The form was sent by another site, or by an older session.</p>
      <p>
        <a href={root}>Back</a>
      </p>
    </>
  );
}
