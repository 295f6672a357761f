export interface SignInForm {
  readonly token: string;
  /** Why the form before it was refused. */
  readonly problem: string | undefined;
}

/** Without an action it goes to the address that it was read from, with the page that it leads to. */
export function SignInView({ token, problem }: SignInForm) {
  return (
    <>
      <h1>Payment Retry</h1>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form class="card sign-in" method="post">
        <input type="hidden" name="token" value={token} />
        <input name="username" value="operator" autocomplete="username" hidden />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          required
          autofocus
          autocomplete="current-password"
        />
        <button type="submit">Sign in</button>
      </form>
      <p class="soft">
        It is the one in <code>CONSOLE_PASSWORD</code>.
      </p>
    </>
  );
}

export function NotSignedOut({ root }: { root: string }) {
  return (
    <>
      <h1>Not signed out</h1>
      <p>The form was sent by another site, or by an older session.</p>
      <p>
        <a href={root}>Back to the console</a>
      </p>
    </>
  );
}
