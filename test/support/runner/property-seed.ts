/** One seed for all property tests, so that a run can be repeated. PROPERTY_SEED explores others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_120) });
