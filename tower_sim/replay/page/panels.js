// The figures beside the picture: counts, zones, steps, what this is. Built once, then kept in step with the moment.

class Panels {
  /** `seek` is called with a time (s) when a step is chosen. */
  constructor(record, seek) {
    this.record = record;
    this.buildCounts();
    this.buildZones();
    this.buildSteps(seek);
    this.buildLines();
    this.buildAbout();
    this.seek = seek;
    this.step = -1;
    this.said = "";
  }

  buildCounts() {
    const { record } = this;
    if (record.isBoard) {
      find("air-note").textContent = "A cube is in the ship once it is lower than the ship's rim.";
      find("head-inside").textContent = "In the ship";
      find("head-out").textContent = "On the board";
    }
    const isPart = record.header.steps.length > 1 || record.header.steps[0].takes > 1;
    this.columns = isPart ? ["hand", "inside", "out", "aside"] : ["hand", "inside", "out"];
    find("head-aside").hidden = find("sum-aside").hidden = find("aside-note").hidden = !isPart;
    this.rows = record.header.colours.map((paint) => {
      const cells = this.columns.map(() => make("td", { text: "0" }));
      const name = make(
        "th",
        { scope: "row" },
        chip(paint),
        make("span", { class: "hidden", text: `${paint.letter}: ` }),
        paint.name,
      );
      find("counts").tBodies[0].append(make("tr", {}, name, ...cells));
      return cells;
    });
    this.sums = [...find("counts").tFoot.querySelectorAll("td")];
  }

  buildZones() {
    const { zones } = this.record.header.apparatus;
    find("zones-panel").hidden = !zones.length;
    this.zones = zones.map((zone) => {
      const cubes = make("span");
      const item = make("li", {}, make("span", { text: plainName(zone.name) }, ...zoneNote(zone)), cubes);
      find("zones").append(item);
      return { item, cubes, shown: "" };
    });
  }

  buildSteps(seek) {
    const { record } = this;
    find("steps-panel").hidden = record.header.steps.length < 1;
    find("steps-head").textContent = record.isBoard ? "Steps" : "Drops";
    this.filled = 0;
    this.steps = record.header.steps.map((step, index) => {
      const button = make("button", { type: "button", disabled: "", onclick: () => seek(record.beginnings[index]) });
      button.append(make("strong", { text: step.title || `${index + 1}` }));
      find("steps").append(make("li", {}, button));
      return button;
    });
    this.grow();
  }

  /** Say what the steps came to that are known by now. */
  grow() {
    const { record } = this;
    for (; this.filled < record.known; this.filled += 1) {
      const button = this.steps[this.filled];
      button.disabled = false;
      button.append(make("span", { class: "soft", text: ` ${stepWords(record, this.filled)}` }));
      if (record.isBoard) button.append(make("span", { class: "soft", text: `. ${endWords(record, this.filled)}` }));
    }
  }

  /** The lines of the game as the terminal has them, under their heading. */
  buildLines() {
    const { heading, steps } = this.record.header;
    const isLog = steps.some(({ text }) => text && !isSentence(text.trim()));
    find("lines-panel").hidden = !heading && !isLog;
    this.lines = steps.map((step) => make("span", { text: `${step.text}\n` }));
    find("lines").append(...(heading ? [make("strong", { text: `${heading}\n` })] : []), ...this.lines);
  }

  buildAbout() {
    const { header } = this.record;
    const { about } = header;
    find("title").textContent = header.title;
    find("summary").append(...paragraphs(header.summary || ""));
    const facts = [
      ["Game", about.game],
      [header.apparatus.kind === "board" ? "Ship" : "Tower", about.apparatus],
      ["Model", about.model],
      ["Engine", about.engine],
      ["Accuracy", about.accuracy],
      ["Seed", about.seed],
      ["Settings", about.settings],
      ["Made by", about.program],
    ];
    for (const [name, value] of facts) {
      if (value === null || value === undefined || value === "") continue;
      find("about").append(make("dt", { text: name }), make("dd", { text: String(value) }));
    }
  }

  /** Show a moment. */
  show(moment) {
    this.showCounts(moment);
    this.showStep(moment);
    this.showZones(moment);
    setText(find("sentence"), sentenceAt(this.record, moment));
  }

  showCounts(moment) {
    const rows = countsAt(this.record, moment);
    rows.forEach((row, i) => this.columns.forEach((name, k) => setText(this.rows[i][k], row[name])));
    this.columns.forEach((name, k) => setText(this.sums[k], summed(rows, name)));
  }

  showStep(moment) {
    const { take } = moment;
    if (take.stepIndex !== this.step) {
      if (this.steps[this.step]) this.steps[this.step].removeAttribute("aria-current");
      this.step = take.stepIndex;
      const button = this.steps[this.step];
      button.setAttribute("aria-current", "step");
      this.lines.forEach((line, i) => line.classList.toggle("now", i === this.step));
      const list = find("steps");
      list.scrollTop = button.offsetTop - list.offsetTop - (list.clientHeight - button.offsetHeight) / 2;
    }
    const isOver = this.step < this.record.known && moment.time >= this.endOf(this.step);
    find("caption").hidden = !isOver;
    if (isOver) setText(find("caption"), endWords(this.record, this.step));
  }

  /** When (s) the last take of a step is over: its text tells how it ended, and is not shown before. */
  endOf(index) {
    return Math.max(...takesOf(this.record, index).map((take) => take.end));
  }

