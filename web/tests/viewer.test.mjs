// The live viewer's layout and controls, on screens of three sizes.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, openLive, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/leg.osim', import.meta.url));
const swing = fileURLToPath(new URL('../../models/leg/swing_10kmh.mot', import.meta.url));
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
  const place = await page.locator('.arm-card').boundingBox();
  const lower = await page.evaluate(() => globalThis.sinew.live.coordinates.find((c) => c.name === 'knee_angle_r').lower);
  await field.fill('-500');
  await field.press('Enter');
  await arrives(page, 'knee_angle_r', lower);
  assert.match(await page.locator('.hint').first().innerText(), /500 is out of range: .*° to .*°/);
  assert.deepEqual(await page.locator('.arm-card').boundingBox(), place, 'words about it move nothing');
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

test('coordinates are grouped by parts of the body, and found by name', {skip}, async () => {
  const page = await openLive(leg);
  const groups = page.locator('.slider-group');
  assert.deepEqual(await groups.locator('summary').allInnerTexts(), ['pelvis 6', 'femur_r to foot_r 5']);
  const shown = () => page.locator('.slider-group .slider:visible .slider-name').allInnerTexts();
  await groups.first().locator('summary').click();
  assert.equal((await shown()).length, 5, 'a folded group');
  await groups.first().locator('summary').click();
  await page.getByRole('searchbox', {name: 'Find in coordinates'}).fill('HIP');
  assert.deepEqual(await shown(), ['hip_flexion_r', 'hip_adduction_r', 'hip_rotation_r']);
  assert.equal(await groups.first().isVisible(), false);
  assert.deepEqual(page.problems, []);
  await page.end();
  const hand = await openLive('hand');
  assert.deepEqual(await hand.locator('.slider-group > summary').allInnerTexts(), [
    'forearm to palm 3', 'index_proximal to index_middle 3', 'middle_proximal to middle_middle 3',
    'ring_proximal to ring_middle 3', 'little_proximal to little_middle 3', 'thumb_metacarpal to thumb_distal 4',
  ]);
  await hand.end();
});

test('edits are undone and redone', {skip}, async () => {
  const page = await openLive(leg);
  const undo = page.getByRole('button', {name: 'Undo'});
  const redo = page.getByRole('button', {name: 'Redo'});
  assert.ok(await undo.isDisabled());
  const field = page.getByRole('textbox', {name: 'knee_angle_r [°]'});
  await field.fill('-30');
  await field.press('Enter');
  await arrives(page, 'knee_angle_r', -Math.PI / 6);
  await page.getByRole('slider', {name: 'soleus_r', exact: true}).fill('0.5');
  const drive = (value) => until(page, (v) => Math.abs(globalThis.sinew.runs[0].curve('muscle-drive', 'soleus_r').values[0] - v) < 1e-6, value);
  await drive(0.5);
  assert.match(await undo.getAttribute('title'), /drive soleus_r/);
  await undo.click();
  await drive(0);
  await page.locator('canvas.view').focus();
  await page.keyboard.press('Control+z');
  await arrives(page, 'knee_angle_r', 0);
  await page.keyboard.press('Control+Shift+Z');
  await arrives(page, 'knee_angle_r', -Math.PI / 6);
  await redo.click();
  await drive(0.5);
  await until(page, () => document.querySelector('[aria-label="Redo"]').disabled);
  assert.deepEqual(page.problems, []);
  await page.end();
});

