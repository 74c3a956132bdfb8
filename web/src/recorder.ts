// Pictures of all frames, as PNG files in one .tar.

const block = 512;

/** The header of a file in a tar archive (ustar). */
function tarHeader(name: string, size: number): Uint8Array {
  const out = new Uint8Array(block);
  const put = (text: string, at: number): void => out.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put('        ', 148);
  put('0', 156);
  put('ustar\u000000', 257);
  const sum = out.reduce((a, b) => a + b, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return out;
}

export async function tar(files: {name: string; blob: Blob}[]): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (const {name, blob} of files) {
    parts.push(tarHeader(name, blob.size) as BlobPart, blob);
    const rest = blob.size % block;
    if (rest > 0) parts.push(new Uint8Array(block - rest) as BlobPart);
  }
  parts.push(new Uint8Array(2 * block) as BlobPart);
  return new Blob(parts, {type: 'application/x-tar'});
}
