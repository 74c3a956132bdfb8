// Plots of the page: legends, what is shown at first, what is exported.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {close, folder, open, reportOf, sinew, unavailable} from './browser.mjs';

const skip = unavailable;
after(close);

const leg = fileURLToPath(new URL('../../models/leg/', import.meta.url));
const time = (page) => page.evaluate(() => globalThis.sinew.timeline.time);

/** Two runs of a knee with six muscles, the second as a ghost. */
function kneeTwice() {
  const [one, two, file] = ['knee', 'knee-weak', 'knees.html'].map((name) => join(folder, name));
  sinew('simulate', 'knee-spline', '--until', '0.2', '--out', one);
  sinew('simulate', 'knee-spline', '--until', '0.2', '--excitation', 'all=0.1', '--out', two);
  sinew('report', one, '--beside', two, '--out', file);
  return file;
}

/** The file that a button of a plot saves. */
async function saved(page, card, kind) {
  const [file] = await Promise.all([page.waitForEvent('download'), card.getByRole('button', {name: `.${kind}`}).click()]);
  return {name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8')};
}

/** Entries of a legend: name, whether its curve is shown, and its sample as the browser draws it. */
const entriesOf = (card) => card.locator('.entry').evaluateAll((entries) => entries.map((entry) => {
  const look = getComputedStyle(entry.querySelector('line, circle'));
  return {name: entry.textContent, shown: entry.getAttribute('aria-pressed') === 'true', stroke: look.stroke, dash: look.strokeDasharray};
}));

test('plots follow the time, set it, and can be chosen', {skip}, async () => {
  const page = await open(reportOf('wrap-pendulum', '--until', '2'));
  assert.equal(await page.locator('.plot canvas').count(), 3);
  const first = page.locator('.plot-card').first();
  assert.match(await first.locator('.curve-legend').innerText(), /shoulder\s*elbow/);
  const box = await first.locator('.u-over').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs((await time(page)) - 1) < 0.05, 'a click in the middle is the middle of the time');

  await first.getByRole('combobox').selectOption('arms-elbow');
  assert.match(await first.locator('.curve-legend').innerText(), /muscle/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('legends show dash and colour as plots do', {skip}, async () => {
  const page = await open(kneeTwice());
  const card = page.locator('.plot-card').first();
  const entries = await entriesOf(card);
  assert.deepEqual(entries.map((e) => e.name), ['knee_angle', 'ankle_angle', 'knee_angle, second run', 'ankle_angle, second run']);
  assert.deepEqual(entries.map((e) => e.dash), ['none', 'none', '6px, 4px', '6px, 4px']);
  assert.equal(entries[0].stroke, entries[2].stroke, 'the same coordinate has the same colour');
  assert.notEqual(entries[0].stroke, entries[1].stroke);
  const drawn = await page.evaluate(() => globalThis.sinew.plots[0].plot.series.slice(1).map((s) => ({stroke: s.stroke(), dash: s.dash})));
  assert.deepEqual(drawn.map((s) => s.dash), [undefined, undefined, [6, 4], [6, 4]].map((d) => d ?? undefined));
  const hex = (text) => `#${text.match(/\d+/g).map((v) => Number(v).toString(16).padStart(2, '0')).join('')}`;
  assert.deepEqual(entries.map((e) => hex(e.stroke)), drawn.map((s) => s.stroke));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('of a hundred curves those that vary most are shown; the others are a click away', {skip}, async () => {
  const page = await open(reportOf('whip', '--until', '0.3'));
  const card = page.locator('.plot-card').first();
  const entries = await entriesOf(card);
  assert.equal(entries.length, 101);
  assert.deepEqual(entries.map((e) => e.shown), entries.map((_, k) => k < 8));
  assert.equal(new Set(entries.slice(0, 32).map((e) => `${e.stroke} ${e.dash}`)).size, 32, 'no two look alike');
  const spreads = await page.evaluate((names) => {
    const {curves} = globalThis.sinew.runs[0].groups.find((g) => g.id === 'coordinates');
    return names.map((name) => {
      const values = curves.find((c) => c.name === name).values;
      return Math.max(...values) - Math.min(...values);
    });
  }, entries.map((e) => e.name));
  assert.ok(Math.min(...spreads.slice(0, 8)) >= Math.max(...spreads.slice(8)));

  // A hidden entry switches its curve on, and stays on in other colours.
  const shown = () => page.evaluate(() => globalThis.sinew.plots[0].shown().lines.map((l) => l.name));
  await card.locator('.entry').nth(10).click();
  assert.deepEqual(await shown(), [...entries.slice(0, 8), entries[10]].map((e) => e.name));
  await page.evaluate(() => globalThis.sinew.plots[0].refresh());
  assert.equal(await card.locator('.entry').nth(10).getAttribute('aria-pressed'), 'true');
  await card.getByText('77 more curves').click();
  await card.locator('.entry').nth(100).click();
  assert.equal((await shown()).at(-1), entries[100].name);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('hidden entries of a legend stay readable', {skip}, async () => {
  const path = reportOf('whip', '--until', '0.02');
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(path, {colorScheme});
    const ratio = await page.evaluate(() => {
      const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
      const light = (text) => text.match(/\d+/g).slice(0, 3).map((v, k) => [0.2126, 0.7152, 0.0722][k] * channel(Number(v))).reduce((a, b) => a + b);
      const entry = document.querySelector('.entry[aria-pressed=false]');
      for (let e = entry.querySelector('span'); e !== document.body; e = e.parentElement)
        if (getComputedStyle(e).opacity !== '1') return 0;
      const [a, b] = [light(getComputedStyle(entry).color), light(getComputedStyle(entry.closest('.card')).backgroundColor)].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    });
    assert.ok(ratio >= 4.5, `${colorScheme}: contrast ${ratio}`); // WCAG 2, level AA
    await page.close();
  }
});

test('legends are never cut', {skip}, async () => {
  const path = kneeTwice();
  for (const [width, height] of [[1400, 900], [1024, 768], [390, 844]]) {
    const page = await open(path, {viewport: {width, height}});
    const {count, cut} = await page.evaluate(() => {
      const cut = [];
      const entries = [...document.querySelectorAll('.entry, .plot-card header button')];
      for (const entry of entries) {
        const box = entry.getBoundingClientRect();
        for (let outer = entry.parentElement; outer !== document.body; outer = outer.parentElement) {
          const room = outer.getBoundingClientRect();
          const clips = outer.matches('.card, .plot') || getComputedStyle(outer).overflow !== 'visible';
          if (clips && (box.left < room.left - 1 || box.right > room.right + 1 || box.bottom > room.bottom + 1)) cut.push(entry.innerText);
        }
        if (box.width === 0 || box.right > innerWidth || entry.scrollWidth > entry.clientWidth + 1) cut.push(entry.innerText);
      }
      return {count: entries.length, cut};
    });
    assert.ok(count > 20);
    assert.deepEqual(cut, [], `${width} × ${height}`);
    await page.close();
  }
});

test('what is exported is what is shown', {skip}, async () => {
  const page = await open(kneeTwice());
  const card = page.locator('.plot-card').first();
  await card.getByRole('combobox').selectOption('muscle-activation');
  await card.getByRole('button', {name: 'soleus', exact: true}).click();
  await card.getByRole('button', {name: 'soleus, second run'}).click();
  // A drag zooms from a quarter to three quarters of the time.
  const box = await card.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + (3 * box.width) / 4, box.y + 60, {steps: 4});
  await page.mouse.up();
  const shown = await page.evaluate(() => {
    const {lines, x} = globalThis.sinew.plots[0].shown();
    const {min, max} = globalThis.sinew.plots[0].plot.scales.x;
    return {names: lines.map((l) => l.name), last: lines.map((l) => l.y.at(-1)), rows: x.length, from: x[0], to: x.at(-1), min, max};
  });
  assert.equal(shown.names.length, 10);
  assert.ok(!shown.names.some((name) => name.startsWith('soleus')));
  assert.ok(Math.abs(shown.min - 0.05) < 0.005 && Math.abs(shown.max - 0.15) < 0.005, 'zoomed');
  assert.ok(shown.from >= shown.min && shown.to <= shown.max);

  const csv = await saved(page, card, 'csv');
  assert.equal(csv.name, 'knee-spline-muscle-activation.csv');
  const rows = csv.text.trim().split('\n');
  const header = rows[0].replaceAll(', second', '; second').replaceAll('"', '').split(',').map((cell) => cell.replace('; ', ', '));
  assert.deepEqual(header, ['time [s]', ...shown.names.map((name) => `${name} [1]`)]);
  assert.equal(rows.length, shown.rows + 1);
  const last = rows.at(-1).split(',').map(Number);
  [shown.to, ...shown.last].forEach((v, k) => assert.ok(Math.abs(last[k] - v) <= 1e-6 * Math.abs(v), header[k]));

  const svg = await saved(page, card, 'svg');
  assert.equal(svg.name, 'knee-spline-muscle-activation.svg');
  const drawn = await page.evaluate((text) => {
    const holder = document.createElement('div');
    holder.innerHTML = text;
    document.body.append(holder);
    const picture = holder.querySelector('svg');
    const room = picture.getBoundingClientRect();
    const out = {
      errors: new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror').length,
      texts: [...picture.querySelectorAll('text')].map((t) => t.textContent),
      names: [...picture.querySelectorAll('.curve text')].map((t) => t.textContent),
      dashes: [...picture.querySelectorAll('.curve')].map((c) => [...c.querySelectorAll('polyline, path')].map((l) => l.getAttribute('stroke-dasharray'))),
      back: picture.querySelector('rect').getAttribute('fill'),
      outside: [...picture.querySelectorAll('text')].filter((t) => {
        const box = t.getBoundingClientRect();
        return box.left < room.left || box.right > room.right || box.top < room.top || box.bottom > room.bottom;
      }).map((t) => t.textContent),
    };
    holder.remove();
    return out;
  }, svg.text);
  assert.equal(drawn.errors, 0);
  assert.deepEqual(drawn.names, shown.names);
  assert.deepEqual(drawn.dashes, shown.names.map((name) => (name.endsWith('second run') ? ['6 4', '6 4'] : [null, null])), 'legend and curve');
  for (const text of ['Activation', 'time [s]', 'Activation [1]']) assert.ok(drawn.texts.includes(text), text);
  assert.equal(drawn.back, '#fff');
  assert.deepEqual(drawn.outside, [], 'nothing is cut');
  assert.ok(!/NaN|<image|<foreignObject/.test(svg.text));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('no plot shows zeros only, and each has one unit', {skip}, async () => {
  const inertia = join(folder, 'inertia');
  sinew('compare-inertia', `${leg}leg.osim`, `${leg}swing_10kmh.mot`, '--out', inertia, '--report');
  // Its muscle does not pull: no tension, no power.
  const pendulum = reportOf('wrap-pendulum', '--until', '0.5');
  for (const path of [join(inertia, 'report.html'), pendulum, reportOf('four-bar', '--until', '0.2')]) {
    const page = await open(path);
    const card = page.locator('.plot-card').first();
    const groups = await card.getByRole('combobox').locator('option').evaluateAll((options) => options.map((o) => o.value));
    assert.ok(groups.length > 2);
    if (path === pendulum) assert.ok(!groups.includes('muscle-tension'));
    for (const group of groups) {
      const chart = await page.evaluate((id) => {
        globalThis.sinew.plots[0].open(id);
        const {xLabel, yLabel, lines} = globalThis.sinew.plots[0].chart();
        return {xLabel, yLabel, units: [...new Set(lines.map((l) => l.unit))], largest: Math.max(...lines.flatMap((l) => Array.from(l.y, Math.abs)))};
      }, group);
      assert.ok(chart.largest > 0, `${group}: ${chart.largest}`);
      const zeros = await page.evaluate(() => globalThis.sinew.plots[0].shown().lines.filter((l) => l.y.every((v) => v === 0)).length);
      assert.equal(zeros, 0, `${group}: curves that stay at zero are switched off`);
      assert.equal(chart.units.length, 1, group);
      assert.match(chart.yLabel, /^.+ \[.+\]$/);
      assert.match(chart.xLabel, /^.+ \[.+\]$/);
    }
    assert.deepEqual(page.problems, []);
    await page.close();
  }
});