test('a locked knee and a held pelvis stay while the model runs; stops are on, and can be switched off', {skip}, async () => {
  const page = await openLive(leg);
  const said = page.locator('.said');
  assert.match(await said.innerText(), /stops at the ends of ranges: on/);
  const stops = page.getByRole('checkbox', {name: 'Stops at the ends of ranges'});
  assert.ok(await stops.isChecked());
  await page.getByRole('checkbox', {name: 'Hold pelvis'}).check();
  await page.getByRole('button', {name: 'Lock ankle_angle_r'}).click();
  await until(page, () => /pelvis held, 1 locked/.test(document.querySelector('.said').textContent));
  assert.ok(await page.getByRole('slider', {name: 'ankle_angle_r', exact: true}).isDisabled());
  assert.ok(await page.getByRole('slider', {name: 'pelvis_ty', exact: true}).isDisabled());
  for (const muscle of ['recfem_r', 'soleus_r']) await page.getByRole('slider', {name: muscle, exact: true}).fill('1');
  await page.getByRole('button', {name: 'Run'}).click();
  await until(page, () => globalThis.sinew.state.time > 0.4);
  assert.ok(Math.abs((await coordinate(page, 'pelvis_ty')) - 0.98) < 1e-5, 'the pelvis is held');
  assert.ok(Math.abs(await coordinate(page, 'ankle_angle_r')) < 1e-6, 'the ankle is locked');
  // Rectus femoris presses the knee against its stop at 0.1.
  assert.ok((await coordinate(page, 'knee_angle_r')) < 0.17);
  await stops.uncheck();
  await until(page, () => globalThis.sinew.runs[0].curve('coordinates', 'knee_angle_r').values[0] > 0.3);
  assert.match(await said.innerText(), /stops at the ends of ranges: off/);
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.keyboard.press('Control+z');
  await until(page, () => /: on/.test(document.querySelector('.said').textContent));
  assert.ok(await stops.isChecked());
  assert.deepEqual(page.problems, []);
  await page.end();
});

test('a motion is played and scrubbed, and the model runs from any of its poses', {skip}, async () => {
  const page = await openLive([leg, swing]);
  const {start, end} = await page.evaluate(() => globalThis.sinew.live.motion);
  const time = () => page.evaluate(() => globalThis.sinew.state.time);
  assert.ok(Math.abs((await time()) - start) < 1e-9);
  const knee = await coordinate(page, 'knee_angle_r');
  const scrub = page.getByRole('slider', {name: 'Time of the motion'});
  const middle = Math.round(50 * (start + end)) / 100;
  await scrub.fill(String(middle));
  await until(page, (t) => Math.abs(globalThis.sinew.state.time - t) < 1e-6, middle);
  assert.ok(Math.abs((await coordinate(page, 'knee_angle_r')) - knee) > 0.3, 'the knee bends in the swing');
  await page.getByRole('button', {name: 'Play the motion'}).click();
  await until(page, (t) => globalThis.sinew.state.playing && globalThis.sinew.state.time !== t, middle);
  await until(page, () => document.querySelector('.badge').textContent === 'Playing');
  await page.getByRole('button', {name: 'Pause the motion'}).click();
  await until(page, () => !globalThis.sinew.state.playing);
  const paused = await time();
  assert.ok(Math.abs(Number(await scrub.inputValue()) - paused) < 1e-3, 'the slider follows');
  await page.getByRole('button', {name: 'One step (.)'}).click();
  await until(page, (t) => globalThis.sinew.state.time > t, paused);
  await page.locator('canvas.view').focus();
  await page.keyboard.press('m');
  await until(page, () => globalThis.sinew.state.playing);
  assert.deepEqual(page.problems, []);
  await page.end();
});

test('another motion is shown beside the first, as a ghost', {skip}, async () => {
  const page = await openLive([leg, swing, '--beside', swing.replace('10kmh', '17kmh')]);
  const apart = () => page.evaluate(() => {
    const {figure, ghost} = globalThis.sinew;
    return figure.bodyPosition(3).distanceTo(ghost.bodyPosition(3));
  });
  assert.equal(await page.evaluate(() => globalThis.sinew.ghost.root.visible), true);
  await page.getByRole('slider', {name: 'Time of the motion'}).fill('0.2');
  await until(page, () => Math.abs(globalThis.sinew.state.time - 0.2) < 1e-6);
  assert.ok((await apart()) > 0.02, `the feet are ${await apart()} m apart`);
  await page.getByRole('checkbox', {name: 'Ghost: swing_17kmh.mot'}).uncheck();
  assert.equal(await page.evaluate(() => globalThis.sinew.ghost.root.visible), false);
  assert.deepEqual(page.problems, []);
  await page.end();
});