  /** Name the cube that is marked, and list its way; none is marked if it is null. */
  showCube(cube) {
    find("cube-panel").hidden = cube === null;
    if (cube === null) return;
    const { record } = this;
    find("cube-name").replaceChildren(chip(record.header.colours[record.colourOf.get(cube)]), cubeName(record, cube));
    const items = wayOf(record, cube).map(({ title, words, time }) =>
      make("li", {}, make("button", { type: "button", onclick: () => this.seek(time) }, make("strong", { text: title }), make("span", { class: "soft", text: ` ${words}` }))),
    );
    find("cube-way").replaceChildren(...items);
  }

  showZones(moment) {
    const { record } = this;
    const lying = lyingAt(record, moment);
    this.zones.forEach(({ item, cubes }, i) => {
      const key = lying[i].join(" ");
      if (key !== this.zones[i].shown) {
        this.zones[i].shown = key;
        item.classList.toggle("lit", lying[i].length > 0);
        const chips = lying[i].map((cube) => chip(record.header.colours[record.colourOf.get(cube)]));
        const words = lying[i].length ? cubeWords(record, lying[i]) : "";
        cubes.replaceChildren(make("span", { class: "hidden", text: words }), ...chips);
      }
    });
  }
}

/** What a zone says beside its name, where that is more. */
function zoneNote(zone) {
  return zone.says && zone.says !== plainName(zone.name) ? [make("span", { class: "note", text: ` ${zone.says}` })] : [];
}

/** The cubes that lie in each zone, in the order of the zones. */
function lyingAt(record, moment) {
  const { zones } = record.header.apparatus;
  const lying = zones.map(() => []);
  const indexOf = new Map(zones.map((zone, i) => [`zone:${zone.name}`, i]));
  if (!zones.length) return lying;
  for (const [cube, { where, place }] of placesAt(record, moment)) {
    if (where === "out" && indexOf.has(place)) lying[indexOf.get(place)].push(cube);
  }
  return lying;
}

/** How strongly each zone is lit: 0 where no cube lies, 1 where one has just come to rest. */
function litAt(record, moment) {
  const news = newsAt(record, moment);
  const { zones } = record.header.apparatus;
  return lyingAt(record, moment).map((cubes, i) =>
    cubes.length ? 0.55 + 0.45 * (news.get(`zone:${zones[i].name}`) || 0) : 0,
  );
}

/** Which places a cube came to rest in lately: from 1 at once to 0 after a second. */
function newsAt(record, { take, frame }) {
  const found = new Map();
  for (const [at, word, , place] of take.events) {
    if (word === "rest" && place && at <= frame) found.set(place, clamp(1 - (frame - at) / record.rate, 0, 1));
  }
  return found;
}

/** Text as paragraphs, parted by empty lines; a table, which lives by its spaces, keeps them. */
function paragraphs(text) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part, i) =>
      /\S {2,}\S/.test(part)
        ? make("pre", {
            class: "scroll",
            tabindex: "0",
            role: "region",
            "aria-label": `Figures of what it came to, part ${i + 1}`,
            text: part.replace(/^\n+|\s+$/g, ""),
          })
        : make("p", { text: part.trim() }),
    );
}

function setText(element, value) {
  const text = String(value);
  if (element.textContent !== text) element.textContent = text;
}

const NARROW = 40; // pixels: in a narrower step single events are not told apart

/**
 * Draw the marks over the time line: every second step is shaded, with its number where there is room; in each its
 * events, those that come out taller; in narrow steps a column instead, as tall as cubes came out.
 */
function drawMarks(record, canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const colour = (name, alpha) => `rgb(${themeColour(name).join(" ")} / ${alpha})`;
  const [soft, strong, shade, ink] = [colour("--soft", 0.6), colour("--accent", 0.9), colour("--soft", 0.22), colour("--ink", 0.85)];
  const x = (time) => (time / record.duration) * width;
  const bar = (time, tall, wide) => context.fillRect(x(time) - wide / 2, height - tall, wide, tall);
  context.clearRect(0, 0, width, height);
  context.font = `${10 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "top";
  const ends = [...record.beginnings.slice(1), record.duration];
  const outs = record.beginnings.map(() => 0);
  for (const { word, take } of record.events) if (word === "out") outs[take.stepIndex] += 1;
  const most = Math.max(1, ...outs);
  let free = 0; // where the last number ends
  record.beginnings.forEach((begin, i) => {
    const [left, wide] = [x(begin), x(ends[i] - begin)];
    context.fillStyle = shade;
    if (i % 2) context.fillRect(left, 0, wide, height);
    if (wide < NARROW * ratio) {
      context.fillStyle = strong;
      const tall = 0.6 * height * Math.sqrt(outs[i] / most); // else a set-up would dwarf all others
      context.fillRect(left + 0.2 * wide, height - tall, Math.max(1, 0.6 * wide), tall);
    }
    const number = (record.header.steps[i].title.match(/\d+/) || [""])[0];
    if (record.beginnings.length < 2 || left < free) return;
    context.fillStyle = ink;
    context.fillText(number, left + 2 * ratio, 0);
    free = left + context.measureText(number).width + 8 * ratio;
  });
  for (const { word, time, take } of record.events) {
    const { stepIndex } = take;
    if (x(ends[stepIndex] - record.beginnings[stepIndex]) < NARROW * ratio) continue;
    context.fillStyle = word === "out" ? strong : soft;
    if (word === "out") bar(time, 0.55 * height, 1.5 * ratio);
    else bar(time, 0.3 * height, ratio);
  }
}
