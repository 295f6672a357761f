/** The soak's part, shorter. */
import { canMount, runFullDisk } from '../../scripts/soak/full-disk.ts';
import { IS_FULL_RUN } from '../support/runner/full-run.ts';

const onSmallDisk = IS_FULL_RUN && canMount() ? test : test.skip;

onSmallDisk(
  'while the disk is full webhooks are refused, and then all that was acknowledged is done once',
  async () => {
    const lines: string[] = [];
    await runFullDisk((line) => lines.push(line), 5);
    expect(lines.join('\n')).toMatch(/[1-9]\d* webhooks answered 503; the process (went on|ended)/);
    expect(lines.at(-1)).toMatch(/^full disk: whole afterwards /);
  },
);
