// Pictures as SVG, drawn anew whenever something changes: bars of shares, curves over a game.

const SVG = "http://www.w3.org/2000/svg";

/** A new element of SVG; attributes as they are named, children as nodes or text. */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Return steps of 1, 2 or 5 times a power of ten that cut a length into about so many parts. */
function niceStep(length, parts) {
  const raw = length / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((step) => step * power >= raw);
}

let hatchings = 0;

/**
 * Return what the bars of each set in a chart are painted with, as attributes: by A and B, or by the set's own `paint`. The
 * second is hatched, so that it is told from the first by more than its colour.
 */
function fills(root, sets) {
  return sets.map(({ paint }, k) => {
    const line = paint ? { stroke: "var(--ink)" } : {};
    if (!k) return paint ? { fill: paint.rgb, ...line } : { class: "bar-a" };
    const id = `hatching-${++hatchings}`; // of this chart alone: one in a part that is hidden paints nothing
    root.append(svg(
      "defs", {},
      svg(
        "pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { width: 6, height: 6, ...(paint ? { fill: paint.rgb } : { class: "fill-b" }) }),
        svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, ...(paint ? { stroke: paint.ink, "stroke-width": 2 } : { class: "hatch-b" }) }),
      ),
    ));
    return { fill: `url(#${id})`, ...line };
  });
}

/**
 * Return a frame for a chart as wide as `box`, its axes named: { root, width, height, left, right, top, bottom }. The name of
 * the upright axis stands over it.
 */
function frame(box, height, words_, x, y) {
  const width = Math.max(box.clientWidth, 240);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words_ });
  const into = { root, width, height, left: 46, right: width - 8, top: 34, bottom: height - 40 };
  root.append(
    svg("text", { x: 2, y: 12, class: "soft axis-name" }, y),
    svg("text", { x: (into.left + into.right) / 2, y: height - 6, class: "middle soft axis-name" }, x),
  );
  return into;
}

/** Draw the axis on the left: lines and numbers up to `top`. */
function drawLevels(into, most, write) {
  const step = niceStep(most, 4);
  for (let value = 0; value <= most * 1.0001; value += step) {
    const y = into.bottom - (value / most) * (into.bottom - into.top);
    into.root.append(
      svg("line", { x1: into.left, x2: into.right, y1: y, y2: y, class: value ? "grid" : "axis" }),
      svg("text", { x: into.left - 6, y: y + 4, class: "end" }, write(value)),
    );
  }
}

/**
 * Draw how often each number comes: `sets` of { name, shares } (A, then B, or with a `paint` each), over numbers from 0, as
 * shares of `y`. Returns what is shown: { from, to }.
 */
function drawHistogram(box, sets, x, y, words_) {
  const into = frame(box, 300, words_, x, `share of ${y}`);
  const length = Math.max(...sets.map(({ shares }) => shares.length));
  const seen = (i) => sets.some(({ shares }) => (shares[i] ?? 0) > 0.0004);
  let [from, to] = [0, length - 1];
  while (to > 1 && !seen(to)) to--;
  while (from < to - 1 && from < to && !seen(from) && to - from > 20) from++;
  const most = Math.max(...sets.flatMap(({ shares }) => [...shares])) * 1.08 || 1;
  const fill = fills(into.root, sets);
  drawLevels(into, most, (value) => `${Math.round(100 * value)} %`);
  const slot = (into.right - into.left) / (to - from + 1);
  const bar = Math.min((slot * 0.84) / sets.length, 60);
  const every = Math.max(1, Math.ceil(22 / slot));
  for (let i = from; i <= to; i++) {
    const middle = into.left + (i - from + 0.5) * slot;
    sets.forEach(({ shares }, k) => {
      const high = ((shares[i] ?? 0) / most) * (into.bottom - into.top);
      const left = middle + (k - sets.length / 2) * bar;
      into.root.append(svg("rect", {
        x: left + 0.5, y: into.bottom - high, width: Math.max(bar - 1, 1), height: high, ...fill[k],
      }));
      if (bar >= 34 && shares[i] >= 0.005) {
        into.root.append(svg("text", { x: left + bar / 2, y: into.bottom - high - 4, class: "middle small" }, `${(100 * shares[i]).toFixed(0)} %`));
      }
    });
    if ((i - from) % every === 0) into.root.append(svg("text", { x: middle, y: into.bottom + 16, class: "middle" }, String(i)));
  }
  box.replaceChildren(into.root);
  return { from, to };
}

