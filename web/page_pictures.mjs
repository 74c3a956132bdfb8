// Every kind of page, in light and dark colours, at 1400×900: small pictures for the docs.
// Usage: node page_pictures.mjs PROGRAM FOLDER
import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
process.env.SINEW_PROGRAM = program;
const {close, folder: scratch, open, openLive, reportOf, sinew} = await import('./tests/browser.mjs');

process.chdir(new URL('..', import.meta.url).pathname);
const leg = 'models/leg/leg.osim';
const motion = 'models/leg/swing_19.1kmh.mot';
mkdirSync(folder, {recursive: true});

/** The report of a command that studies a motion. */
function studyOf(...words) {
  const out = join(scratch, words[0]);
  sinew(...words, '--out', out, '--report');
  return join(out, 'report.html');
}

const inertia = ['--muscle-mass', 'models/leg/muscles.csv', '--segment', 'tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r'];
/** The report of a study of many runs. */
function sweepOf(study, ...words) {
  const out = join(scratch, study);
  sinew('sweep', study, ...words, '--out', out, '--report');
  return join(out, 'report.html');
}

const kinds = {
  report: [reportOf('wrap-pendulum', '--until', '4')],
  moments: [studyOf('id', leg, motion)],
  muscles: [studyOf('muscles', leg, motion, '--activation', '0.33')],
  inertia: [studyOf('compare-inertia', leg, motion, ...inertia)],
  study: [sweepOf('ankle-moment')],
  view: [leg, motion],
};
for (const [kind, words] of Object.entries(kinds)) {
  for (const colorScheme of ['light', 'dark']) {
    const options = {viewport: {width: 1400, height: 900}, deviceScaleFactor: 0.6, colorScheme};
    const page = kind === 'view' ? await openLive(words, options) : await open(words[0], options);
    await page.evaluate(() => {
      const {timeline, rows} = globalThis.sinew;
      if (rows) {
        rows.setRange(rows.columns[0], [0.6, 0.8]);
        rows.select(rows.picked.indexOf(1));
      }
      if (timeline) timeline.seek(timeline.start + 0.4 * timeline.duration);
    });
    await page.waitForTimeout(1500);
    await page.screenshot({path: join(folder, `page-${kind}-${colorScheme}.jpg`), type: 'jpeg', quality: 80});
    await (page.end ?? (() => page.close()))();
    console.log(`${kind}, ${colorScheme}: ok`);
  }
}
await close();
