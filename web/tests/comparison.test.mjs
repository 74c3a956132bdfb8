// Reports that compare: muscle mass on the bones and in the muscles; two runs.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, colorsOfView, folder, open, sinew, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/', import.meta.url));

test('the leg says at first sight that the ankle changes most', {skip}, async () => {
  const out = join(folder, 'leg');
  sinew('compare-inertia', `${leg}leg.osim`, `${leg}swing_19.1kmh.mot`, '--muscles', `${leg}muscles.csv`,
    '--segment', 'tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r', '--out', out, '--report');
  const page = await open(join(out, 'report.html'));
  assert.match(await page.locator('.answer').innerText(), /^Muscle mass mattered, most for ankle angle r: its peak moment changes by \+3\d/);
  assert.match(await page.locator('.verdict').innerText(), /For the other joints it did not/);
  const rows = await page.locator('.moments').first().locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 5, 'the joints; those of the pelvis are apart');
  assert.equal(await page.locator('.moments tbody tr').count(), 11);
  assert.match(rows[0], /^ankle angle r/);
  assert.match(rows[0], /soleus_r/);

  // The plots open with that joint: both curves, the difference, the muscles' shares.
  const cards = page.locator('.plot-card');
  assert.match(await cards.nth(0).locator('.u-legend').innerText(), /mass on the bones\s*mass in the muscles\s*difference/);
  assert.match(await cards.nth(1).locator('.u-legend').innerText(), /gasmed_r[\s\S]*soleus_r/);
  await page.getByRole('button', {name: 'knee angle r'}).click();
  assert.equal(await cards.nth(0).getByRole('combobox').inputValue(), 'moment-knee_angle_r');
  await page.getByLabel('Plots per body mass [N·m/kg]').check();
  await page.getByLabel('Plots in per cent of the motion').check();
  const chart = await page.evaluate(() => globalThis.sinew.plots[0].chart());
  assert.equal(chart.yLabel, 'N·m/kg');
  assert.equal(chart.xLabel, 'time [% of the motion]');
  assert.equal(Math.round(chart.x[chart.x.length - 1]), 100);

  // Four muscles carry mass, all six are drawn; bones without shapes are sticks.
  const counts = await page.evaluate(() => {
    const {model} = globalThis.sinew.runs[0].info;
    return [model.muscles.length, model.muscles.filter((m) => m.mass > 0).length, model.bodies.filter((b) => b.sticks.length > 0).length];
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
