/** The clock of a process, by libfaketime: off by what stands in a file at that moment. */
import { renameSync, writeFileSync } from 'node:fs';

const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
/** From the package `faketime`. */
export const FAKE_TIME_LIBRARY = `/usr/lib/${MACHINE}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** The variables of a process whose clock goes by the file. */
export function fakeTimeOf(file: string): Record<string, string> {
  setFakeTime(file, 0);
  return {
    LD_PRELOAD: FAKE_TIME_LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    // Timers go by it, and no correction of a clock moves it.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** At once: a file that is half written would be another time. */
export function setFakeTime(file: string, seconds: number): void {
  writeFileSync(`${file}.next`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  renameSync(`${file}.next`, file);
}
