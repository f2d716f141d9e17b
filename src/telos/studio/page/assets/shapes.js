// Shapes that are not symbols: rectangle, circle, line, path, text. The lists are those of studio/worlds/shapes.py.

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const ALIGNS = new Set(["left", "center", "right", "start", "end"]);
const PATHS_KEPT = 2000; // parsed outlines; a world draws the same few again and again
const paths = new Map();

function outline(data) {
  let path = paths.get(data);
  if (!path) {
    if (paths.size >= PATHS_KEPT) paths.clear();
    path = new Path2D(data);
    paths.set(data, path);
  }
  return path;
}

/** Fill and stroke what was traced, each only where it has a colour. */
function finish(context, colours, fill, stroke, width, path) {
  const inside = colours.of(fill);
  const edge = colours.of(stroke);
  if (inside) {
    context.fillStyle = inside;
    path ? context.fill(path) : context.fill();
  }
  if (edge && width > 0) {
    context.strokeStyle = edge;
    context.lineWidth = width;
    path ? context.stroke(path) : context.stroke();
  }
}

const draw = {
  r(context, colours, [, x, y, width, height, fill, radius, stroke]) {
    context.beginPath();
    if (radius > 0) context.roundRect(x, y, width, height, radius);
    else context.rect(x, y, width, height);
    finish(context, colours, fill, stroke, 1);
  },
  c(context, colours, [, x, y, radius, fill, stroke, width]) {
    context.beginPath();
    context.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
    finish(context, colours, fill, stroke, width ?? 1);
  },
  l(context, colours, [, x, y, toX, toY, stroke, width, dashed]) {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.setLineDash(dashed ? [4 * width, 3 * width] : []);
    finish(context, colours, "", stroke, width ?? 1);
    context.setLineDash([]);
  },
  p(context, colours, [, data, fill, stroke, width]) {
    if (typeof data === "string") finish(context, colours, fill, stroke, width ?? 1, outline(data));
  },
  t(context, colours, [, x, y, words, fill, size, align], least) {
    context.font = `${Math.max(Number(size) || 14, least)}px ${FONT}`;
    context.textAlign = ALIGNS.has(align) ? align : "center";
    context.textBaseline = "middle";
    context.fillStyle = colours.of(fill) || "transparent";
    context.fillText(String(words), x, y);
  },
};

/** Draw one shape in the stage's own units, texts at least so large. Invalid shapes are skipped: the others are drawn. */
export function drawShape(context, colours, shape, least = 0) {
  if (!Array.isArray(shape) || !Object.hasOwn(draw, shape[0])) return;
  try {
    draw[shape[0]](context, colours, shape, least);
  } catch {
    // an invalid value, such as a text for a radius: draw the rest of the picture
  }
}
