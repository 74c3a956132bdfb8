// Every scene as a picture, with its report: writes OUT/index.html. Usage: node gallery.mjs PROGRAM OUT [SCENE...]
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {launch} from './tests/launch.mjs';

const [program, out, ...wanted] = process.argv.slice(2);
const sinew = (...words) => execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26});
const scenes = JSON.parse(sinew('scenes', '--json')).scenes.filter((scene) => wanted.length === 0 || wanted.includes(scene.name));
if (scenes.length === 0) throw new Error(`no scene of these: ${wanted.join(', ')}`);
mkdirSync(out, {recursive: true});

/** The picture at two fifths of the motion, when most things are under way. */
async function picture(browser, report, file) {
  const page = await browser.newPage({viewport: {width: 1100, height: 800}, colorScheme: 'light'});
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(pathToFileURL(report).href, {timeout: 120000});
  await page.waitForFunction(() => globalThis.sinew !== undefined, undefined, {timeout: 120000});
  const png = await page.evaluate(async () => {
    const {timeline, view} = globalThis.sinew;
    view.canvas.parentElement.style.height = '420px';
    view.resize();
    timeline.seek(timeline.start + 0.4 * timeline.duration);
    const bytes = new Uint8Array(await (await view.picture()).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  });
  await page.close();
  if (problems.length > 0) throw new Error(`${report}: ${problems.join('; ')}`);
  writeFileSync(file, Buffer.from(png, 'base64'));
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const browser = await launch();
const entries = [];
for (const {name, title} of scenes) {
  const folder = join(out, name);
  const record = JSON.parse(sinew('simulate', name, '--out', folder, '--report', '--json'));
  await picture(browser, join(folder, 'report.html'), join(out, `${name}.png`));
  const {passed, verdict, energy_error: error} = record.audit;
  console.log(`${name}: ${passed ? 'passed' : `AUDIT FAILED: ${verdict}`}`);
  entries.push(`<figure><a href="${name}/report.html"><img src="${name}.png" alt="${escape(title)}" loading="lazy"></a>
<figcaption><strong>${escape(title)}</strong><br><code>sinew simulate ${name} --out out/${name} --report</code><br>
${record.integrator}, ${record.time} s; audit ${passed ? 'passed' : `<em>failed: ${escape(verdict)}</em>`}, energy error ${error.toExponential(1)}</figcaption></figure>`);
}
await browser.close();
writeFileSync(join(out, 'index.html'), `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Scenes of Sinew</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, 'DejaVu Sans', sans-serif; margin: 20px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 20px; }
figure { margin: 0; } img { width: 100%; border-radius: 8px; display: block; } code { font-size: 12px; } em { color: #c33; }
</style></head><body><h1>Scenes of Sinew</h1><main>
${entries.join('\n')}
</main></body></html>
`);
console.log(join(out, 'index.html'));
