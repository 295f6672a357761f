/** Runs a job by its handler, with metrics, traces and logged failures. */
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { DatabaseAwayError } from '../base/errors.ts';
import type { Failure } from '../base/failure-log.ts';
import type { Logger } from '../base/logger.ts';
import type { Measures } from '../telemetry/measures.ts';
import { inSpan, SpanKind, traceOf } from '../telemetry/spans.ts';
import { failedBy } from './job-runner.ts';
import type { JobHandler } from './queue-table.ts';

export interface JobReports {
  readonly logger: Logger;
  readonly logLasting: (failure: Failure) => void;
  readonly measures: Measures;
}

/** Rejects after a database outage: that is no failure of the job. */
export async function runJob<Data>(
  handler: JobHandler<Data>,
  job: JobWithMetadata<Data>,
  { logger, logLasting, measures }: JobReports,
): Promise<JobResult> {
  try {
    const ageMs = job.startedOn.getTime() - job.createdOn.getTime();
    const span = {
      kind: SpanKind.CONSUMER,
      attributes: { job: job.id },
      ...traceOf(Object(job.data), ageMs),
    };
    await measures.timed(
      'payment_retry_job_duration_seconds',
      () => inSpan(`job ${job.name}`, span, () => handler.handle(job.data)),
      ({ status }) => ({ queue: job.name, result: status === 'fulfilled' ? 'done' : 'failed' }),
    );
    return { id: job.id, status: 'completed' };
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    const isLast = job.retryCount >= job.retryLimit;
    const fields = { err: error, queue: job.name, job: job.id, data: job.data, retry: job.retryCount };
    if (isLast) {
      logger.error(fields, 'a job failed for the last time and went to the dead letters');
      await handler.onDead?.(job.data, error);
    } else {
      const message = 'a job failed and will be tried again';
      // During an outage of Stripe or the service all waiting jobs fail repeatedly.
      logLasting({ level: 'warn', error, about: job.name, fields, message });
    }
    return failedBy(job, error);
  }
}
