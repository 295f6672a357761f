#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './cli/command-line.ts';
import { codeOf } from './core/base/errors.ts';
import { ownVersion } from './core/base/own-version.ts';

// Node 20 optimizes most of the embedded database's engine while that starts, which is half of what a start costs: later it knows
// what is used much.
setFlagsFromString('--wasm-tiering-budget=500000000');

// Settings of the folder that a command runs in; what the environment has comes first.
if (existsSync('.env')) process.loadEnvFile('.env');

// A reader that has enough, as `head` does, ends the program, by the exit code that a shell gives for it.
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') throw error;
  process.exit(141);
});

void runCommandLine(process.argv.slice(2), ownVersion()).then((code) => {
  if (code !== undefined) process.exitCode = code;
});
