/**
 * Node's environment, in a process that ends as soon as nothing is left to do. Jest's workers take their heap of a gigabyte
 * apart first, which can outlast the half second that jest gives them. Whatever a test leaves open still keeps them.
 */
import { TestEnvironment } from 'jest-environment-node';

if (process.send) process.once('beforeExit', () => process.exit());

export default TestEnvironment;
