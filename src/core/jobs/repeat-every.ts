/** Repeats `work` in real time, never in parallel. `work` must not reject. Returns what ends it. */
export function repeatEvery(ms: number, work: () => Promise<void>): () => void {
  let isWorking = false;
  const timer = setInterval(async () => {
    if (isWorking) return;
    isWorking = true;
    await work();
    isWorking = false;
  }, ms);
  return () => clearInterval(timer);
}
