/** Wilson's interval of a share: it holds for few cases and near 0 or 1. */
const Z = 1.959964;

/** `cases` is at least 1. */
export function wilson({ cases: n, recovered }: { readonly cases: number; readonly recovered: number }): {
  low: number;
  high: number;
} {
  const p = recovered / n;
  const middle = p + Z ** 2 / (2 * n);
  const reach = Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return { low: (middle - reach) / scale, high: (middle + reach) / scale };
}
