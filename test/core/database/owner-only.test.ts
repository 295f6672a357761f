import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepToOwner } from '../../../src/core/database/owner-only.ts';

describe('a folder that is kept to its owner', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'payment-retry-owner-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('a folder that is kept to its owner is made if it is not there', () => {
    expect(keepToOwner(join(root, 'one', 'two'))).toEqual([]);
    expect(modeOf(join(root, 'one', 'two'))).toBe(0o700);
  });

  it('a folder that is kept to its owner loses what others may do, to the last file in it, and keeps what its owner may', () => {
    const [folder, inner] = [join(root, 'data'), join(root, 'data', 'inner')];
    mkdirSync(inner, { recursive: true });
    for (const path of [folder, inner]) chmodSync(path, 0o777);
    writeFileSync(join(inner, 'loose'), '');
    chmodSync(join(inner, 'loose'), 0o666);
    writeFileSync(join(folder, 'read-only'), '');
    chmodSync(join(folder, 'read-only'), 0o444);
    expect(keepToOwner(folder)).toEqual([]);
    const paths = [folder, inner, join(inner, 'loose'), join(folder, 'read-only')];
    expect(paths.map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o400]);
  });

  it('a folder that is kept to its owner may be a link; a link in it leads to what is not touched', () => {
    const [elsewhere, folder] = [join(root, 'elsewhere'), join(root, 'data')];
    mkdirSync(elsewhere);
    writeFileSync(join(root, 'foreign'), '');
    for (const path of [elsewhere, join(root, 'foreign')]) chmodSync(path, 0o755);
    symlinkSync(join(root, 'foreign'), join(elsewhere, 'link'));
    symlinkSync(elsewhere, folder);
    expect(keepToOwner(folder)).toEqual([]);
    expect([modeOf(elsewhere), modeOf(join(root, 'foreign'))]).toEqual([0o700, 0o755]);
  });

  // Not even root may change the modes of Linux's own files.
  (process.platform === 'linux' ? it : it.skip)('a folder whose modes cannot be changed is told of', () => {
    expect(keepToOwner('/proc/self/ns')).toEqual([`/proc/${process.pid}/ns`]);
  });
});
