/** Prints the count on a line of its own after jest's summary, so that any log reader can find it. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const skipped = results.numPendingTests + results.numTodoTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // jest prints its own summary after the reporters; the end of the process is the one moment surely later.
    process.once('exit', () =>
      process.stderr.write(`${results.numPassedTests} passed, ${failed} failed${tail}\n`),
    );
  }
}
