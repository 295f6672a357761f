import { checkStored } from '../../operator/checks/stored-checks.ts';
import type { ServedCommand } from './served-command.ts';

/** For `doctor`, which may not open an embedded database that another process has: its findings, as JSON. */
export const checks: ServedCommand = (context) =>
  context.withStore(async ({ config, database }) => {
    const findings = await checkStored({ config: config(), database });
    context.output.write(JSON.stringify(findings));
    return 0;
  });
