// Reports of runs as readers use them: opened from the disk, played, scrubbed, clicked on.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, colorsOfView, filled, folder, open, program, reportOf, screenOf, sizeOf, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const time = (page) => page.evaluate(() => globalThis.sinew.timeline.time);

test('a pendulum plays, is scrubbed and steps by keys', {skip}, async () => {
  const page = await open(reportOf('double-pendulum', '--until', '3'));
  assert.equal(await page.title(), 'Planar double pendulum – Sinew');
  assert.match(await page.locator('.badge').innerText(), /Audit passed/);
  assert.equal(await page.evaluate(() => globalThis.sinew.runs[0].info.model.bodies.length), 2);
  assert.ok((await colorsOfView(page)) > 20, 'the picture is not blank');

  const where = () => page.evaluate(() => globalThis.sinew.figure.bodyPosition(1).toArray());
  const start = await where();
  await page.getByRole('button', {name: 'Play'}).click();
  await page.waitForFunction(() => globalThis.sinew.timeline.time > 0.2);
  const fineness = () => page.evaluate(() => globalThis.sinew.view.canvas.width / globalThis.sinew.view.canvas.clientWidth);
  assert.ok((await fineness()) < 1.1, 'software does not draw more than the screen shows while it moves');
  await page.getByRole('button', {name: 'Pause'}).click();
  assert.ok(Math.abs((await fineness()) - 2) < 0.1, 'and smooths edges at rest');
  assert.notDeepEqual(await where(), start, 'bodies move');

  await page.getByRole('slider', {name: 'Time'}).fill('1.5');
  assert.equal(await time(page), 1.5);
  assert.equal(await page.locator('.clock').innerText(), '1.50 s');
  await page.locator('canvas.view').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok((await time(page)) > 1.5 && (await time(page)) < 1.53, 'one frame on');
  await page.keyboard.press('End');
  assert.equal(await time(page), 3);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the last frame is the last state of the run', {skip}, async () => {
  const path = reportOf('double-pendulum', '--until', '1');
  const record = JSON.parse(readFileSync(path.replace('report.html', 'run.json'), 'utf8'));
  const page = await open(path);
  const shown = await page.evaluate(() => {
    const group = globalThis.sinew.runs[0].groups.find((g) => g.id === 'coordinates');
    return Object.fromEntries(group.curves.map((c) => [c.name, c.values[c.values.length - 1]]));
  });
  // 32-bit floats keep seven digits.
  for (const [name, value] of Object.entries(record.final)) assert.ok(Math.abs(shown[name] - value) < 1e-6);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a muscle around a cylinder is drawn as long as it is, and can be selected', {skip}, async () => {
  const path = reportOf('wrap-pendulum');
  assert.ok(sizeOf(path) < 5e6, 'ten seconds take less than 5 MB');
  const page = await open(path);
  assert.equal(await page.evaluate(() => globalThis.sinew.figure.muscles.drawn), 1);
  assert.equal(await page.evaluate(() => globalThis.sinew.runs[0].info.model.surfaces.length), 1);
  // The drawn line against the length that the run reports: arcs are drawn by ten chords.
  const worst = await page.evaluate(() => {
    const run = globalThis.sinew.runs[0];
    const n = run.info.model.muscles[0].points;
    let worst = 0;
    for (let f = 0; f < run.times.length; ++f) {
      let length = 0;
      for (let k = 1; k < n; ++k) {
        const at = 3 * (f * n + k);
        length += Math.hypot(...[0, 1, 2].map((a) => run.points[at + a] - run.points[at + a - 3]));
      }
      worst = Math.max(worst, Math.abs(length - run.length[f]) / run.length[f]);
    }
    return worst;
  });
  assert.ok(worst < 1e-3, `drawn lengths are right to ${worst}`);

  const {x, y} = await screenOf(page, 'muscle', 0);
  await page.mouse.click(x, y);
  const values = await page.locator('.inspector dl').innerText();
  assert.match(values, /Muscle\s+muscle\s+Mass\s+\d/);
  assert.match(values, /length\s+1\.034 m/);
  await page.getByLabel('Muscle colour').selectOption('strain');
  assert.match(await page.locator('.legend').innerText(), /Length change since the start \[%\]/);
  await page.getByLabel('Muscle colour').selectOption('kinetic');
  assert.match(await page.locator('.legend').innerText(), /Kinetic energy \[J\]/);
  await page.getByLabel('Muscle mass as').selectOption('beads');
  await page.getByRole('checkbox', {name: 'Wrap surfaces'}).check();
  assert.equal(await page.evaluate(() => globalThis.sinew.figure.visible('surfaces')), true);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('bodies that fall on the ground show the forces that stop them', {skip}, async () => {
  const page = await open(reportOf('thrown-shapes', '--until', '1'));
  const arrows = () => page.evaluate(() => {
    let seen = 0;
    globalThis.sinew.figure.root.traverse((o) => { if (o.name === 'force' && o.visible) ++seen; });
    return seen;
  });
  assert.equal(await arrows(), 0, 'in the air nothing pushes');
  await page.getByRole('slider', {name: 'Time'}).fill('1');
  assert.ok((await arrows()) > 0);
  assert.equal(await page.evaluate(() => globalThis.sinew.runs[0].info.model.ground.length), 1);
  assert.match(await page.locator('.cards').innerText(), /The model has no muscles\./);
  assert.ok((await colorsOfView(page)) > 20);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a hundred bodies fit into the picture', {skip}, async () => {
  const page = await open(reportOf('whip', '--until', '0.3'));
  assert.equal(await page.evaluate(() => globalThis.sinew.runs[0].info.model.bodies.length), 101);
  const {width, height} = await filled(page);
  assert.ok(Math.max(width, height) > 0.3 && Math.max(width, height) <= 1, `${width} × ${height}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('contacts of rigid surfaces are marked, and their forces have arrows', {skip}, async () => {
  const page = await open(reportOf('redmax-31', '--until', '1'));
  assert.equal(await page.evaluate(() => globalThis.sinew.figure.has('contacts')), true);
  assert.match(await page.locator('.cards').innerText(), /the arrow of a body is the sum of what touches it/);
  await page.evaluate(() => globalThis.sinew.timeline.seek(1));
  await page.waitForFunction(() => globalThis.sinew.figure.layers.get('forces')[0].children.some((a) => a.visible));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a picture is saved; recording holds one picture per frame', {skip}, async () => {
  const page = await open(reportOf('double-pendulum', '--until', '0.02'), {viewport: {width: 700, height: 600}});
  const save = async (name) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name}).click()]);
    return readFileSync(await file.path());
  };
  const png = await save('Save this picture as .png');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const tar = await save('Save a picture of every frame');
  const frames = await page.evaluate(() => globalThis.sinew.runs[0].times.length);
  const names = tar.toString('latin1').match(/double-pendulum-\d{5}\.png/g);
  assert.equal(names.length, frames);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('dark is chosen where the system is dark, and text keeps its contrast', {skip}, async () => {
  const path = reportOf('double-pendulum', '--until', '0.1');
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(path, {colorScheme});
    const ratio = await page.evaluate(() => {
      const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
      const light = (element, property) => {
        const [r, g, b] = getComputedStyle(element)[property].match(/\d+/g).map(Number);
        return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
      };
      const back = light(document.querySelector('.card'), 'backgroundColor');
      return [document.querySelector('thead th'), document.querySelector('.badge'), document.body].map((element) => {
        const own = getComputedStyle(element).backgroundColor === 'rgba(0, 0, 0, 0)' ? back : light(element, 'backgroundColor');
        const [a, b] = [light(element, 'color'), own].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
      });
    });
    // WCAG 2, level AA.
    for (const value of ratio) assert.ok(value >= 4.5, `${colorScheme}: contrast ${ratio}`);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    await page.close();
  }
});

test('the gallery has a picture, the command and the audit of a scene', {skip}, async () => {
  const out = join(folder, 'gallery');
  const gallery = fileURLToPath(new URL('../gallery.mjs', import.meta.url));
  execFileSync(process.execPath, [gallery, program, out, 'four-bar'], {stdio: 'ignore'});
  assert.equal(readFileSync(join(out, 'four-bar.png')).subarray(1, 4).toString(), 'PNG');
  const page = readFileSync(join(out, 'index.html'), 'utf8');
  assert.match(page, /Four-bar linkage[\s\S]*sinew simulate four-bar --out out\/four-bar --report[\s\S]*audit passed/);
});
