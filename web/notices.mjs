// The licences of the packages inside the page. Bundlers keep only comments that are marked as legal, which not every
// package has, and those give the licence's name where the licence requires its text.
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Names of the packages of which esbuild has put at least one byte into its output. */
export function bundledPackages(metafile) {
  const names = new Set();
  for (const output of Object.values(metafile.outputs))
    for (const [file, {bytesInOutput}] of Object.entries(output.inputs)) {
      const match = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
      if (match && bytesInOutput > 0) names.add(match[1]);
    }
  return [...names].sort();
}

/** Name, version and licence of the package in a folder, safe in an HTML comment. */
export function noticeOf(folder) {
  const {name, version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((file) => join(folder, file)).find((path) => existsSync(path));
  if (!licence) throw new Error(`${name} has no file LICENSE: find its licence before it goes into the page`);
  const text = readFileSync(licence, 'utf8').trim();
  if (text.includes('--')) throw new Error(`${licence} contains "--", which an HTML comment cannot`);
  return `${name} ${version}\n\n${text}\n`;
}
