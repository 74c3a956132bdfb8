// The picture in three dimensions: flesh, colours, light, what is shown and how it is framed.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, folder, framed, open, pixelsOfView, reportOf, sinew, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/', import.meta.url));
function legReport() {
  const out = join(folder, `leg-${Math.random().toString(36).slice(2)}`);
  sinew('simulate', `${leg}leg.osim`, '--until', '0.3', '--excitation', 'all=0.05', '--excitation', 'soleus_r=0.9', '--initial', 'knee_angle_r=-1.2', '--out', out, '--report');
  return join(out, 'report.html');
}

/** Volumes of all bellies over the volume that each has, at some times: from the drawn triangles, by the divergence
 * theorem. */
function volumes(page, times) {
  return page.evaluate((times) => {
    const {figure, timeline} = globalThis.sinew;
    const {muscles} = figure;
    const out = [];
    for (const part of times) {
      timeline.seek(timeline.start + part * timeline.duration);
      let mesh = null;
      muscles.group.traverse((object) => { if (object.geometry?.getAttribute('fibre')) mesh = object; });
      const {array} = mesh.geometry.getAttribute('position');
      figure.run.info.model.muscles.forEach((info, index) => {
        const {first, count, sides, volume} = muscles.bellyOf(index);
        const corner = (ring, side) => {
          const at = 3 * ((first + ring) * sides + (side % sides));
          return [array[at], array[at + 1], array[at + 2]];
        };
        const middle = (ring) => [0, 1, 2].map((axis) => Array.from({length: sides}, (_, k) => corner(ring, k)[axis]).reduce((a, b) => a + b) / sides);
        const origin = middle(0);
        const six = (...points) => {
          const [a, b, c] = points.map((p) => p.map((x, k) => x - origin[k]));
          return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
        };
        let sum = 0;
        for (let k = 0; k < sides; ++k) {
          for (let ring = 0; ring + 1 < count; ++ring) {
            const [a, b, c, d] = [corner(ring, k), corner(ring, k + 1), corner(ring + 1, k), corner(ring + 1, k + 1)];
            sum += six(a, b, c) + six(b, d, c);
          }
          sum += six(corner(0, k + 1), corner(0, k), middle(0)) + six(corner(count - 1, k), corner(count - 1, k + 1), middle(count - 1));
        }
        out.push({name: info.name, known: info.volume, ratio: Math.abs(sum) / 6 / volume, wanted: volume});
      });
    }
    return out;
  }, times);
}

