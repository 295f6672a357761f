/**
 * How far an estimate may be from the truth at any look, with error `alpha` over all looks together: the bound of Robbins's
 * normal mixture. With an estimated variance it is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and
 * Ramdas (Time-uniform central limit theory and asymptotic confidence sequences, Annals of Statistics 52(6), 2024,
 * https://arxiv.org/abs/2103.06476). `variance` is the estimate's, `mixture` the variance of the mixture: the bound is narrowest, next to one for a
 * single look, where `variance` is about an eighth of it (alpha 0.05).
 */
export function sequentialReach(variance: number, mixture: number, alpha = 0.05): number {
  const total = variance + mixture;
  return Math.sqrt(((variance * total) / mixture) * (Math.log(total / variance) + 2 * Math.log(1 / alpha)));
}
