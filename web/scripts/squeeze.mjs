// Packs what was built: docent embeds a file as gzip where that is smaller, and
// sends it so. It is the last step of a build.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** squeeze turns every file below dist into its .gz, but for the placeholder and what gains nothing. */
export function squeeze(dist) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'placeholder.html' || entry.name.endsWith('.gz')) continue;
    const file = join(entry.parentPath, entry.name);
    const plain = readFileSync(file);
    const packed = gzipSync(plain, { level: 9 });
    // Within a tenth, unpacking costs readers more than it saves.
    if (packed.length > plain.length * 0.9) continue;
    writeFileSync(`${file}.gz`, packed);
    rmSync(file);
  }
}
