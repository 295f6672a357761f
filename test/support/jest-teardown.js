export default async function tearDown() {
  globalThis.removeDataTemplate?.();
  await globalThis.stopTestPostgres?.();
}
