// Reports that compare: muscle mass on the bones and in the muscles; two runs.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, colorsOfView, folder, open, sinew, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/', import.meta.url));

test('the leg says at first sight for which joint it may matter, and beside what', {skip}, async () => {
  const out = join(folder, 'leg');
  sinew('compare-inertia', `${leg}leg.osim`, `${leg}swing_19.1kmh.mot`, '--muscles', `${leg}muscles.csv`,
    '--segment', 'tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r', '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.locator('.answer').innerText(), 'Muscle mass may matter for ankle_angle_r.');
  const words = await page.locator('.verdict').innerText();
  assert.match(words, /ankle_angle_r 36 % \(29 to 44 %; filter 30 %, segment inertias 10 %\)/);
  assert.match(words, /For the other 2 joints filter or segment inertias change the moment more/);
  assert.match(words, /12 rows within 0\.03 s of the ends/, 'doubts');
  assert.match(await page.locator('.verdict').innerText(), /2\.6 kg of .* was an input of this study/s, 'what the answer rests on');
  const rows = await page.locator('.moments').first().locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 5, 'the joints; those of the pelvis are apart');
  assert.equal(await page.locator('.moments tbody tr').count(), 16, 'verdicts, peaks, and those of the pelvis');
  assert.match(rows[0], /^ankle angle r[\s\S]*may matter/);
  assert.match(rows[4], /moment too small to judge/);
  assert.match(rows[0], /soleus_r/);

  // The plots open with that joint: both curves, the difference, the muscles' shares.
  const cards = page.locator('.plot-card');
  assert.match(await cards.nth(0).locator('.curve-legend').innerText(), /mass on the bones\s*mass in the muscles\s*difference/);
  assert.match(await cards.nth(1).locator('.curve-legend').innerText(), /gasmed_r[\s\S]*soleus_r/);
  await page.getByRole('button', {name: 'knee angle r'}).click();
  assert.equal(await cards.nth(0).getByRole('combobox').inputValue(), 'moment-knee_angle_r');
  await page.getByLabel('Plots per body mass [N·m/kg]').check();
  await page.getByLabel('Plots in per cent of the motion').check();
  const chart = await page.evaluate(() => globalThis.sinew.plots[0].chart());
  assert.equal(chart.yLabel, 'moment [N·m/kg]');
  assert.equal(chart.xLabel, 'time [% of the motion]');
  assert.equal(Math.round(chart.x[chart.x.length - 1]), 100);

  // Four muscles carry mass, all six are drawn; the leg has bones.
  const counts = await page.evaluate(() => {
    const {model} = globalThis.sinew.runs[0].info;
    return [model.muscles.length, model.muscles.filter((m) => m.mass > 0).length, model.bodies.filter((b) => b.shapes.some((shape) => shape.type === 'mesh')).length];
  });
  assert.deepEqual(counts.slice(0, 2), [6, 4]);
  assert.ok(counts[2] >= 3);
  assert.ok((await colorsOfView(page)) > 20);
  await page.getByRole('button', {name: 'Play'}).click();
  await page.waitForFunction(() => globalThis.sinew.timeline.time > 0.05);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a second run is drawn as a ghost, its curves dashed or subtracted', {skip}, async () => {
  const [moving, lumped, file] = ['moving', 'lumped', 'both.html'].map((name) => join(folder, name));
  sinew('simulate', 'wrap-pendulum', '--until', '2', '--out', moving);
  sinew('simulate', 'wrap-pendulum', '--until', '2', '--set', 'muscles.mass_model=lumped',
    '--set', 'muscles.lump_to=["upper", "lower"]', '--out', lumped);
  sinew('report', moving, '--beside', lumped, '--out', file);
  const page = await open(file);
  assert.match(await page.locator('.ghost-name').innerText(), /Second run: lumped/);
  await page.getByRole('slider', {name: 'Time'}).fill('2');
  const apart = await page.evaluate(() => {
    const {figure, ghost} = globalThis.sinew;
    return figure.bodyPosition(1).distanceTo(ghost.bodyPosition(1));
  });
  assert.ok(apart > 0.01, 'with the mass elsewhere the arm is elsewhere');
  const lines = () => page.evaluate(() => globalThis.sinew.plots[0].chart().lines.map((l) => l.name));
  assert.deepEqual(await lines(), ['shoulder', 'elbow', 'shoulder, second run', 'elbow, second run']);
  await page.getByLabel('Its curves').selectOption('difference');
  const ends = await page.evaluate(() => {
    const [run, other] = globalThis.sinew.runs;
    const last = (r) => r.curve('coordinates', 'elbow').values.at(-1);
    const line = globalThis.sinew.plots[0].chart().lines[3];
    return [line.y.at(-1), ((last(run) - last(other)) * 180) / Math.PI];
  });
  assert.ok(Math.abs(ends[0] - ends[1]) < 1e-3, `difference ${ends}`);
  await page.getByRole('checkbox', {name: 'Ghost'}).uncheck();
  assert.deepEqual(page.problems, []);
  await page.close();
});

