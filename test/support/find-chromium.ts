import { existsSync } from 'node:fs';

/** Where Debian and macOS have a Chromium; undefined if this machine has none. */
export function findChromium(): string | undefined {
  return [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((path) => existsSync(path));
}
