// The live viewer's layout and controls, on screens of three sizes.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, openLive, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/leg.osim', import.meta.url));
const until = (page, condition, argument) => page.waitForFunction(condition, argument, {timeout: 60000});
const coordinate = (page, name) => page.evaluate((n) => globalThis.sinew.runs[0].curve('coordinates', n).values[0], name);
const arrives = (page, name, value) =>
  until(page, ([n, v]) => Math.abs(globalThis.sinew.runs[0].curve('coordinates', n).values[0] - v) < 1e-5, [name, value]);

/** Left, top, width and height of what the reader uses, in pixels of the page. */
const boxes = (page) =>
  page.evaluate(() => {
    const all = document.querySelectorAll('h1, .badge, canvas.view, .view-card button, .view-card select, .card, .slider, .slider input, .clock');
    return [...all].filter((e) => e.checkVisibility()).map((e) => {
      const {left, top, width, height} = e.getBoundingClientRect();
      return [e.classList[0] ?? e.tagName, ...[left, top + scrollY, width, height].map(Math.round)].join(' ');
    });
  });
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [width, height] of [[1400, 900], [1024, 768], [390, 844]]) {
  test(`at ${width}×${height} nothing overflows or moves, and the picture stays in sight`, {skip}, async () => {
    const page = await openLive(leg, {viewport: {width, height}});
    assert.equal(await overflow(page), 0);
    await until(page, () => globalThis.sinew.arms.x.length > 0);
    const before = await boxes(page);
    assert.ok(before.length > 40);
    await page.getByRole('button', {name: 'Run'}).click();
    await until(page, () => globalThis.sinew.state.time > 0.2 && /real time/.test(document.querySelector('.measure').textContent));
    assert.deepEqual(await boxes(page), before, 'running, everything keeps its place');
    assert.equal(await overflow(page), 0);
    await page.getByRole('button', {name: 'Pause'}).click();
    await page.locator('footer').scrollIntoViewIfNeeded();
    for (const part of ['canvas.view', '.play']) {
      const box = await page.locator(part).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= height, `${part} in sight: ${box.y} + ${box.height}`);
    }
    const stage = await page.locator('canvas.view').boundingBox();
    assert.ok(stage.height >= 0.35 * height && stage.width > 300, `the picture has ${stage.width}×${stage.height} pixels`);
    // What complains lies over the picture.
    await page.evaluate(() => globalThis.sinew.connection.onProblem('Something went wrong.'));
    assert.ok(await page.locator('.problem').isVisible());
    const after = await page.locator('canvas.view').boundingBox();
    assert.deepEqual(after, stage);
    assert.equal(await overflow(page), 0);
    if (process.env.SINEW_PICTURES) await page.screenshot({path: `${process.env.SINEW_PICTURES}/viewer-${width}.png`});
    assert.deepEqual(page.problems, []);
    await page.end();
  });
}

test('values are typed, in degrees, and stay within their range', {skip}, async () => {
  const page = await openLive(leg);
  const field = page.getByRole('textbox', {name: 'knee_angle_r [°]'});
  await field.fill('-60');
  await field.press('Enter');
  await arrives(page, 'knee_angle_r', -Math.PI / 3);
  assert.equal(await page.locator('.hint').first().innerText(), '');
  // Beyond the range, its end.
  const lower = await page.evaluate(() => globalThis.sinew.live.coordinates.find((c) => c.name === 'knee_angle_r').lower);
  await field.fill('-500');
  await field.press('Enter');
  await arrives(page, 'knee_angle_r', lower);
  assert.match(await page.locator('.hint').first().innerText(), /500 is out of range: .*° to .*°/);
  await field.fill('bent');
  await field.press('Enter');
  assert.match(await page.locator('.hint').first().innerText(), /Not a number/);
  assert.ok(Math.abs((await coordinate(page, 'knee_angle_r')) - lower) < 1e-5);
  // Keys typed into a field do nothing else.
  await field.fill('0');
  assert.equal(await page.evaluate(() => globalThis.sinew.state.running), false);
  assert.deepEqual(page.problems, []);
  await page.end();
});