/** Four swings of the hip and the knee, a second each, as a motion file. */
function swings() {
  const rows = Array.from({length: 401}, (_, k) => {
    const t = k / 100;
    return [t, 20 * Math.sin(2 * Math.PI * t), -30 + 25 * Math.cos(2 * Math.PI * t)].join('\t');
  });
  return `swings\nversion=1\nnRows=${rows.length}\nnColumns=3\ninDegrees=yes\nendheader\ntime\thip_flexion_r\tknee_angle_r\n${rows.join('\n')}\n`;
}

test('moments of a motion with cycles are shown per body mass and over the cycle', {skip}, async () => {
  const [motion, out] = ['swings.mot', 'moments'].map((name) => join(folder, name));
  writeFileSync(motion, swings());
  sinew('id', `${leg}leg.osim`, motion, '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.title(), 'Inverse dynamics: leg, swings – Sinew');
  assert.equal(await page.evaluate(() => globalThis.sinew.figure.muscles.drawn), 6);
  const first = page.locator('.plot-card').first();
  assert.equal(await first.getByRole('combobox').inputValue(), 'moments');
  await page.getByLabel('Plots per body mass [N·m/kg]').check();
  await page.getByLabel('Cycles').selectOption('hip_flexion_r');
  const chart = await page.evaluate(() => {
    const {yLabel, xLabel, x, lines} = globalThis.sinew.plots[0].chart();
    return {yLabel, xLabel, x: x.length, lines: lines.map(({name, y, deviation}) => ({name, peak: Math.max(...y), deviation: Math.max(...deviation)}))};
  });
  assert.equal(chart.yLabel, 'moment [N·m/kg]');
  assert.equal(chart.xLabel, 'cycle of hip_flexion_r [%]');
  assert.equal(chart.x, 101);
  const hip = chart.lines.find((line) => line.name === 'hip_flexion_r');
  assert.ok(hip.peak > 0.1 && hip.deviation < 0.02 * hip.peak, `the two cycles are alike: ${JSON.stringify(hip)}`);
  // The same numbers as in the table of the folder, at a quarter of the first whole cycle.
  const quarter = await page.evaluate(() => {
    const {plots, runs} = globalThis.sinew;
    const curve = runs[0].curve('moments', 'knee_angle_r');
    const k = curve.times.findIndex((t) => Math.abs(t - 1.25) < 1e-4);
    return [plots[0].chart().lines.find((l) => l.name === 'knee_angle_r').y[25], curve.values[k] / runs[0].info.model.mass];
  });
  assert.ok(Math.abs(quarter[0] - quarter[1]) < 1e-3, `${quarter}`);
  for (const [kind, pattern] of [['csv', /^cycle of hip_flexion_r \[%\],[\s\S]*standard deviation \[N·m\/kg\]/], ['svg', /<polygon[\s\S]*<polyline/]]) {
    const [file] = await Promise.all([page.waitForEvent('download'), first.getByRole('button', {name: `.${kind}`}).click()]);
    assert.match(readFileSync(await file.path(), 'utf8'), pattern);
  }
  await first.getByRole('combobox').selectOption('joint-power');
  assert.equal(await page.evaluate(() => globalThis.sinew.plots[0].chart().yLabel), 'power [W]');
  await first.getByRole('combobox').selectOption('arms-knee_angle_r');
  assert.match(await page.evaluate(() => globalThis.sinew.plots[0].chart().xLabel), /^knee_angle_r \[°\]/);
  assert.deepEqual(page.problems, []);
  await page.close();
});
