// The page of an optimisation: what it found, what holds it, and the motion before and after.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {close, colorsOfView, folder, open, sinew, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

// A torque that is held by its limit, and a stop that the motion passes.
const task = {
  sinew_task: 1,
  model: 'redmax-diff-100',
  set: {'bodies.b2.joint.stops': {lower: 0, upper: 1, stiffness: 1e5}},
  run: {dt: 0.005, until: 0.5},
  parameters: [
    {type: 'control', control: 'motor1', scale: 1e5, lower: -1e4, upper: 1e4},
    {type: 'control', control: 'motor2', scale: 1e5},
  ],
  objectives: [{type: 'point', name: 'tip', body: 'b2', point: [0.05, 0, 0], target: [0.1, 0, -0.1]}],
};

/** The cells of a table's body, a list for each row. */
const cells = (table) =>
  table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.innerText)));
/** A number as the page writes it, to its digits. */
const shows = (text, value) => {
  const shown = Number(text.replace(/−/g, '-').replace(/[^-\d.e ]/g, '').split(' ')[0]);
  assert.ok(Math.abs(shown - value) <= 1e-2 * Math.abs(value), `${text} for ${value}`);
};

test('an optimisation shows objectives, limits, kinks, half the step and both motions', {skip}, async () => {
  const file = join(folder, 'held.json'), out = join(folder, 'held');
  writeFileSync(file, JSON.stringify(task));
  sinew('optimize', file, '--out', out, '--report');
  const found = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  const page = await open(join(out, 'report.html'));
  const card = page.getByRole('region', {name: 'Result of the optimisation'});
  const words = await card.innerText();
  assert.match(words, /held: [\s\S]* became /);
  assert.ok(words.includes(`${found.end} after ${found.iterations} iterations and ${found.evaluations} runs with gradients (l-bfgs)`), words);
  assert.ok(found.failed_runs === 0 || words.includes(`${found.failed_runs} runs failed and were backed away from.`));
  assert.match(words, /1 of 2 parameters are held by a limit\./);
  const half = words.match(/With half the step the objective is (\S+)\.\s/);
  shows(half[1], found.half_step.value);
  assert.equal(found.kinks.length, 1);
  assert.ok(words.includes(`passes where laws bend: force 'j2_1_stop' (${found.kinks[0].count}).`), words);

  const [objective] = await cells(card.getByRole('table', {name: 'The objective, before and after'}));
  assert.equal(objective[0], 'tip');
  shows(objective[1], found.first_objectives[0].value);
  shows(objective[2], found.objectives[0].value);
  shows(objective[4], found.objectives[0].miss);
  shows(objective[5], found.half_step.objectives[0].miss);
  const parameters = await cells(card.getByRole('table', {name: 'What changed'}));
  assert.deepEqual(parameters.map((row) => row[0]), ['motor1', 'motor2']);
  assert.deepEqual(parameters.map((row) => row.at(-1)), [`at its ${found.parameters[0].at} limit`, '']);
  parameters.forEach((row, k) => shows(row[2], found.parameters[k].value));
  const dots = await card.locator('svg.convergence circle').count();
  assert.ok(dots > 3 && dots <= found.evaluations, `${dots} runs in the curve`);

  // The best run is the figure, the first one its ghost; they end at different places.
  const ends = await page.evaluate(() => {
    const {figure, ghost, runs, timeline} = globalThis.sinew;
    timeline.seek(timeline.start + timeline.duration);
    return {runs: runs.length, best: figure.bodyPosition(1).toArray(), first: ghost.bodyPosition(1).toArray()};
  });
  assert.equal(ends.runs, 2);
  assert.ok(Math.hypot(...ends.best.map((x, k) => x - ends.first[k])) > 0.01);
  assert.ok((await colorsOfView(page)) > 20);
  assert.deepEqual(page.problems, []);
  await page.close();
});
