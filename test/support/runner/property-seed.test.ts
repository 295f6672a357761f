import fc from 'fast-check';

test('what is drawn can be drawn again', () => {
  expect(fc.sample(fc.nat())).toEqual(fc.sample(fc.nat()));
  expect(fc.readConfigureGlobal()).toEqual({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_120) });
});