test('a belly has the volume of its muscle, at every length', {skip}, async () => {
  for (const path of [legReport(), reportOf('arm', '--until', '1'), reportOf('wrap-pendulum', '--until', '3')]) {
    const page = await open(path);
    const all = await volumes(page, [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.ok(all.length >= 6);
    for (const {name, known, ratio, wanted} of all) {
      assert.ok(known > 0 && Math.abs(wanted / known - 1) < 1e-9, `${name} has a volume`);
      assert.ok(Math.abs(ratio - 1) < 0.01, `${name} is drawn with ${ratio} of its volume`);
    }
    // The same with the few triangles of a slow motion.
    await page.evaluate(() => globalThis.sinew.figure.setDetail('coarse'));
    for (const {name, ratio} of await volumes(page, [0.3, 0.9])) assert.ok(Math.abs(ratio - 1) < 0.01, `${name} is drawn with ${ratio} of its volume`);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test('muscles without mass have a belly by their strength', {skip}, async () => {
  const page = await open(legReport());
  const muscles = await page.evaluate(() => globalThis.sinew.runs[0].info.model.muscles);
  for (const {name, mass, volume, material, pennation} of muscles) {
    assert.equal(mass, 0);
    assert.ok(volume > 2e-5 && volume < 2e-3, `${name}: ${1e6 * volume} cm³`);
    assert.ok(material[0] > 0 && material[2] < 0 && material[3] === 1, `${name} has tendons of constant length`);
    assert.ok(pennation >= 0 && pennation < 0.8);
  }
  assert.ok(muscles.some(({pennation}) => pennation > 0.1));
  await page.close();
});

test('tubes end where paths end', {skip}, async () => {
  const page = await open(reportOf('arm', '--until', '0.5'));
  const worst = await page.evaluate(() => {
    const {figure, timeline, runs} = globalThis.sinew;
    timeline.seek(timeline.times[7]);
    let mesh = null;
    figure.muscles.group.traverse((object) => { if (object.geometry?.getAttribute('fibre')) mesh = object; });
    const {array} = mesh.geometry.getAttribute('position');
    const [run] = runs;
    const stride = run.points.length / run.times.length;
    let [offset, worst] = [7 * stride, 0];
    run.info.model.muscles.forEach((info, index) => {
      const {first, count, sides} = figure.muscles.tubes.ringsOf(index);
      // The rings of no size at both ends.
      for (const [ring, point] of [[first, 0], [first + count - 1, info.points - 1]]) {
        const [a, b] = [3 * ring * sides, offset + 3 * point];
        worst = Math.max(worst, Math.hypot(...[0, 1, 2].map((axis) => array[a + axis] - run.points[b + axis])));
      }
      offset += 3 * info.points;
    });
    return worst;
  });
  assert.ok(worst < 2e-4, `${worst} m from the bone`);
  await page.close();
});

test('activation goes from blue to red and tells 0 from 0.2; without it muscles are red', {skip}, async () => {
  const page = await open(legReport());
  assert.match(await page.locator('.legend').innerText(), /^Activation/);
  const colors = await page.evaluate(() => {
    const {figure} = globalThis.sinew;
    const {muscles} = figure;
    return [0, 0.05, 0.1, 0.2, 0.5, 1].map((value) => muscles.colorOf(value));
  });
  const [r, g, b] = [0, 1, 2];
  assert.ok(colors[0][b] > 2 * colors[0][r], 'blue at rest');
  assert.ok(colors[5][r] > 4 * colors[5][b], 'red when fully active');
  const apart = (x, y) => Math.hypot(x[r] - y[r], x[g] - y[g], x[b] - y[b]);
  for (let k = 0; k < 3; ++k) assert.ok(apart(colors[k], colors[k + 1]) > 0.07, `step ${k}: ${apart(colors[k], colors[k + 1])}`);
  assert.ok(apart(colors[0], colors[3]) > 0.35 * apart(colors[0], colors[5]));
  await page.close();
  const plain = await open(reportOf('wrap-pendulum', '--until', '0.5'));
  assert.equal(await plain.evaluate(() => globalThis.sinew.figure.muscles.colored), 'plain');
  assert.equal(await plain.locator('.legend').isVisible(), false);
  await plain.close();
});

test('wrap surfaces and markers are there, and off until asked for', {skip}, async () => {
  const page = await open(reportOf('wrap-surfaces', '--until', '0.2'));
  const visible = (layer) => page.evaluate((name) => globalThis.sinew.figure.visible(name), layer);
  assert.equal(await visible('surfaces'), false);
  // The mesh of a condyle is one of the five.
  const types = await page.evaluate(() => globalThis.sinew.runs[0].info.model.surfaces.map((s) => s.type));
  assert.ok(types.includes('mesh') && types.length >= 5, types.join());
  await page.getByRole('checkbox', {name: 'Wrap surfaces'}).check();
  assert.equal(await visible('surfaces'), true);
  assert.equal(await visible('markers'), false);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('wires of spline joints are drawn', {skip}, async () => {
  for (const [scene, curves] of [['flower-beads', 1], ['coastline', 3], ['letters-sliding', 14]]) {
    const page = await open(reportOf(scene, '--until', '0.5'));
    const wires = await page.evaluate(() => {
      let count = 0;
      globalThis.sinew.figure.root.traverse((object) => { if (object.isMesh && object.name === 'wire') ++count; });
      return count;
    });
    assert.equal(wires, curves, `${scene}: one wire for each curve, however many bodies slide on it`);
    const frames = await page.evaluate(() => {
      let count = 0;
      globalThis.sinew.figure.root.traverse((object) => { if (object.name === 'control frame') ++count; });
      return count;
    });
    assert.ok(frames >= 4 * curves, `${scene}: control frames of every curve`);
    const axes = await page.evaluate(() => {
      const counts = [];
      globalThis.sinew.figure.root.traverse((object) => {
        if (object.name === 'axes of turning') counts.push(object.geometry.getAttribute('position').count / 2);
      });
      return counts;
    });
    assert.equal(axes.length, curves, `${scene}: axes of every curve`);
    assert.ok(axes.every((count) => count >= 4), `${scene}: ${axes.join()} axes`);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test('the sun casts shadows on the ground', {skip}, async () => {
  const page = await open(reportOf('hand', '--until', '0.2'));
  const brightness = async (shadows) => {
    await page.evaluate((on) => (globalThis.sinew.view.stage.sun.castShadow = on), shadows);
    const data = await pixelsOfView(page, 200, 150);
    return data.reduce((sum, value, k) => sum + (k % 4 < 3 ? value : 0), 0) / (200 * 150 * 3);
  };
  const casting = await page.evaluate(() => {
    let count = 0;
    globalThis.sinew.figure.root.traverse((object) => { if (object.castShadow) ++count; });
    return count;
  });
  assert.ok(casting > 0);
  assert.ok((await brightness(true)) < (await brightness(false)) - 0.5, 'it is darker with shadows');
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the subject fills the picture and is inside of it', {skip}, async () => {
  for (const [scene, until] of [['arm', '0.5'], ['double-pendulum', '3'], ['whip', '0.3'], ['umbrella', '0.3'], ['starfish', '0.2'], ['redmax-10', '1']]) {
    const page = await open(reportOf(scene, '--until', until));
    const {width, height, outside} = await framed(page);
    assert.ok(Math.max(width, height) >= 0.55, `${scene}: ${width} × ${height}`);
    assert.ok(outside < 0.02, `${scene} is outside by ${outside}`);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});

test('places that touch are darker where a graphics card allows', {skip}, async () => {
  const page = await open(reportOf('hand', '--until', '0.1'), {viewport: {width: 800, height: 600}});
  const pixels = () => page.evaluate(() => {
    const {view} = globalThis.sinew;
    view.draw();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [400, 300];
    const context = copy.getContext('2d');
    context.drawImage(view.canvas, 0, 0, 400, 300);
    return [...context.getImageData(0, 0, 400, 300).data].filter((_, k) => k % 4 === 1);
  });
  const before = await pixels();
  await page.evaluate(() => globalThis.sinew.view.setOcclusion(true));
  const after = await pixels();
  const darker = before.filter((value, k) => after[k] < value - 8).length;
  assert.ok(darker > 100, `${darker} of ${before.length} pixels`);
  assert.ok(darker < 0.2 * before.length, `${darker} of ${before.length} pixels`);
  assert.deepEqual(page.problems, []);
  await page.close();
});
