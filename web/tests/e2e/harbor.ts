// The documents of the tests of evidence: pages for a PDF, Markdown, HTML, and a long text.

export const sentence = 'The lantern of Skerry Point is lit at dusk and burns nine litres of oil in a night.';
const filler = (what: string) => `<p>${`${what} stands here so that a column is filled with words of no interest. `.repeat(6)}</p>`;

/** printed is a document of three pages, the second of which has two columns. */
export const printed = `<!doctype html><meta charset="utf-8"><title>Light lists</title><style>
  @page { size: A4; margin: 0 }
  body { margin: 0; font: 15px/1.5 'Liberation Serif', serif }
  section { position: relative; box-sizing: border-box; width: 210mm; height: 297mm; padding: 25mm; overflow: hidden; break-after: page }
  .columns { column-count: 2; column-gap: 12mm; height: 200mm; column-fill: auto }
  .right { break-before: column }
</style>
<section><h1>Light lists</h1>${filler('A preface')}</section>
<section><h1>Lanterns</h1><div class="columns">${filler('A left column')}<p>The lantern of Gull Rock is electric.</p><div class="right">${filler('A right column')}<p id="it">${sentence}</p>${filler('What follows')}</div></div></section>
<section><h1>Bells</h1>${filler('A belfry')}<p>The bell of Skerry Point weighs two tonnes.</p></section>`;

export const rules = `# Harbour rules

Größe, naïveté and 😀 stand first.

## Mooring

Boats moor **stern first** at the quixel pier. The quixel warden checks the lines at noon.

\`\`\`sh
moor --stern quixel
\`\`\`

| Pier | Depth |
| --- | --- |
| quixel | 4 m |
| north | 7 m |
`;
export const guide = `<!doctype html><title>Fee guide</title><h1>Fee guide</h1><p>Read this first.</p><h2>Berths</h2><p>A vornado berth costs forty crowns a week. It includes water.</p><table><tr><th>Length</th><th>Fee</th></tr><tr><td>up to 8 m</td><td>30 crowns</td></tr></table>`;
export const log = Array.from({ length: 9000 }, (_, i) => `Entry ${i + 1}: the ferry was ${i === 7776 ? 'delayed by the yellow whale' : 'on time'}, with ${i % 83} passengers and calm weather — as usual.`).join('\n\n');
