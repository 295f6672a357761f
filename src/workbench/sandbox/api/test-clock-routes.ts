import { z } from 'zod';
import { formInteger, none, text } from '../form-parameters.ts';
import { advanceTestClock, createTestClock, deleteTestClock } from '../test-clocks.ts';
import { deleteCustomer } from './customer-routes.ts';
import { type Route, resource, route } from './route.ts';

const PATH = '/v1/test_helpers/test_clocks';
const clocks = resource(PATH, 'test_clock', (world) => world.testClocks);

export const TEST_CLOCK_ROUTES: readonly Route[] = [
  route('post', PATH, z.strictObject({ frozen_time: formInteger, name: text }), (world, _id, params) =>
    createTestClock(world, params),
  ),
  clocks.list(),
  clocks.retrieve,
  clocks.act('/advance', z.strictObject({ frozen_time: formInteger }), (world, clock, params) =>
    advanceTestClock(world, clock, params.frozen_time),
  ),
  clocks.delete(none, (world, clock) => deleteTestClock(world, clock, deleteCustomer)),
];
