/** Ends a run of jest at the first test that fails, whose title goes into the file FIRST_FAILURE: of a planted fault one says enough. */
import { writeFileSync } from 'node:fs';

export default class FirstFailure {
  onTestCaseResult(_test, { status, fullName }) {
    if (status !== 'failed') return;
    writeFileSync(process.env.FIRST_FAILURE, fullName);
    process.exit(1);
  }
}
