// Measures the speed of the live viewer: frames drawn per second while a model runs, and the time from the move of a
// slider to the picture that shows it. Usage: node bench_viewer.mjs PROGRAM MODEL... prints a table; fails if a target
// is missed.
import {cpus} from 'node:os';
import {basename} from 'node:path';

const [program, ...models] = process.argv.slice(2);
process.env.SINEW_PROGRAM = program;
const {close, openLive} = await import('./tests/browser.mjs');

const seconds = 5;
const moves = 30;
const targets = {rate: 30, softwareRate: 10, latency: 200};

/** Progress goes to stderr: stdout has only the table. */
const say = (what) => process.stderr.write(`${what}\n`);

/** Frames per second while it runs. */
async function rateOf(page) {
  await page.getByRole('button', {name: 'Run'}).click();
  await page.waitForFunction(() => globalThis.sinew.state.running);
  await page.waitForTimeout(500);
  const count = () => page.evaluate(() => [globalThis.sinew.stats.frames, performance.now(), globalThis.sinew.state.time]);
  const [before, t0, model0] = await count();
  // Wait until then, or until a failed run has stopped.
  await page.waitForFunction((end) => performance.now() > end || !globalThis.sinew.state.running, t0 + 1000 * seconds);
  const [after, t1, model1] = await count();
  const failure = await page.evaluate(() => globalThis.sinew.state.failure);
  if (failure) say(`stopped: ${failure}`);
  else await page.getByRole('button', {name: 'Pause'}).click();
  await page.waitForFunction(() => !globalThis.sinew.state.running);
  return {rate: (1000 * (after - before)) / (t1 - t0), factor: (1000 * (model1 - model0)) / (t1 - t0)};
}

/** Milliseconds from each move of a slider to the picture, and to the moment arms that follow it. */
async function latenciesOf(page) {
  await page.getByRole('button', {name: 'Back to the start (0)'}).click();
  await page.waitForTimeout(500);
  return page.evaluate(async (moves) => {
    const {sinew} = globalThis;
    // The last one that is free: in limbs, far from the root.
    const input = [...document.querySelectorAll('.slider-card .slider input[type=range]:not([disabled])')].filter((i) => sinew.runs[0].curve('coordinates', i.getAttribute('aria-label'))).at(-1);
    if (!input) throw new Error('no slider is free');
    const {latencies} = sinew.stats;
    const of = (what) => latencies.filter((l) => l.what === what).map((l) => l.milliseconds);
    const before = {set: of('set').length, arms: of('arms').length};
    for (let k = 0; k < moves; ++k) {
      const part = 0.4 + (0.2 * (k % 10)) / 10;
      input.value = String(Number(input.min) + part * (Number(input.max) - Number(input.min)));
      input.dispatchEvent(new Event('input'));
      const given = performance.now();
      while (of('set').length === before.set + k) {
        if (performance.now() - given > 20000) throw new Error(`no picture follows the slider of ${input.getAttribute('aria-label')}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    return {picture: of('set').slice(before.set), arms: of('arms').slice(before.arms)};
  }, moves);
}

function medianAndWorst(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const worst = sorted.at(-1) ?? Infinity;
  return {worst, text: `${(sorted[Math.floor(sorted.length / 2)] ?? Infinity).toFixed(0)}, ${worst.toFixed(0)}`};
}

async function measure(model) {
  const name = basename(model);
  say(`${name}: opening`);
  const page = await openLive(model, {viewport: {width: 1280, height: 900}});
  const renderer = await page.evaluate(() => {
    const gl = globalThis.sinew.view.renderer.getContext();
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    return info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : 'unknown';
  });
  const software = /SwiftShader|llvmpipe|software/i.test(renderer);
  say(`${name}: running`);
  const {rate, factor} = await rateOf(page);
  say(`${name}: moving a slider`);
  const latencies = await latenciesOf(page);
  await page.end();
  const [picture, arms] = [latencies.picture, latencies.arms].map(medianAndWorst);
  return {
    row: `| ${name} | ${rate.toFixed(1)} | ${factor.toFixed(2)} | ${picture.text} | ${arms.text} | ${software ? 'software' : renderer} |`,
    missed: rate < (software ? targets.softwareRate : targets.rate) || Math.max(picture.worst, arms.worst) > targets.latency,
  };
}

const results = [];
try {
  for (const model of models) results.push(await measure(model));
} finally {
  // Always end the browser and the viewer, even after an error.
  await close();
}
console.log(`${cpus().length} cores, ${cpus()[0]?.model ?? ''}\n`);
console.log('| model | frames/s | model time over real time | slider to picture: median, worst of 30 [ms] | to the moment arms [ms] | rendering |\n|---|---|---|---|---|---|');
console.log(results.map((r) => r.row).join('\n'));
console.log(`\nWanted: ${targets.rate} frames/s (${targets.softwareRate} in software), ${targets.latency} ms.`);
if (results.some((r) => r.missed)) process.exitCode = 1;
