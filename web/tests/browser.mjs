// Helpers shared by the tests of the page: reports made by the program, opened from the disk in Debian's Chromium.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {browserPath, launch} from './launch.mjs';

export const program = process.env.SINEW_PROGRAM ?? new URL('../../build/release/bin/sinew', import.meta.url).pathname;

/** The reason why the tests cannot run here; false if they can. In continuous integration they must. */
export const unavailable =
  browserPath || process.env.CI === 'true' ? false : 'Chromium is not installed (apt install chromium)';

export const folder = mkdtempSync(join(tmpdir(), 'sinew-report-'));
let browser;

export function sinew(...words) {
  return execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
}

/** Simulates a scene; returns the path of its report. */
export function reportOf(scene, ...options) {
  const out = join(folder, `${scene}-${Math.random().toString(36).slice(2)}`);
  sinew('simulate', scene, ...options, '--out', out, '--report');
  return join(out, 'report.html');
}

export const sizeOf = (path) => statSync(path).size;

/** Starts `sinew view`; returns its address and a function that ends it. */
export async function startViewer(...words) {
  const viewer = spawn(program, ['view', ...words, '--no-browser', '--json'], {stdio: ['ignore', 'pipe', 'inherit']});
  const ended = new Promise((resolve) => viewer.on('exit', resolve));
  const {address} = await new Promise((resolve, reject) => {
    let text = '';
    viewer.stdout.on('data', (data) => {
      text += data;
      if (text.includes('\n')) resolve(JSON.parse(text));
    });
    viewer.on('exit', (code) => reject(new Error(`sinew view ended with ${code}`)));
  });
  viewers.add(viewer);
  return {
    address,
    end: async () => {
      viewer.kill('SIGINT');
      viewers.delete(viewer);
      return ended;
    },
  };
}
const viewers = new Set();

/** The live page of a scene or model, or of the words of a command line. page.end() closes it and its viewer, which must end well. */
export async function openLive(model, options = {}) {
  const viewer = await startViewer(...[model].flat());
  const page = await openPage(viewer.address, new RegExp(`^(blob|data):|^${new URL(viewer.address).origin}/`), options);
  await page.waitForFunction(() => globalThis.sinew.stats.frames > 0, undefined, {timeout: 120000});
  page.end = async () => {
    await page.close();
    const code = await viewer.end();
    if (code !== 0) throw new Error(`sinew view ended with ${code}`);
  };
  return page;
}

export function open(path, options = {}) {
  return openPage(pathToFileURL(path).href, /^(file|blob|data):/, options);
}

async function openPage(address, allowed, options) {
  browser ??= await launch();
  const page = await browser.newPage({viewport: {width: 1440, height: 1000}, ...options});
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  // Software rendering lets the driver complain about speed when pixels are read back.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
      page.problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!allowed.test(request.url())) page.problems.push(`asks the network for ${request.url()}`);
  });
  // A busy machine draws slowly in software.
  page.setDefaultTimeout(120000);
  await page.goto(address, {timeout: 120000});
  await page.waitForFunction(() => globalThis.sinew !== undefined, undefined, {timeout: 120000});
  return page;
}

export async function close() {
  await browser?.close();
  for (const viewer of viewers) viewer.kill('SIGINT');
  rmSync(folder, {recursive: true, force: true});
}

/** Red, green, blue and opacity of the pixels of the picture, drawn anew and made this small. */
export function pixelsOfView(page, width = 160, height = 100) {
  return page.evaluate(([w, h]) => {
    const {view} = globalThis.sinew;
    view.draw();
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [w, h];
    const context = copy.getContext('2d');
    context.drawImage(view.canvas, 0, 0, w, h);
    return Array.from(context.getImageData(0, 0, w, h).data);
  }, [width, height]);
}

/** The number of colours of the picture: one if nothing is drawn. */
export async function colorsOfView(page) {
  const data = await pixelsOfView(page);
  const colors = new Set();
  for (let k = 0; k < data.length; k += 4) colors.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
  return colors.size;
}

/** The place of something on the screen: the middle of the points that show it, away from edges that may move. */
export function screenOf(page, kind, index) {
  return page.evaluate(([kind, index]) => {
    const {view} = globalThis.sinew;
    const box = view.canvas.getBoundingClientRect();
    const hits = [];
    for (let y = box.top + 4; y < box.bottom; y += 7)
      for (let x = box.left + 4; x < box.right; x += 7) {
        const item = view.pick(x, y);
        if (item?.kind === kind && item.index === index && document.elementFromPoint(x, y) === view.canvas) hits.push({x, y});
      }
    if (hits.length > 0) return hits[Math.floor(hits.length / 2)];
    return {x: NaN, y: NaN};
  }, [kind, index]);
}

/** The part of the picture that the bodies take, from 0 to 1: by the corners of their boxes on the screen. */
export function filled(page) {
  return page.evaluate(() => {
    const {figure, view} = globalThis.sinew;
    view.draw();
    let [left, right, bottom, top] = [1, -1, 1, -1];
    figure.root.updateMatrixWorld(true);
    figure.root.traverse((object) => {
      if (object.userData.kind !== 'body') return;
      const position = object.geometry.getAttribute('position');
      for (let member = 0; member < (object.count ?? 1); ++member) {
        const place = object.matrixWorld.clone();
        if (object.isInstancedMesh) object.getMatrixAt(member, place);
        for (let k = 0; k < position.count; ++k) {
          const p = object.position.clone().fromBufferAttribute(position, k).applyMatrix4(place).project(view.camera);
          [left, right, bottom, top] = [Math.min(left, p.x), Math.max(right, p.x), Math.min(bottom, p.y), Math.max(top, p.y)];
        }
      }
    });
    return {width: (right - left) / 2, height: (top - bottom) / 2};
  });
}

/** The part of the picture that everything which casts a shadow takes in the view of the present moment, and how far
 * it reaches beyond the edge. */
export function framed(page) {
  return page.evaluate(() => {
    const {figure, timeline, view} = globalThis.sinew;
    timeline.seek(timeline.start + 0.4 * timeline.duration);
    view.home(true);
    view.draw();
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    figure.root.updateMatrixWorld(true);
    figure.root.traverse((object) => {
      if (!object.castShadow || !object.visible) return;
      const position = object.geometry.getAttribute('position');
      const {index, drawRange} = object.geometry;
      const corners = Math.min(index ? index.count : position.count, drawRange.count);
      for (let member = 0; member < (object.count ?? 1); ++member) {
        const place = object.matrixWorld.clone();
        if (object.isInstancedMesh) object.getMatrixAt(member, place);
        for (let k = 0; k < corners; ++k) {
          const p = object.position.clone().fromBufferAttribute(position, index ? index.getX(k) : k).applyMatrix4(place).project(view.camera);
          [left, right, bottom, top] = [Math.min(left, p.x), Math.max(right, p.x), Math.min(bottom, p.y), Math.max(top, p.y)];
        }
      }
    });
    return {width: (right - left) / 2, height: (top - bottom) / 2, outside: Math.max(-1 - left, right - 1, -1 - bottom, top - 1)};
  });
}
