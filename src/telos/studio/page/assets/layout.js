// Where things are on the timeline: truth on top, a row for each band, the curves, the ticks, the axis.

export const GUTTER = 104; // for the names of rows
const [AXIS, TICKS, ROW, GAP] = [15, 15, 13, 2];
const [LOWEST_BAND, BANDS_SHARE] = [7, 0.62];
const LOWEST_LANE = 8; // a recogniser's row that is lower than this says nothing

/** Divide a height among rows: bands are made lower, and then left out, before they take the curves' half. */
export function layOut(height, hasTruth, bandNames, groupNames) {
  const top = 6;
  const bottom = height - AXIS - TICKS - GAP;
  const truth = hasTruth ? { y: top, height: ROW } : null;
  const start = top + (truth ? ROW + GAP : 0);
  const room = (bottom - start) * (groupNames.length ? BANDS_SHARE : 1);
  const names = bandNames.slice(0, Math.max(0, Math.floor(room / (LOWEST_BAND + 1))));
  const each = names.length ? Math.min(ROW + GAP, Math.floor(room / names.length)) : 0;
  const bands = names.map((name, at) => [name, { y: start + at * each, height: each - (each > 11 ? GAP : 1) }]);
  const from = start + names.length * each + (names.length ? 2 : 0);
  const curves = { y: from, height: Math.max(0, bottom - from) };
  const ticks = { y: height - AXIS - TICKS, height: TICKS };
  return { truth, bands, lanes: lanesOf(curves, groupNames), top, ticks, axis: height - AXIS / 2 };
}

function lanesOf(curves, names) {
  const fits = Math.max(1, Math.floor(curves.height / (LOWEST_LANE + GAP)));
  const shown = names.slice(0, fits);
  const each = curves.height / Math.max(1, shown.length);
  return shown.map((name, at) => [name, { y: curves.y + at * each, height: each - (shown.length > 1 ? GAP + 1 : 0) }]);
}
