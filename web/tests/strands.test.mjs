// Strands in the picture: colours of tension, dashes that go with the material, marks of nodes, plots, hands that pull.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';

import {close, open, openLive, pixelsOfView, reportOf, screenOf, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

/** Rings of a strand as they are drawn: colour, material in dashes, and position, at a time. */
function ringsOf(page, strand, time) {
  return page.evaluate(([strand, time]) => {
    const {figure, timeline} = globalThis.sinew;
    timeline.seek(time);
    const {tubes} = figure.strands;
    const {first, count, sides} = tubes.ringsOf(strand);
    const at = (name, ring, size) => Array.from(tubes.geometry.getAttribute(name).array.slice(size * ring * sides, size * (ring * sides + 1)));
    // Without the rings of no size at the ends.
    return Array.from({length: count - 2}, (_, k) => ({
      color: at('color', first + 1 + k, 3), along: at('fibre', first + 1 + k, 2)[1], x: at('position', first + 1 + k, 3),
    }));
  }, [strand, time]);
}

test('colours show tension, grey what is slack, and a legend says how much', {skip}, async () => {
  const page = await open(reportOf('bungee'));
  const legend = page.locator('.strand-legend');
  assert.match(await legend.innerText(), /Tension \[N\]\s*0\s*\d.*\s*slack/);
  const high = await page.evaluate(() => globalThis.sinew.figure.strands.scale.high);
  const most = await page.evaluate(() => Math.max(...globalThis.sinew.runs[0].groups.find((g) => g.id === 'strand-tension').curves.flatMap((c) => [...c.values])));
  assert.ok(most > 0 && Math.abs(high - most) < 1e-6 * most, 'the scale ends at the largest tension of the run');
  const colors = await page.evaluate((high) => [0, 0.02, 0.25, 0.5, 0.75, 1].map((part) => globalThis.sinew.figure.strands.colorOf(part * high)), high);
  const [grey, ...taut] = colors;
  assert.ok(Math.max(...grey) - Math.min(...grey) < 0.06, 'slack is grey');
  const luminance = ([r, g, b]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2;
  for (let k = 0; k + 1 < taut.length; ++k) assert.ok(luminance(taut[k + 1]) > luminance(taut[k]) + 0.02, 'more tension is lighter, also to the colour-blind');
  for (const color of taut) assert.ok(Math.max(...color) - Math.min(...color) > 0.4, 'and never grey');
  // What is drawn: grey in free fall, coloured at the lowest point.
  const [first] = await ringsOf(page, 0, 0);
  const lowest = await page.evaluate(() => {
    const {x, curves} = globalThis.sinew.runs[0].groups.find((g) => g.id === 'strand-tension');
    return x.values[curves[0].values.indexOf(Math.max(...curves[0].values))];
  });
  const [last] = await ringsOf(page, 0, lowest);
  assert.ok(Math.max(...first.color) - Math.min(...first.color) < 0.06, `slack at the start: ${first.color}`);
  assert.ok(Math.max(...last.color) - Math.min(...last.color) > 0.4, `taut at ${lowest} s: ${last.color}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('dashes go with the material around pulleys', {skip}, async () => {
  const page = await open(reportOf('double-pulley'));
  const [start, end] = [await ringsOf(page, 0, 0), await ringsOf(page, 0, 0.8)];
  const period = (rings) => {
    let length = 0;
    for (let k = 1; k < rings.length; ++k) length += Math.hypot(...[0, 1, 2].map((a) => rings[k].x[a] - rings[k - 1].x[a]));
    return length / (rings.at(-1).along - rings[0].along);
  };
  // The rope does not stretch: dashes keep their length, and the ends theirs.
  assert.ok(Math.abs(period(start) / period(end) - 1) < 2e-3, `${period(start)} and ${period(end)} m`);
  assert.ok(Math.abs(start[0].along) < 1e-6 && Math.abs(end[0].along) < 1e-6);
  assert.ok(Math.abs(start.at(-1).along - end.at(-1).along) < 1e-3);
  // At the eye on the beam, which stays, material passes: twice as much as the load rises.
  const eye = (rings) => rings.find(({x}) => Math.abs(x[0] - 0.06) < 0.005 && Math.abs(x[1] - 0.35) < 1e-3).along;
  const rise = await page.evaluate(() => {
    const curve = globalThis.sinew.runs[0].curve('coordinates', 'load_joint_1');
    return curve.values.at(-1) - curve.values[0];
  });
  assert.ok(rise > 0.05);
  const passed = (eye(start) - eye(end)) * period(start);
  assert.ok(Math.abs(passed - 2 * rise) < 2e-3, `${passed} m passed, the load rose by ${rise} m`);
  // The picture shows them: it changes where the rope is, though the rope there does not move.
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a belt has whole dashes, and they run', {skip}, async () => {
  const page = await open(reportOf('belt-drive', '--until', '1'));
  const [start, later] = [await ringsOf(page, 0, 0.5), await ringsOf(page, 0, 0.6)];
  const around = start.at(-1).along - start[0].along;
  assert.ok(around > 5 && Math.abs(around - Math.round(around)) < 1e-4, `${around} dashes`);
  const {run, period} = await page.evaluate(() => {
    const curve = globalThis.sinew.runs[0].curve('strand-nodes', 'belt_run_u') ?? globalThis.sinew.runs[0].curve('strand-nodes', 'belt_run_x');
    const {length} = globalThis.sinew.runs[0].info.model.strands[0];
    const at = (time) => curve.values[curve.times.findIndex((t) => t >= time - 1e-6)];
    return {run: at(0.6) - at(0.5), period: length};
  });
  assert.ok(Math.abs(run) > 0.01);
  assert.ok(Math.abs((start[0].along - later[0].along) * (period / around) - run) < 2e-3, 'by what the belt runs');
  // Tensions before and behind a gripped wheel differ, and so do colours; between them they change along the rim.
  const colors = new Set(start.map(({color}) => color.map((v) => v.toFixed(3)).join()));
  assert.ok(colors.size > 5, `${colors.size} colours`);
  assert.match(await page.locator('.strand-legend').innerText(), /pushes/, 'this belt has no pretension');
  await page.close();
});

test('marks tell kinds of nodes apart, and can be selected', {skip}, async () => {
  const page = await open(reportOf('tube', '--until', '0.1'));
  const legend = await page.locator('.node-legend').innerText();
  assert.match(legend, /on a curve or surface/);
  assert.match(legend, /on a body/);
  assert.match(legend, /hollow: material flows through/);
  assert.doesNotMatch(legend, /free/);
  const marks = await page.evaluate(() => {
    const {nodes} = globalThis.sinew.figure;
    return nodes.nodes.map(({info}, k) => ({...info, texture: nodes.group.children[2 * k].material.map.uuid}));
  });
  assert.equal(marks.length, 10);
  const textures = (kind, material) => new Set(marks.filter((m) => (m.kind === 'rigid') === (kind === 'rigid') && m.material === material).map((m) => m.texture));
  assert.equal(textures('rigid', true).size, 1);
  assert.equal(new Set([...textures('rigid', true), ...textures('rigid', false), ...textures('polyline', true)]).size, 3, 'three marks');
  const index = marks.findIndex((m) => m.name === 'held_lumped');
  const {x, y} = await screenOf(page, 'node', index);
  await page.mouse.click(x, y);
  const shown = await page.locator('.inspector dl').innerText();
  assert.match(shown, /held_lumped/);
  assert.match(shown, /held, 0\.1782 m from the start/);
  // Without marks the same place shows the strand or the tube.
  const before = await pixelsOfView(page);
  await page.getByLabel('Nodes', {exact: true}).uncheck();
  assert.notDeepEqual(await pixelsOfView(page), before);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('tensions are plotted, a curve for each section or length', {skip}, async () => {
  const page = await open(reportOf('tube', '--until', '0.1'));
  const titles = await page.locator('.plot-card select').evaluateAll((all) => all.map((one) => one.selectedOptions[0].textContent));
  assert.ok(titles.includes('Tension of strands'), titles.join());
  const group = await page.evaluate(() => globalThis.sinew.runs[0].groups.find((g) => g.id === 'strand-tension').curves.map(({name, quantity}) => ({name, quantity})));
  assert.deepEqual(group, ['continuous_1', 'continuous_2', 'lumped_1', 'lumped_2'].map((name) => ({name, quantity: 'force'})));
  await page.close();
  const held = await open(reportOf('belt-drive', '--until', '0.1'));
  const names = await held.evaluate(() => globalThis.sinew.runs[0].groups.find((g) => g.id === 'strand-tension').curves.map((c) => c.name));
  assert.deepEqual(names, ['belt_1', 'belt_2', 'belt_3']);
  await held.close();
});

test('a hand pulls a node of a strand, and the scale of the live page grows', {skip}, async () => {
  const page = await openLive('bead-on-string');
  const where = () => page.evaluate(() => {
    const {nodes} = globalThis.sinew.figure;
    const k = nodes.nodes.findIndex(({info}) => info.name === 'bead');
    return {index: k, x: nodes.positionOf(k).toArray()};
  });
  const {index} = await where();
  const high = () => page.evaluate(() => globalThis.sinew.figure.strands.scale.high);
  assert.ok((await high()) > 0);
  await page.getByRole('button', {name: 'Run'}).click();
  await page.waitForFunction(() => globalThis.sinew.state.running);
  await page.evaluate((k) => globalThis.sinew.inspector.select({kind: 'node', index: k}, 0), index);
  await page.keyboard.press('p');
  for (let k = 0; k < 6; ++k) await page.keyboard.press('ArrowRight');
  // The string lets it no further than its ellipsoid: it hangs to the right of the middle, and the hand pulls it taut.
  await page.waitForFunction(() => {
    const {nodes} = globalThis.sinew.figure;
    return nodes.nodes.some(({info}, k) => info.name === 'bead' && nodes.positionOf(k).x > 0.03);
  });
  await page.waitForTimeout(2500);
  const {x} = await where();
  assert.ok(x[0] > 0.03, `the bead is at ${x}`);
  const reach = Math.hypot(x[0] - 0.1, x[1], x[2]) + Math.hypot(x[0] + 0.1, x[1], x[2]);
  assert.ok(Math.abs(reach - 0.3) < 1e-3, `the string is ${reach} m long`);
  await page.keyboard.press('p');
  assert.deepEqual(page.problems, []);
  await page.end();
});
