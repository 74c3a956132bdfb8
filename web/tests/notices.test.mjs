// The page carries the licence texts of everything that is bundled into it. Needs neither browser nor program.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {bundledPackages, noticeOf} from '../notices.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const {dependencies} = JSON.parse(readFileSync(join(web, 'package.json'), 'utf8'));

function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'sinew-notices-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, {recursive: true});
  }
}

test('the page has name, version and licence of every package inside it', () => {
  const page = inFolder((folder) => {
    const file = join(folder, 'report.html');
    execFileSync('node', [join(web, 'build.mjs'), file]);
    return readFileSync(file, 'utf8');
  });
  const comment = page.slice(page.indexOf('<!--'), page.indexOf('-->'));
  // Browsers look for the encoding in the first 1024 bytes only.
  assert.ok(Buffer.from(page).subarray(0, 1024).includes('<meta charset="utf-8">'));
  assert.ok(comment.includes('Apache License'));
  for (const [name, version] of Object.entries(dependencies)) {
    assert.ok(comment.includes(`${name} ${version}\n`), name);
    const licence = readFileSync(join(web, 'node_modules', name, 'LICENSE'), 'utf8').trim();
    assert.ok(comment.includes(licence), `licence of ${name}`);
  }
});

test('packages count that have bytes in the output, with and without scope', () => {
  const inputs = {
    'src/main.ts': {bytesInOutput: 10},
    'node_modules/three/build/three.js': {bytesInOutput: 5},
    'node_modules/@scope/part/index.js': {bytesInOutput: 1},
    'node_modules/shaken-off/index.js': {bytesInOutput: 0},
  };
  assert.deepEqual(bundledPackages({outputs: {'main.js': {inputs}}}), ['@scope/part', 'three']);
});

test('a package without a licence stops the build', () => {
  inFolder((folder) => {
    mkdirSync(join(folder, 'bare'));
    writeFileSync(join(folder, 'bare', 'package.json'), '{"name": "bare", "version": "1.0.0"}');
    assert.throws(() => noticeOf(join(folder, 'bare')), /bare has no file LICENSE/);
  });
});
