// Redraws a few parts at a time, for example of a long answer when it is complete, so that
// the page stays responsive.

/** The number of parts to draw at once without a time limit. Most answers have fewer. */
const atOnce = 12;
/** The maximum time for drawing other parts at once, in ms. */
const budget = 8;

const waiting = new Map<object, () => void>();
let drawn = 0; // since the last pause
let asked = false;

/** soon draws a part of the page, at once or after the waiting parts. It replaces a waiting drawing of the same part. */
export function soon(part: object, draw: () => void): void {
  if (waiting.size === 0 && drawn < atOnce) {
    drawn++;
    next();
    return draw();
  }
  waiting.set(part, draw);
  next();
}

/** forget cancels the waiting drawing of a part. */
export function forget(part: object): void {
  waiting.delete(part);
}

function next(): void {
  if (asked) return;
  asked = true;
  setTimeout(slice);
}

function slice(): void {
  asked = false;
  drawn = 0;
  const began = performance.now();
  for (const [part, draw] of waiting) {
    waiting.delete(part);
    if (waiting.size > 0) next(); // also after an error
    draw();
    if (performance.now() - began > budget) return;
  }
}
