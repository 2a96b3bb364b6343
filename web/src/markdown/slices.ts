// What is drawn anew, as all of a long answer when it is complete, is drawn a few
// parts at a time: the page never stands still for it.

/** How many parts are drawn at once, however long it takes: most answers have no more. */
const atOnce = 12;
/** For how long others are drawn at a time, in ms. */
const budget = 8;

const waiting = new Map<object, () => void>();
let drawn = 0; // since the page could last do something else
let asked = false;

/** soon draws a part of the page, now or after what waits; what waits for the same part is forgotten. */
export function soon(part: object, draw: () => void): void {
  if (waiting.size === 0 && drawn < atOnce) {
    drawn++;
    next();
    return draw();
  }
  waiting.set(part, draw);
  next();
}

/** forget has what waits for a part not drawn. */
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
    if (waiting.size > 0) next(); // also if this one fails
    draw();
    if (performance.now() - began > budget) return;
  }
}
