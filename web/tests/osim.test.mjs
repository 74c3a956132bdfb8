// Reports of runs of OpenSim models, and other things that move in the picture: meshes, routes, surfaces that deform.
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, colorsOfView, filled, folder, open, screenOf, sinew, sizeOf, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/', import.meta.url));
const driven = ['--excitation', 'all=0.05', '--excitation', 'soleus_r=0.7', '--initial', 'knee_angle_r=-1'];

/** A closed surface of 8 triangles. */
const octahedron = `v 0.05 0 0\nv -0.05 0 0\nv 0 0.1 0\nv 0 -0.3 0\nv 0 0 0.05\nv 0 0 -0.05
f 1 3 5\nf 5 3 2\nf 2 3 6\nf 6 3 1\nf 5 4 1\nf 2 4 5\nf 6 4 2\nf 1 4 6\n`;

test('a run of an OpenSim model shows its muscles along their routes, by activation', {skip}, async () => {
  const out = join(folder, 'leg-run');
  sinew('simulate', `${leg}leg.osim`, '--until', '0.5', ...driven, '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  const counts = await page.evaluate(() => {
    const {model} = globalThis.sinew.runs[0].info;
    return [model.bodies.length, model.muscles.length, model.surfaces.length, globalThis.sinew.figure.muscles.drawn];
  });
  assert.deepEqual(counts, [4, 6, 2, 6]);
  assert.match(await page.locator('.legend').innerText(), /^Activation/);
  assert.ok((await colorsOfView(page)) > 20);
  const {x, y} = await screenOf(page, 'muscle', 0);
  await page.mouse.click(x, y);
  assert.match(await page.locator('.inspector dl').innerText(), /Muscle\s+\w+_r[\s\S]*length[\s\S]*Activation/);
  for (const by of ['tension', 'strain']) {
    await page.getByLabel('Muscle colour').selectOption(by);
    assert.match(await page.locator('.legend').innerText(), by === 'tension' ? /Tension \[N\]/ : /Length change/);
  }
  await page.getByRole('checkbox', {name: 'Path points'}).check();
  assert.equal(await page.evaluate(() => globalThis.sinew.figure.visible('anchors')), true);
  const first = page.locator('.plot-card').first();
  await first.getByRole('combobox').selectOption('arms-knee_angle_r');
  assert.match(await first.locator('.curve-legend').innerText(), /gasmed_r/);
  await page.getByRole('button', {name: 'Play'}).click();
  await page.waitForFunction(() => globalThis.sinew.timeline.time > 0.05);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('an analysis of muscles along a motion has its curves, and values of the muscle that is chosen', {skip}, async () => {
  const out = join(folder, 'leg-muscles');
  sinew('muscles', `${leg}leg.osim`, `${leg}swing_10kmh.mot`, '--activation', '0.5', '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.locator('h1').innerText(), 'Muscles: leg, swing_10kmh');
  await page.getByLabel('Muscle colour').selectOption('tension');
  assert.match(await page.locator('.legend').innerText(), /Tension \[N\]/);
  const first = page.locator('.plot-card').first();
  await first.getByRole('combobox').selectOption('muscle-norm-fibre');
  assert.match(await first.locator('.curve-legend').innerText(), /soleus_r/);
  await page.getByRole('combobox', {name: 'Select an object'}).selectOption({label: 'soleus_r'});
  assert.match(await page.locator('.inspector dl').innerText(), /tension[\s\S]*N/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('meshes are drawn, missing ones named, and the model fills the picture', {skip}, async () => {
  const home = join(folder, 'meshes');
  mkdirSync(join(home, 'Geometry'), {recursive: true});
  writeFileSync(join(home, 'Geometry', 'bone.obj'), octahedron);
  const mesh = (file) => `<attached_geometry><Mesh><mesh_file>${file}</mesh_file></Mesh></attached_geometry>`;
  const text = readFileSync(`${leg}leg.osim`, 'utf8')
    .replace(/<(components|attached_geometry)>[\s\S]*?<\/\1>/g, '') // without its own bones
    .replace('<Body name="femur_r">', `<Body name="femur_r">${mesh('bone.obj')}`)
    .replace('<Body name="foot_r">', `<Body name="foot_r">${mesh('toes.vtp')}`);
  writeFileSync(join(home, 'leg.osim'), text);
  const out = join(home, 'out');
  sinew('simulate', join(home, 'leg.osim'), '--until', '0.1', '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  const drawn = await page.evaluate(() => {
    const {figure, runs} = globalThis.sinew;
    let triangles = 0;
    figure.root.traverse((o) => { if (o.userData.kind === 'body' && !o.isInstancedMesh && o.userData.pick().index === 1) triangles += o.geometry.index?.count / 3; });
    return [runs[0].info.model.bodies[1].shapes.length, triangles];
  });
  assert.deepEqual(drawn, [1, 8]);
  assert.match(await page.locator('.cards').innerText(), /not drawn: toes\.vtp/);
  const {width, height} = await filled(page);
  assert.ok(Math.max(width, height) > 0.75, `the model takes ${width} × ${height} of the picture`);
  assert.ok(Math.max(width, height) <= 1);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the camera goes along with a model that falls far', {skip}, async () => {
  const out = join(folder, 'fall');
  sinew('simulate', `${leg}leg.osim`, '--until', '3', '--dt', '0.01', '--out', out, '--report');
  assert.ok(sizeOf(join(out, 'report.html')) < 5e6);
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.getByRole('checkbox', {name: 'Follow'}).isChecked(), true);
  await page.getByRole('slider', {name: 'Time'}).fill('3');
  const [fallen, {width, height}] = [await page.evaluate(() => globalThis.sinew.figure.bodyPosition(0).y), await filled(page)];
  assert.ok(fallen < -40);
  assert.ok(width > 0.1 && height > 0.3 && height < 1, `it is in the picture: ${width} × ${height}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a surface that deforms changes with the time and can be selected', {skip}, async () => {
  // Put a flat sheet that rises in waves into the report of a pendulum.
  const out = join(folder, 'sheet');
  sinew('simulate', 'double-pendulum', '--until', '1', '--out', out, '--report');
  const text = readFileSync(join(out, 'report.html'), 'utf8');
  const between = (from, to) => {
    const begin = text.indexOf(from) + from.length;
    return [begin, text.indexOf(to, begin)];
  };
  const [h0, h1] = between('id="sinew-header">', '</script>');
  const [d0, d1] = between('id="sinew-data">', '</script>');
  const header = JSON.parse(text.slice(h0, h1));
  const bytes = Buffer.from(text.slice(d0, d1).trim(), 'base64');
  const run = header.runs[0];
  const [n, frames] = [12, run.frames.time.count];
  const triangles = [];
  for (let i = 0; i + 1 < n; ++i)
    for (let j = 0; j + 1 < n; ++j) triangles.push(i * n + j, i * n + j + 1, i * n + n + j, i * n + j + 1, i * n + n + j + 1, i * n + n + j);
  const vertices = new Uint16Array(3 * n * n * frames);
  for (let f = 0; f < frames; ++f)
    for (let k = 0; k < n * n; ++k) {
      const [x, z] = [(k % n) / (n - 1), Math.floor(k / n) / (n - 1)];
      const y = 0.5 + 0.1 * Math.sin(6 * x + (6 * f) / frames);
      [x, y, z].forEach((v, axis) => (vertices[3 * (f * n * n + k) + axis] = Math.round(v * 65535)));
    }
  const put = (array, more) => {
    const at = put.bytes.length;
    put.bytes = Buffer.concat([put.bytes, Buffer.from(array.buffer), Buffer.alloc((4 - (array.byteLength % 4)) % 4)]);
    return {type: 'u16', at, count: array.length, ...more};
  };
  put.bytes = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  run.model.deforming = [{name: 'sheet', vertices: n * n, triangles: put(Uint16Array.from(triangles))}];
  run.frames.deforming = [put(vertices, {low: 0, step: 1 / 65535})];
  const path = join(folder, 'sheet.html');
  writeFileSync(path, text.slice(0, h0) + JSON.stringify(header) + text.slice(h1, d0) + put.bytes.toString('base64') + text.slice(d1));

  const page = await open(path);
  const height = () => page.evaluate(() => globalThis.sinew.figure.deforming.meshes[0].geometry.getAttribute('position').getY(5));
  const start = await height();
  await page.getByRole('slider', {name: 'Time'}).fill('0.5');
  assert.ok(Math.abs((await height()) - (0.5 + 0.1 * Math.sin(6 * (5 / 11) + 3))) < 3e-3, 'as the frames say');
  assert.ok(Math.abs((await height()) - start) > 1e-3);
  const {x, y} = await screenOf(page, 'deforming', 0);
  await page.mouse.click(x, y);
  assert.match(await page.locator('.inspector dl').innerText(), /Deforming body\s+sheet\s+Vertices\s+144/);
  await page.getByRole('checkbox', {name: 'Deforming bodies'}).uncheck();
  assert.deepEqual(page.problems, []);
  await page.close();
});
