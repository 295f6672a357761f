/**
 * Largest distance of an estimate from the truth, with error `alpha` over all looks together: Robbins's normal mixture bound. With an estimated
 * variance it is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central limit theory and
 * asymptotic confidence sequences, Annals of Statistics 52(6), 2024, https://arxiv.org/abs/2103.06476). `mixture` is the mixture's
 * variance: relative to a bound for a single look it is narrowest at a `variance` of about an eighth of it (alpha 0.05).
 */
export function sequentialReach(variance: number, mixture: number, alpha = 0.05): number {
  const total = variance + mixture;
  return Math.sqrt(((variance * total) / mixture) * (Math.log(total / variance) + 2 * Math.log(1 / alpha)));
}
