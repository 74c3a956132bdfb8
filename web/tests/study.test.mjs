// The page of a study: its numbers are those of the table, its commands those of the program, its plots follow the mouse.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {close, folder, open, sinew, sizeOf, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

/** Computes a study; returns its folder, with a page in it. Some of its runs may fail. */
function studied(name, study) {
  const file = join(folder, `${name}.json`), out = join(folder, name);
  writeFileSync(file, JSON.stringify({sinew_study: 1, ...study}));
  try {
    sinew('sweep', file, '--out', out, '--report');
  } catch (error) {
    assert.ok([3, 4].includes(error.status), error.stderr);
  }
  return {file, out};
}

/** Rows of table.csv as objects; reasons may hold commas in quotes. */
function tableOf(out) {
  const [head, ...lines] = readFileSync(join(out, 'table.csv'), 'utf8').trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, ''));
    return Object.fromEntries(names.map((key, k) => [key, cells[k].startsWith('"') ? cells[k].slice(1, -1).replaceAll('""', '"') : cells[k]]));
  });
}
const recordOf = (out) => JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
const cells = (table) => table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.innerText)));
const number = (text) => Number(text.replaceAll('\u2060', '').replaceAll('−', '-').split(/\s/)[0]);
/** The next picture has been drawn. */
const drawn = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const picked = (page) => page.evaluate(() => globalThis.sinew.rows.pickedCount);
/** A place of a canvas on the screen. */
async function onScreen(locator, place) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  return {x: box.x + place.x, y: box.y + place.y};
}

const model = 'double-pendulum';
const angle = (state, low, high) => ({type: 'initial', state, uniform: [low, high]});
const mixed = {
  model, title: 'Runs <that> fail & pass', run: {until: 1}, design: {type: 'sobol', runs: 200, seed: 2},
  parameters: [
    {type: 'model', name: 'dt', path: 'simulation.dt', log_uniform: [1e-4, 0.06]},
    {type: 'model', name: 'x', path: 'bodies.upper.inertia.moments.0', uniform: [0.0032, 0.0048]},
    {type: 'model', name: 'y', path: 'bodies.upper.inertia.moments.1', uniform: [0.0032, 0.0048]},
    angle('elbow_angle/speed', -5, 5),
  ],
  results: [{output: 'shoulder_angle'}, {name: 'motion', output: 'energy/kinetic', measure: 'mean'}],
};
let fails;
before(() => {
  if (!skip) fails = studied('mixed', mixed);
});

