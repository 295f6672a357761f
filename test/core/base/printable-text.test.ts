import { answerText } from '../../../src/core/base/printable-text.ts';

test.each([
  ['{"error":"no such record"}', '{"error":"no such record"}'],
  ['amount < 0 and tax > 3', 'amount < 0 and tax > 3'],
  ['<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1>', '502 Bad Gateway'],
  ['<!DOCTYPE html>\n<style>p { color: red }</style><p>Try&nbsp;again</p> <p class="x', 'Try again'],
  ['<html><script>alert("1 < 2")', ''],
])('an answer is shown without markup: %j', (text, shown) => {
  expect(answerText(text)).toBe(shown);
});
