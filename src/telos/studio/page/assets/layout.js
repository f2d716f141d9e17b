// Where things are on the timeline: an overview on top, then truth, a row for each band, curves, ticks and the axis.

const [GUTTER, NARROW_GUTTER, NARROW] = [104, 64, 600]; // for the names of rows; on a narrow page
const LOW = 60; // a timeline that is lower has no axis, and one row
export const OVERVIEW = 9; // the height of the overview
const [AXIS, TICKS, ROW, GAP] = [14, 16, 13, 2];
const [LOWEST_ROW, HIGH_ROW, HIGHEST_ROW] = [13, 15, 20]; // so that every name can be read; the last without curves
const [CURVES_SHARE, CURVE_SHARE] = [0.36, 0.26]; // of the room, for several curves or one, where the bands want all
const LOWEST_LANE = 8; // a recogniser's row that is lower than this says nothing

/** The room for the names of rows, left of the curves. */
export const gutterOf = (width) => (width < NARROW ? NARROW_GUTTER : GUTTER);

/**
 * Divide a height among rows. Bands have at least the height of a line of text: where they need more room than there
 * is, they scroll in `window`, by `scroll` pixels of at most `hidden`.
 */
export function layOut(height, hasTruth, bandNames, groupNames, { scroll = 0, hasOverview = false } = {}) {
  if (height < LOW) return layOutLow(height, hasTruth, groupNames);
  const top = hasOverview ? OVERVIEW + 2 : 6;
  const bottom = height - AXIS - TICKS - GAP;
  const truth = hasTruth ? { y: top, height: ROW } : null;
  const start = top + (truth ? ROW + GAP : 0);
  const room = Math.max(0, bottom - start);
  const area = Math.floor(room * (1 - [0, CURVE_SHARE, CURVES_SHARE][Math.min(2, groupNames.length)]));
  const highest = groupNames.length ? HIGH_ROW : HIGHEST_ROW;
  const each = Math.max(LOWEST_ROW, Math.min(highest, Math.floor(area / Math.max(1, bandNames.length))));
  const window = { y: start, height: Math.min(area, each * bandNames.length) };
  const hidden = Math.max(0, each * bandNames.length - window.height);
  const moved = Math.min(hidden, Math.max(0, scroll));
  const bands = bandNames
    .map((name, at) => [name, { y: start + at * each - moved, height: each - GAP }])
    .filter(([, row]) => row.y + row.height > start && row.y < start + window.height);
  const from = start + window.height + (bandNames.length ? 2 : 0);
  const curves = { y: from, height: Math.max(0, bottom - from) };
  const ticks = { y: height - AXIS - TICKS, height: TICKS };
  const lanes = lanesOf(curves, groupNames);
  return { truth, bands, lanes, top, ticks, axis: height - AXIS / 2, window, hidden, scroll: moved };
}

function layOutLow(height, hasTruth, groupNames) {
  const [top, tall] = [3, height - TICKS - GAP - 3];
  const truth = hasTruth ? { y: top, height: tall } : null;
  const ticks = { y: height - TICKS, height: TICKS };
  const lanes = hasTruth ? [] : lanesOf({ y: top, height: tall }, groupNames);
  return { truth, bands: [], lanes, top, ticks, axis: height + AXIS, window: { y: top, height: 0 }, hidden: 0, scroll: 0 };
}

function lanesOf(curves, names) {
  const fits = Math.max(1, Math.floor(curves.height / (LOWEST_LANE + GAP)));
  const shown = names.slice(0, fits);
  const each = curves.height / Math.max(1, shown.length);
  return shown.map((name, at) => [name, { y: curves.y + at * each, height: each - (shown.length > 1 ? GAP + 1 : 0) }]);
}
