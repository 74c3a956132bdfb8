// Bundles the page into one HTML file without any reference to the network. Usage: node build.mjs OUTPUT
import {build} from 'esbuild';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {bundledPackages, noticeOf} from './notices.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'dist', 'report.html');

const result = await build({
  entryPoints: [join(here, 'src', 'main.ts')],
  bundle: true,
  minify: true,
  write: false,
  outdir: 'out',
  format: 'iife',
  target: 'es2021',
  charset: 'utf8',
  legalComments: 'inline',
  metafile: true,
  absWorkingDir: here,
  logLevel: 'warning',
});
const notices = bundledPackages(result.metafile).map((name) => noticeOf(join(here, 'node_modules', name)));
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text;

// A function as replacement: '$' in the bundle must stay as it is.
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('{{notices}}', () => notices.join('\n'))
  .replace('{{style}}', () => text('.css'))
  .replace('{{script}}', () => text('.js').replaceAll('</script', '<\\/script'));
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, page);
