// Symbols: small drawings with a name, parsed once, and how much room each takes.

const SVG = "http://www.w3.org/2000/svg";

/** Measure path data with the browser's own SVG: a hidden <path> knows its box exactly, curves and all. */
function boxOf(data, stroke) {
  const svg = document.createElementNS(SVG, "svg");
  svg.style.cssText = "position:absolute;width:0;height:0;visibility:hidden";
  const path = svg.appendChild(document.createElementNS(SVG, "path"));
  path.setAttribute("d", data);
  document.body.appendChild(svg);
  const box = path.getBBox();
  svg.remove();
  const more = stroke / 2;
  return { left: box.x - more, top: box.y - more, right: box.x + box.width + more, bottom: box.y + box.height + more };
}

function joined(boxes) {
  if (!boxes.length) return { left: -8, top: -8, right: 8, bottom: 8 };
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}

/** One symbol from its parts [fill, path data, stroke, width]; invalid parts are left out. */
function compiled(parts) {
  const good = (Array.isArray(parts) ? parts : []).filter((part) => Array.isArray(part) && typeof part[1] === "string");
  const pieces = good.map(([fill, data, stroke, width]) => ({
    fill: String(fill ?? ""),
    stroke: String(stroke ?? ""),
    width: Number(width) || 0,
    path: new Path2D(data),
  }));
  return { pieces, box: joined(good.map((part, at) => boxOf(part[1], part[2] ? pieces[at].width : 0))) };
}

/** All symbols of a game, by name. */
export function compileSymbols(symbols) {
  return new Map(Object.entries(symbols ?? {}).map(([name, parts]) => [name, compiled(parts)]));
}

/** Draw a symbol around (0, 0) of the context as it stands; `tint` is the role that its "tint" becomes. */
export function drawSymbol(context, symbol, colours, tint) {
  for (const { fill, stroke, width, path } of symbol.pieces) {
    const inside = colours.of(fill, tint);
    const outline = colours.of(stroke, tint);
    if (inside) {
      context.fillStyle = inside;
      context.fill(path);
    }
    if (outline && width > 0) {
      context.strokeStyle = outline;
      context.lineWidth = width;
      context.stroke(path);
    }
  }
}