test('a study shows how its runs ended, spreads, influences and every run', {skip}, async () => {
  const {out} = studied('saltelli', {
    model, run: {until: 0.05}, design: {type: 'saltelli', runs: 32},
    parameters: [angle('shoulder_angle', 1, 2), angle('elbow_angle', 0.5, 1)],
    results: [{name: 'end', output: 'shoulder_angle'}, {name: 'energy', output: 'energy/total', measure: 'peak'}],
  });
  const record = recordOf(out), rows = tableOf(out);
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.getByRole('heading', {level: 1}).innerText(), 'saltelli');
  assert.equal(await page.locator('.top .badge').innerText(), '128 passed');
  const card = page.getByRole('region', {name: 'Result energy'});
  assert.match(await card.innerText(), /energy \[J\][\s\S]*peak of energy\/total: mean [\s\S]* from 32 base points/);
  const table = await cells(card.getByRole('table', {name: 'Shares of the variance of energy'}));
  assert.equal(table.length, 2);
  const {parameters} = record.results.energy.indices;
  assert.ok(number(table[0][3]) >= number(table[1][3]), 'the first parameter matters most');
  for (const [name, , first, total] of table)
    for (const [text, index] of [[first, parameters[name].first], [total, parameters[name].total]]) {
      const found = text.replaceAll('−', '-').match(/-?\d+\.\d\d/g).map(Number);
      [index.value, index.lower, index.upper].forEach((value, k) => assert.ok(Math.abs(value - found[k]) <= 0.00501, `${text} for ${value}`));
    }
  // A whisker over each of two bars for each parameter.
  assert.equal(await card.locator('.share-bar').count(), 4);
  assert.equal(await card.locator('.share-range').count(), 4);
  const counts = await page.evaluate(() => globalThis.sinew.histograms.map((h) => h.counts().all.reduce((a, b) => a + b)));
  assert.deepEqual(counts, [128, 128, 128, 128], 'two results and two parameters');
  assert.equal(await page.locator('canvas.scatter').count(), 4);
  // A click on a point shows its run.
  const scatter = page.locator('canvas.scatter').nth(2);
  const place = await page.evaluate(() => ({...globalThis.sinew.scatters[2].placeOf(37), name: globalThis.sinew.scatters[2].against.name}));
  const at = await onScreen(scatter, place);
  await page.mouse.click(at.x, at.y);
  await drawn(page);
  const shown = await page.evaluate(() => globalThis.sinew.rows.selected);
  const same = (a, b, key) => Math.abs(Number(rows[a][key]) - Number(rows[b][key])) < 0.02;
  assert.ok(shown >= 0 && same(shown, 37, place.name) && same(shown, 37, 'energy'), `run ${shown} is not at that place`);
  const run = page.getByRole('region', {name: 'Run', exact: true});
  const values = Object.fromEntries([...await cells(run.getByRole('table', {name: 'Parameters of the run'})), ...await cells(run.getByRole('table', {name: 'Results of the run'}))]);
  for (const name of ['shoulder_angle', 'elbow_angle', 'end', 'energy'])
    assert.ok(Math.abs(number(values[name]) - Number(rows[shown][name])) <= 1e-5 * Math.abs(Number(rows[shown][name])), `${name} ${values[name]}`);
  assert.match(values.energy, / J$/);
  // So does its number; one that the table does not have is named.
  await run.getByLabel('Number of the run').fill('5');
  await run.getByLabel('Number of the run').press('Enter');
  await drawn(page);
  assert.equal(await page.evaluate(() => globalThis.sinew.rows.selected), 5);
  await run.getByLabel('The next run').click();
  await drawn(page);
  assert.match(await run.innerText(), /sinew sweep \S+saltelli\.json --run 6/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// Numbers that programs write in different ways, and a path that a shell would take apart: it makes no model.
test('the commands of rows are those of the program to the letter', {skip}, async () => {
  const odd = ['1', '0.1', '1e-05', '0.0001', '1.5e-7', '5e-324', '1e15', '1e16', '123456789012345680', '1e22', '0.30000000000000004', '1.7976931348623157e308', '9007199254740993', '0.000123456789', '2.5e+20', '-0.0', '-1e-9', '-12.75'];
  writeFileSync(join(folder, 'points.csv'), `mass,start\n${odd.map((v) => `${v},${v}`).join('\n')}\n`);
  const {file, out} = studied('odd', {
    model, run: {until: 0.001, dt: 1e-5}, design: {type: 'list', file: 'points.csv'},
    parameters: [{type: 'model', name: 'mass', path: "bodies.upper's arm.mass"}, {type: 'initial', name: 'start', state: 'elbow_angle'}],
    results: [{output: 'shoulder_angle'}],
  });
  const page = await open(join(out, 'report.html'));
  const [commands, reasons, alone] = await page.evaluate(() => {
    const {rows} = globalThis.sinew;
    const all = Array.from({length: rows.count}, (_, row) => row);
    return [all.map((row) => rows.simulateCommand(row)), all.map((row) => rows.reasonOf(row)), all.map((row) => rows.sweepCommand(row))];
  });
  assert.equal(commands.length, odd.length);
  for (let k = 0; k < odd.length; ++k) {
    assert.equal(alone[k], `sinew sweep ${file} --run ${k}`);
    assert.ok(commands[k].includes("--set 'bodies.upper'\\''s arm.mass="), commands[k]);
    let text;
    try {
      text = sinew('sweep', file, '--run', String(k), '--json');
    } catch (error) {
      text = error.stdout; // the run failed: it has a command, too
    }
    const row = JSON.parse(text);
    assert.equal(commands[k], row.command);
    assert.equal(reasons[k], row.reason);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a range of an axis picks runs in all plots, until it is let go', {skip}, async () => {
  const rows = tableOf(fails.out);
  const page = await open(join(fails.out, 'report.html'));
  const axes = page.locator('canvas.axes');
  const drag = async (from, to) => {
    const [a, b] = [await onScreen(axes, from), await onScreen(axes, to)];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
    await page.mouse.move(b.x, b.y);
    await page.mouse.up();
    await drawn(page);
  };
  const place = (name, value) => page.evaluate(([name, value]) => globalThis.sinew.parallel.placeOf(name, value), [name, value]);
  const range = (name) => page.evaluate((name) => {
    const {rows} = globalThis.sinew;
    return rows.ranges.get(rows.columns.find((c) => c.name === name));
  }, name);
  const ended = (row) => ['passed', 'audit_failed'].includes(row.status);
  const pixels = () => page.evaluate(() => globalThis.sinew.scatters[0].canvas.toDataURL());
  const before = await pixels();
  await drag(await place('x', 0.0036), await place('x', 0.0044));
  const [low, high] = await range('x');
  assert.ok(Math.abs(low - 0.0036) < 2e-5 && Math.abs(high - 0.0044) < 2e-5, `${low} to ${high}`);
  const within = rows.filter((row) => row.x >= low && row.x <= high);
  assert.equal(await picked(page), within.length);
  assert.notEqual(await pixels(), before, 'what is outside fades');
  const inBins = await page.evaluate(() => globalThis.sinew.histograms[0].counts().picked.reduce((a, b) => a + b));
  assert.equal(inBins, within.filter(ended).length);
  // A second range narrows it; runs without that result are outside.
  await drag(await place('motion', 2), await place('motion', 2.2));
  const [least, most] = await range('motion');
  const both = within.filter((row) => ended(row) && Number(row.motion) >= least && Number(row.motion) <= most);
  assert.ok(both.length > 3 && both.length < within.length);
  assert.equal(await picked(page), both.length);
  assert.match(await page.getByRole('region', {name: 'All runs'}).innerText(), new RegExp(`${both.length} of 200 runs picked`));
  // A range that is there moves along its axis; a range up to the end of an axis holds the last run.
  await drag(await place('x', 0.004), {x: (await place('x', 0.004)).x, y: -20});
  const moved = await range('x');
  assert.ok(moved[1] >= Math.max(...rows.map((row) => Number(row.x))));
  // A click on the axis releases it, Escape all.
  const free = await onScreen(axes, await place('x', 0.0033));
  await page.mouse.click(free.x, free.y);
  await drawn(page);
  assert.equal(await range('x'), undefined);
  await page.keyboard.press('Escape');
  await drawn(page);
  assert.equal(await picked(page), 200);
  assert.equal(await pixels(), before);
  // A click on a line shows its run.
  const on = await page.evaluate(() => {
    const {parallel, rows} = globalThis.sinew, row = 11;
    const [a, b] = ['dt', 'x'].map((name) => parallel.placeOf(name, rows.columns.find((c) => c.name === name).values[row]));
    return {x: 0.6 * a.x + 0.4 * b.x, y: 0.6 * a.y + 0.4 * b.y};
  });
  const line = await onScreen(axes, on);
  await page.mouse.click(line.x, line.y);
  await drawn(page);
  assert.ok(await page.evaluate(([x, y]) => globalThis.sinew.rows.selected === globalThis.sinew.parallel.nearest(x, y), [on.x, on.y]));
  // Boxes of scatter plots and ranges of histograms pick, too.
  const box = await onScreen(page.locator('canvas.scatter').first(), {x: 60, y: 20});
  await page.mouse.move(box.x, box.y);
  await page.mouse.down();
  await page.mouse.move(box.x + 70, box.y + 60, {steps: 3});
  await page.mouse.up();
  await drawn(page);
  assert.equal(await page.evaluate(() => globalThis.sinew.rows.ranges.size), 2);
  await page.getByRole('button', {name: 'Pick all'}).click();
  const bars = await onScreen(page.locator('canvas.histogram').first(), {x: 30, y: 40});
  await page.mouse.move(bars.x, bars.y);
  await page.mouse.down();
  await page.mouse.move(bars.x + 60, bars.y, {steps: 3});
  await page.mouse.up();
  await drawn(page);
  const few = await picked(page);
  assert.ok(few > 0 && few < 200, `${few} picked`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('runs that did not pass are counted by reason, whatever its numbers', {skip}, async () => {
  const rows = tableOf(fails.out).filter((row) => row.status !== 'passed');
  const page = await open(join(fails.out, 'report.html'), {colorScheme: 'dark'});
  assert.equal(await page.getByRole('heading', {level: 1}).innerText(), mixed.title);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  const card = page.getByRole('region', {name: 'Runs that did not pass'});
  assert.match(await card.innerText(), new RegExp(`${rows.length} runs of 200 did not pass`));
  const table = await cells(card.getByRole('table'));
  const plain = (text) => text.replace(/(?<![\w.])[-+]?\d+(\.\d+)?(e[-+]?\d+)?/g, '…');
  const counts = new Map();
  for (const row of rows) {
    const key = `${row.status.replace('_', ' ')}|${plain(row.reason)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  assert.ok(counts.size >= 3 && counts.size < 12, `${counts.size} reasons`);
  assert.deepEqual(new Map(table.map(([status, reason, count]) => [`${status}|${reason}`, Number(count)])), counts);
  // Times of runs that failed, as numbers or ranges; the first run of each reason, word by word.
  for (const [status, reason, count, time, first] of table) {
    const of = rows.filter((row) => row.status.replace('_', ' ') === status && plain(row.reason) === reason);
    assert.ok(Math.abs(number(time) - Math.min(...of.map((row) => Number(row.time)))) < 1e-2);
    assert.equal(first, of[0].run);
    await card.getByRole('row').filter({hasText: reason}).filter({has: page.getByRole('rowheader', {name: status})}).first().getByRole('button', {name: count, exact: true}).first().click();
    await drawn(page);
    assert.equal(await picked(page), of.length);
    await page.keyboard.press('Escape');
  }
  const words = await page.evaluate(() => {
    const {rows} = globalThis.sinew;
    return Array.from({length: rows.count}, (_, row) => [String(rows.run[row]), rows.reasonOf(row)]).filter(([, text]) => text);
  });
  assert.deepEqual(words, rows.map((row) => [row.run, row.reason]));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a study of a task shows objectives and gradients', {skip}, async () => {
  const {file, out} = studied('task', {
    task: 'reach', design: {type: 'grid'}, parameters: [{type: 'task', unknown: 'elbow_motor', values: [1, 2, 3, 4]}],
    results: [{objective: 'total'}, {name: 'slope', gradient: 'elbow_motor'}, {output: 'elbow_flexion', measure: 'peak'}],
  });
  const page = await open(join(out, 'report.html'));
  assert.match(await page.locator('.top').innerText(), /4 runs of the task reach, grid design/);
  assert.match(await page.getByRole('region', {name: 'Result objective_total'}).innerText(), /objective total: mean/);
  assert.match(await page.getByRole('region', {name: 'Result slope'}).innerText(), /gradient by elbow_motor: mean/);
  assert.match(await page.getByRole('region', {name: 'Result peak_elbow_flexion'}).innerText(), /peak_elbow_flexion \[rad\]/);
  await page.getByLabel('The next run').click();
  await drawn(page);
  const run = page.getByRole('region', {name: 'Run', exact: true});
  assert.deepEqual(await run.locator('code').allInnerTexts(), [`sinew sweep ${file} --run 0`]);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a study of one run, of which a result is missing, has a page on a phone, too', {skip}, async () => {
  const {out} = studied('one', {
    model, run: {until: 0.01}, design: {type: 'random', runs: 1}, parameters: [angle('shoulder_angle', 1, 2)],
    results: [{name: 'end', output: 'shoulder_angle'}, {name: 'never', output: 'shoulder_angle', measure: 'time-of-crossing', level: 100}],
  });
  const page = await open(join(out, 'report.html'), {viewport: {width: 390, height: 800}});
  assert.match(await page.getByRole('region', {name: 'Result end'}).innerText(), /Too few runs to tell which parameter decides\./);
  assert.match(await page.getByRole('region', {name: 'Result never'}).innerText(), /No run came to its end with a value\./);
  assert.equal(await page.getByRole('region', {name: 'Runs that did not pass'}).count(), 0);
  assert.equal(await page.locator('canvas.scatter').count(), 1);
  await page.getByLabel('The next run').click();
  await drawn(page);
  assert.match(await page.getByRole('region', {name: 'Run', exact: true}).innerText(), /never\s+–/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a hundred thousand runs open within five seconds and follow the mouse', {skip}, async () => {
  const count = 100000;
  const {out} = studied('many', {
    model, run: {until: 0.001}, design: {type: 'random', runs: 20},
    parameters: ['shoulder_angle', 'elbow_angle', 'shoulder_angle/speed', 'elbow_angle/speed'].map((state) => angle(state, 1, 2)),
    results: [{name: 'end', output: 'shoulder_angle'}, {name: 'energy', output: 'energy/total'}],
  });
  // The table of as many runs, without computing them: the page does not know.
  const random = (run, k) => (Math.imul(run + 1, [2654435761, 40503, 2246822519, 3266489917][k]) >>> 0) / 2 ** 32;
  const lines = Array.from({length: count}, (_, run) => {
    const point = [0, 1, 2, 3].map((k) => 1 + random(run, k));
    const good = run % 50 > 0;
    return `${run},${point},${good ? 'passed' : 'failed'},${point[0] + 0.1 * point[1]},${point[1] * point[2]},${good ? 0.001 : 0.0001 * (run % 7)},${good ? '' : `no step at ${run / 1e6} s`}`;
  });
  const head = readFileSync(join(out, 'table.csv'), 'utf8').split('\n')[0];
  writeFileSync(join(out, 'table.csv'), `${head}\n${lines.join('\n')}\n`);
  sinew('report', out);
  const path = join(out, 'report.html');
  // Until a picture of it is there: drawing goes on after the scripts.
  const start = performance.now();
  const page = await open(path);
  await page.screenshot();
  const shown = performance.now() - start;
  const begin = performance.now();
  await page.evaluate(() => {
    const {rows} = globalThis.sinew;
    rows.dragging = true;
    rows.setRange(rows.columns[0], [1.2, 1.4]);
  });
  await page.screenshot();
  const brushed = performance.now() - begin;
  console.log(`${count} runs, ${(sizeOf(path) / 1e6).toFixed(1)} MB: shown in ${(shown / 1000).toFixed(2)} s, a range in ${(brushed / 1000).toFixed(2)} s`);
  assert.ok(shown < 5000, `shown in ${shown} ms`);
  assert.equal(await picked(page), lines.filter((line) => +line.split(',')[1] >= 1.2 && +line.split(',')[1] <= 1.4).length);
  assert.match(await page.getByRole('region', {name: 'Runs that did not pass'}).innerText(), /2,000 runs of 100,000 did not pass[\s\S]*no step at … s/);
  assert.match(await page.locator('.cards').innerText(), /The table has 100000 runs; means, deviations and influences are those of 20 runs/);
  assert.deepEqual(page.problems, []);
  await page.close();
});
