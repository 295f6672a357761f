import { z } from 'zod';
import { advanceTestClock, createTestClock, deleteTestClock, getTestClock } from '../test-clocks.ts';
import { deleteCustomer } from './customer-routes.ts';
import { formInteger, PAGE_PARAMETERS } from './form-parameters.ts';
import { listPage, type Route, route } from './route.ts';

const PATH = '/v1/test_helpers/test_clocks';
const none = z.strictObject({});

export const TEST_CLOCK_ROUTES: readonly Route[] = [
  route(
    'post',
    PATH,
    z.strictObject({ frozen_time: formInteger, name: z.string().optional() }),
    (world, _id, params) => createTestClock(world, params),
  ),
  route('get', PATH, z.strictObject(PAGE_PARAMETERS), (world, _id, params) =>
    listPage(world.testClocks, params, { url: PATH }),
  ),
  route('get', `${PATH}/:id`, none, getTestClock),
  route('post', `${PATH}/:id/advance`, z.strictObject({ frozen_time: formInteger }), (world, id, params) =>
    advanceTestClock(world, getTestClock(world, id), params.frozen_time),
  ),
  route('delete', `${PATH}/:id`, none, (world, id) =>
    deleteTestClock(world, getTestClock(world, id), deleteCustomer),
  ),
];
