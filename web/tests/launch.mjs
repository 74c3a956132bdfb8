// Debian's Chromium, drawing in software: the same picture on every machine.
import {existsSync} from 'node:fs';
import {chromium} from 'playwright-core';

export const browserPath = process.env.SINEW_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

export function launch() {
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
}
