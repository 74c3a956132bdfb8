// Every scene and model as a picture, with its report: writes OUT/index.html.
// Usage: node gallery.mjs PROGRAM OUT [--docs FOLDER] [NAME...]
// With --docs the pictures and a page of them go there, too, small enough to be kept with the sources; with names, those
// of the others stay as they are.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {launch} from './tests/launch.mjs';

const [program, out] = process.argv.slice(2, 4).map((path) => resolve(path));
const rest = process.argv.slice(4);
const at = rest.indexOf('--docs');
const docs = at < 0 ? null : rest.splice(at, 2)[1];
const root = fileURLToPath(new URL('..', import.meta.url));
const sinew = (...words) => execFileSync(program, words, {cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26});

/** An entry: a name, a line about it, the command without its --out. */
const scenes = JSON.parse(sinew('scenes', '--json')).scenes.map(({name, title}) => ({name, title, words: ['simulate', name]}));
const leg = 'models/leg/leg.osim';
const models = [
  {
    name: 'leg-kick', title: 'A leg as an OpenSim model: the quadriceps pulls',
    words: ['simulate', leg, '--until', '0.4', '--excitation', 'all=0.02', '--excitation', 'recfem_r=1', '--initial', 'knee_angle_r=-1.4'],
  },
  {name: 'leg-moments', title: 'Moments of a leg that swings at 19.1 km/h', words: ['id', leg, 'models/leg/swing_19.1kmh.mot']},
  {
    name: 'leg-muscles', title: 'Muscles, fibres and tendons of that leg, a third of them active',
    words: ['muscles', leg, 'models/leg/swing_19.1kmh.mot', '--activation', '0.33'],
  },
  {
    name: 'leg-inertia', title: 'Does muscle mass matter to a leg that swings?',
    words: ['compare-inertia', leg, 'models/leg/swing_19.1kmh.mot', '--muscle-mass', 'models/leg/muscles.csv',
      '--segment', 'tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r'],
  },
];
const all = [...models, ...scenes];
const entries = all.filter(({name}) => rest.length === 0 || rest.includes(name));
if (entries.length === 0) throw new Error(`nothing of these: ${rest.join(', ')}`);
mkdirSync(out, {recursive: true});

/** The picture at two fifths of the motion, when most motions are under way: large, and small for the sources. */
async function pictures(browser, report) {
  const page = await browser.newPage({viewport: {width: 1100, height: 800}, colorScheme: 'light'});
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(pathToFileURL(report).href, {timeout: 120000});
  await page.waitForFunction(() => globalThis.sinew !== undefined, undefined, {timeout: 120000});
  const texts = await page.evaluate(async () => {
    const {timeline, view} = globalThis.sinew;
    const canvas = view.canvas;
    Object.assign(canvas.parentElement.style, {width: '640px', height: '420px'});
    view.resize();
    timeline.seek(timeline.start + 0.4 * timeline.duration);
    // Of this moment alone: the whole motion may need more space.
    view.home(true);
    const text = async (blob) => btoa(new Uint8Array(await blob.arrayBuffer()).reduce((t, byte) => t + String.fromCharCode(byte), ''));
    const large = await text(await view.picture());
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [480, 315];
    const context = copy.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.fillStyle = getComputedStyle(document.body).backgroundColor;  // JPEG knows no transparency
    context.fillRect(0, 0, 480, 315);
    context.drawImage(canvas, 0, 0, 480, 315);
    const small = await new Promise((resolve) => copy.toBlob(resolve, 'image/jpeg', 0.82));
    return [large, await text(small)];
  });
  await page.close();
  if (problems.length > 0) throw new Error(`${report}: ${problems.join('; ')}`);
  return texts.map((text) => Buffer.from(text, 'base64'));
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const typed = (words) => words.map((word) => (/^[\w.,:=/-]+$/.test(word) ? word : `'${word}'`)).join(' ');

/** The outcome of the run, in words. */
function verdict(record) {
  if (!record.audit) return 'no simulation: computed along a motion';
  const {passed, verdict: text, energy_error: error} = record.audit;
  return `${record.integrator}, ${record.time} s; audit ${passed ? 'passed' : `failed: ${text}`}, energy error ${error.toExponential(1)}`;
}

const browser = await launch();
const cards = [];
const rows = [];
for (const {name, title, words} of entries) {
  const folder = join(out, name);
  const record = JSON.parse(sinew(...words, '--out', folder, '--report', '--json'));
  const [large, small] = await pictures(browser, join(folder, 'report.html'));
  writeFileSync(join(out, `${name}.png`), large);
  const [command, result] = [`sinew ${typed(words)} --out out/${name} --report`, verdict(record)];
  console.log(`${name}: ${record.audit && !record.audit.passed ? `AUDIT FAILED: ${record.audit.verdict}` : 'ok'}`);
  cards.push(`<figure><a href="${name}/report.html"><img src="${name}.png" alt="${escape(title)}" loading="lazy"></a>
<figcaption><strong>${escape(title)}</strong><br><code>${escape(command)}</code><br>${escape(result)}</figcaption></figure>`);
  rows.push({name, title, command, result, small});
}
await browser.close();
writeFileSync(join(out, 'index.html'), `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Scenes of Sinew</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, 'DejaVu Sans', sans-serif; margin: 20px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 20px; }
figure { margin: 0; } img { width: 100%; border-radius: 8px; display: block; } code { font-size: 12px; }
</style></head><body><h1>Scenes of Sinew</h1><main>
${cards.join('\n')}
</main></body></html>
`);
console.log(join(out, 'index.html'));

if (docs) {
  mkdirSync(docs, {recursive: true});
  // Also remove those of deleted scenes, when all are drawn.
  if (rest.length === 0) for (const file of readdirSync(docs)) if (file.endsWith('.jpg')) rmSync(join(docs, file));
  for (const {name, small} of rows) writeFileSync(join(docs, `${name}.jpg`), small);
  const cell = ({name, title, command, result}) => `<td width="33%" valign="top"><img src="${name}.jpg" alt="${escape(title)}"><br><b>${escape(title)}</b><br><code>${escape(command)}</code><br>${escape(result)}</td>`;
  const page = join(docs, 'README.md');
  const cells = new Map();
  if (rest.length > 0 && existsSync(page))
    for (const [text, name] of readFileSync(page, 'utf8').matchAll(/<td[^>]*><img src="([^"]+)\.jpg".*?<\/td>/g)) cells.set(name, text);
  for (const row of rows) cells.set(row.name, cell(row));
  const shown = all.flatMap(({name}) => cells.get(name) ?? []);
  const lines = [];
  for (let k = 0; k < shown.length; k += 3) lines.push(`<tr>\n${shown.slice(k, k + 3).join('\n')}\n</tr>`);
  writeFileSync(page, `# Gallery

Every scene and model as \`make gallery\` draws it, at two fifths of its motion; the commands leave a report behind, which plays. Written by \`make gallery-docs\`.

<table>
${lines.join('\n')}
</table>
`);
  const bytes = rows.reduce((sum, row) => sum + row.small.length, 0);
  console.log(`${page}: ${rows.length} pictures, ${(bytes / 1e6).toFixed(2)} MB, the largest ${Math.max(...rows.map((row) => row.small.length))} bytes`);
}
