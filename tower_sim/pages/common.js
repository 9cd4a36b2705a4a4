// What all pages share. The files of a page are joined into one script, in one function: names here are known to all.

/** The element with this id. */
function find(id) {
  return document.getElementById(id);
}

/**
 * A new element. `attributes` are set as they are named; `on...` listens, `text` is its text. Children that are no
 * elements become text, so that nobody's words are ever read as HTML.
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** The JSON document that the page has under this id. */
function dataOf(id) {
  return JSON.parse(find(id).textContent);
}

/** The bytes that the page has under this id, unpacked: a promise of an ArrayBuffer. */
async function bytesOf(id) {
  const text = atob(find(id).textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** "1 cube", "2 cubes"; `many` where it is not made by an s. */
function counted(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** "red", "red and blue", "red, blue and green". */
function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** A name of a zone, a reading or a figure, as people read it: "coins and cargo" of "coins_and_cargo". */
function plainName(name) {
  return name.replaceAll("_", " ");
}

/** The sum of numbers. */
function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** A function that asks for `draw(milliseconds)` in the next frame, once however often it is asked. */
function onceAFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame((now) => {
      asked = false;
      draw(now);
    });
  };
}

/** Whether the reader wants things to move little. */
function wantsStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Say on the page, in its element `trouble`, what went wrong, in one line; nothing takes it away. */
function sayTrouble(line) {
  find("trouble").textContent = line;
}

/** Whether the page is dark now. */
function isDark() {
  const chosen = document.documentElement.style.colorScheme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** What a colour of common.css, such as "--ink", is now: [red, green, blue] from 0 to 255. */
function themeColour(name) {
  const probe = make("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return found;
}

/** What this browser keeps for the page under a name; null of nothing, and where it keeps nothing. */
function remembered(name) {
  try {
    return localStorage.getItem(`tower-sim:${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`tower-sim:${name}`, value);
  } catch {
    // nothing is kept in this browser
  }
}

/** Let `button` change between light and dark, and call `changed` whenever that changes, also by the system. */
function startTheme(button, changed = () => {}) {
  const tell = () => {
    const next = isDark() ? "light" : "dark";
    button.textContent = next === "light" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page ${next}`);
    changed();
  };
  document.documentElement.style.colorScheme = remembered("theme") || "";
  button.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.style.colorScheme = chosen;
    remember("theme", chosen);
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

/** Let `button` open `dialog`, and every button in it that has data-close shut it. */
function startDialog(button, dialog) {
  button.addEventListener("click", () => {
    dialog.showModal();
    dialog.scrollTop = 0;
  });
  for (const close of dialog.querySelectorAll("[data-close]")) close.addEventListener("click", () => dialog.close());
}

/** Whether a key that was pressed belongs to a control or a dialog, so that the page should not act on it. */
function isTakenKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]")) return true;
  const kind = event.target.tagName;
  return kind === "SELECT" || kind === "TEXTAREA" || (kind === "INPUT" && /text|number|search/.test(event.target.type));
}

const PATTERN_STROKE = 0.3; // how strongly a pattern stands out against its colour

/** Paint the face of a cube into a square of `size` pixels at (x, y): its colour, its pattern and its letter. */
function drawFace(context, x, y, size, paint) {
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  context.translate(x, y);
  context.scale(size / 64, size / 64);
  context.fillStyle = paint.rgb;
  context.fillRect(0, 0, 64, 64);
  context.globalAlpha = PATTERN_STROKE;
  context.fillStyle = paint.ink;
  context.strokeStyle = paint.ink;
  context.lineWidth = 5;
  (PATTERN_DRAWINGS[paint.pattern] || PATTERN_DRAWINGS.plain)(context);
  context.globalAlpha = 1;
  if (paint.pattern !== "plain") {
    context.fillStyle = paint.rgb;
    context.beginPath();
    context.arc(32, 32, 22, 0, 2 * Math.PI);
    context.fill();
  }
  context.fillStyle = paint.ink;
  context.font = "bold 41px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const box = context.measureText(paint.letter);
  context.fillText(paint.letter, 32, 32 + (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2);
  context.restore();
}

/** How each pattern is drawn on a face of 64 by 64. */
const PATTERN_DRAWINGS = {
  plain: () => {},
  stripes: (context) => strokes(context, [6, 19, 32, 45, 58].map((y) => [0, y, 64, y])),
  bars: (context) => strokes(context, [6, 19, 32, 45, 58].map((x) => [x, 0, x, 64])),
  diagonals: (context) => strokes(context, [-48, -32, -16, 0, 16, 32, 48].map((x) => [x, 64, x + 64, 0])),
  cross: (context) => strokes(context, [[0, 0, 64, 64], [0, 64, 64, 0], [32, 0, 32, 64], [0, 32, 64, 32]]),
  dots: (context) => {
    for (const x of [7, 24, 40, 57]) for (const y of [7, 24, 40, 57]) disc(context, x, y, 4.5).fill();
  },
  rings: (context) => {
    for (const radius of [26, 33, 41]) disc(context, 32, 32, radius).stroke();
  },
  checks: (context) => {
    for (let i = 0; i < 16; i += 1) if ((i + (i >> 2)) % 2) context.fillRect((i % 4) * 16, (i >> 2) * 16, 16, 16);
  },
};

function strokes(context, lines) {
  context.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
  context.stroke();
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  return context;
}

/** A small picture of a cube's face, for beside its name; screen readers pass it over. */
function chip(paint) {
  const canvas = make("canvas", { class: "chip", width: 44, height: 44, "aria-hidden": "true" });
  drawFace(canvas.getContext("2d"), 0, 0, 44, paint);
  return canvas;
}
