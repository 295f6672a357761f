/** What our retries are worth against the control group's, and how much there is behind the figure. */
import { capitalize } from '../../../../core/base/sentence-case.ts';
import type { Experiment } from '../../../store/reports/experiment.ts';
import { answerExperiment } from '../../lists/experiment-answer.ts';
import { describeCompared, describeDrawn, describeMeasured } from '../../text/describe-experiment.ts';
import type { Page } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';

export const experimentPage: Page = async ({ database }, { reader }) => {
  const { experiment } = await answerExperiment(database, reader.now);
  const main = (
    <>
      <h1>Experiment</h1>
      <section class="card calm">{experiment ? <Result {...experiment} /> : <NothingDrawn />}</section>
    </>
  );
  return { title: 'Experiment', here: 'timing', main };
};

function NothingDrawn() {
  return (
    <p>
      Nothing is compared. <code>EXPERIMENT=stripe:10</code> leaves 10 % of the customers to Stripe’s own
      retries, <code>schedule:10</code> to a fixed schedule: the more, the sooner there is an answer.
    </p>
  );
}

function Result(experiment: Experiment) {
  const { compared, matureDays } = experiment;
  const { locale } = useReader();
  return (
    <>
      <p>{describeDrawn(experiment)}.</p>
      <p>{describeMeasured(experiment)}</p>
      {compared.length === 0 && (
        <p>The first figures come {matureDays} days after the first failed invoice.</p>
      )}
      {compared.map((one) => (
        <p>{capitalize(describeCompared(experiment, one, locale))}.</p>
      ))}
      <p class="soft">
        Every failed invoice of everybody drawn counts, whatever became of it, with the customer as the unit:
        paid within {matureDays} days, net of refunds and lost disputes; open disputes count as paid. The
        intervals hold at every look, so you may look often and stop when you like.
      </p>
    </>
  );
}
