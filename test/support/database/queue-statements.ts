/** Whether this statement of pg-boss takes jobs out of a queue: its own upkeep locks rows of other tables, and jobs by other rules. */
export function takesJobsOf(queue: string, statement: string): boolean {
  return statement.includes('FOR UPDATE OF j SKIP LOCKED') && statement.includes(`name = '${queue}'`);
}