/** Draw means over a game with the band of nine in ten games: `sets` of { name, points: [{ mean, low, high }] }. */
function drawCourse(box, sets, x, y, words_) {
  const into = frame(box, 240, words_, x, y);
  const drops = Math.max(...sets.map(({ points }) => points.length));
  const most = Math.max(1, ...sets.flatMap(({ points }) => points.map((point) => point.high))) * 1.05;
  drawLevels(into, most, (value) => String(value));
  const at = (i) => into.left + ((i + 0.5) / drops) * (into.right - into.left);
  const height = (value) => into.bottom - (value / most) * (into.bottom - into.top);
  sets.forEach(({ points }, k) => {
    const there = points.map((point, i) => [point, i]).filter(([point]) => Number.isFinite(point.mean));
    const up = there.map(([point, i]) => `${at(i)},${height(point.high)}`);
    const down = [...there].reverse().map(([point, i]) => `${at(i)},${height(point.low)}`);
    into.root.append(
      svg("polygon", { points: [...up, ...down].join(" "), class: k ? "band-b" : "band-a" }),
      svg("polyline", { points: there.map(([point, i]) => `${at(i)},${height(point.mean)}`).join(" "), class: k ? "line-b" : "line-a" }),
    );
  });
  const every = Math.max(1, Math.ceil(drops / ((into.right - into.left) / 26)));
  for (let i = 0; i < drops; i += every) into.root.append(svg("text", { x: at(i), y: into.bottom + 16, class: "middle" }, String(i)));
  box.replaceChildren(into.root);
}

/** Return what tells the sets of a chart apart: their names, each beside what its bars are painted with. */
function legend(sets) {
  const swatch = (k) => {
    const root = svg("svg", { class: "swatch", viewBox: "0 0 14 14", "aria-hidden": "true" });
    root.append(svg("rect", { width: 14, height: 14, rx: 3, ...fills(root, sets)[k] }));
    return root;
  };
  return make("p", { class: "legend" }, ...sets.map(({ name }, k) => make("span", {}, swatch(k), name)));
}

/** Return a table: `head` words, `rows` of cells, the first of each its head. */
function tableOf(caption, head, rows) {
  return make(
    "table", {},
    make("caption", { text: caption }),
    make("thead", {}, make("tr", {}, ...head.map((word) => make("th", { scope: "col", text: word })))),
    make("tbody", {}, ...rows.map(([first, ...cells]) =>
      make("tr", {}, make("th", { scope: "row" }, ...[first].flat()), ...cells.map((cell) => make("td", {}, ...[cell].flat()))))),
  );
}

/** Draw a histogram in small: bars alone, for where there is room for a glance. */
function drawStrip(box, sets, { from, to }) {
  const [width, height] = [150, 46];
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
  const fill = fills(root, sets);
  const most = Math.max(...sets.flatMap(({ shares }) => [...shares])) || 1;
  const bar = width / (to - from + 1) / sets.length;
  sets.forEach(({ shares }, k) => {
    for (let i = from; i <= to; i++) {
      const high = ((shares[i] ?? 0) / most) * height;
      const x = ((i - from) * sets.length + k) * bar;
      root.append(svg("rect", { x, y: height - high, width: bar * 0.9, height: high, ...fill[k] }));
    }
  });
  box.replaceChildren(root);
}
