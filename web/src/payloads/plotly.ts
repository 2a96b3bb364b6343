// plotly.js with the usual types of traces, and the look of figures. It is large, so it
// loads before the first figure becomes visible.
import './plotly.css';
import bar from 'plotly.js/lib/bar';
import box from 'plotly.js/lib/box';
import Plotly from 'plotly.js/lib/core';
import heatmap from 'plotly.js/lib/heatmap';
import histogram from 'plotly.js/lib/histogram';
import pie from 'plotly.js/lib/pie';
import type { Colours } from './colours.svelte';
import type { Figure } from './figure';
import { localeOf, type Locale } from './locale';
import { plot as en } from '../words/en/plot';
import { words } from '../words/words.svelte';

Plotly.register([bar, box, heatmap, histogram, pie]);

// plotly.js sets some styles as attributes, which the policy forbids. Setting properties is
// allowed.
SVGElement.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

const ways = {
  light: ['#0b6b57', '#c4570f', '#5b4bb3', '#a67c1a', '#a8336b', '#2f79b5', '#5d7a1f', '#7a5c4d'],
  dark: ['#6bcdb4', '#f2a06b', '#b0a4f5', '#e5c46b', '#ee8fb9', '#83bdf0', '#b1cf6e', '#c9a999'],
};

type Fields = Record<string, unknown>;
const own = (v: unknown): Fields => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Fields) : {});

function layout(figure: Figure, c: Colours, locale: Locale, el: HTMLElement): Fields {
  const style = getComputedStyle(el);
  const narrow = el.clientWidth < 480;
  const font = { family: style.fontFamily, size: narrow ? 11 : 13, color: c.ink };
  const axis = { gridcolor: c.line, zerolinecolor: c.line, linecolor: c.line, tickcolor: c.line, tickfont: { color: c.muted, family: font.family }, automargin: true, fixedrange: true };
  const given = figure.layout;
  const axes = Object.fromEntries(
    [...new Set(['xaxis', 'yaxis', ...Object.keys(given).filter((key) => /^[xy]axis\d*$/.test(key))])].map((key) => {
      const { rangeslider: _, rangeselector: __, ...rest } = own(given[key]);
      return [key, { ...rest, ...axis, title: titled(rest.title, { ...font, size: font.size, color: c.muted }) }];
    }),
  );
  return {
    ...given,
    ...axes,
    title: undefined, // the page shows it above the plot, where it can be selected
    font, separators: locale.format.decimal + locale.format.thousands,
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
    colorway: ways[c.dark ? 'dark' : 'light'],
    hoverlabel: { bgcolor: c.surface, bordercolor: c.line, font: { ...font, size: 13 } },
    legend: { ...own(given.legend), orientation: 'h', x: 0, xanchor: 'left', y: -0.2, yanchor: 'top', font, bgcolor: 'rgba(0,0,0,0)' },
    margin: { t: 12, r: 12, b: 12, l: 12, pad: 2 },
    autosize: false, width: el.clientWidth, height: el.clientHeight,
    dragmode: false,
    annotations: Array.isArray(given.annotations) ? given.annotations.map((a) => ({ ...own(a), font: { ...font, ...own(own(a).font), family: font.family } })) : [],
  };
}

const titled = (title: unknown, font: Fields): Fields => ({ text: typeof title === 'string' ? title : typeof own(title).text === 'string' ? own(title).text : '', font });

const config = (language: string) => ({ displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: false, showTips: false, responsive: false, locale: language, plotlyServerURL: '', showLink: false });

/** draw draws a figure, or draws it again with other colors or another size. */
export async function draw(el: HTMLElement, figure: Figure, colours: Colours, language: string): Promise<void> {
  const locale = localeOf(language, words.part('plot', en));
  // English is part of plotly.js, which takes from it what other languages leave out.
  if (language !== 'en') Plotly.register(locale);
  const marker = { line: { color: colours.surface, width: 1 } };
  // plotly.js changes its input.
  const data = structuredClone(figure.data).map((t) => (t.type === 'pie' ? { automargin: true, ...t, marker: { ...own(t.marker), ...marker } } : t));
  await Plotly.react(el, data as never, structuredClone(layout(figure, colours, locale, el)) as never, config(language) as never);
}

export const erase = (el: HTMLElement): void => Plotly.purge(el);

/** picture returns the figure as a PNG with the color of its background. */
export async function picture(el: HTMLElement, colours: Colours): Promise<Blob> {
  const shown = el as HTMLElement & { data: unknown; layout: Fields };
  const url = await Plotly.toImage({ data: shown.data, layout: { ...shown.layout, paper_bgcolor: colours.surface } } as never, { format: 'png', width: el.clientWidth, height: el.clientHeight, scale: 2 });
  const base64 = url.slice(url.indexOf(',') + 1);
  return new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' });
}
