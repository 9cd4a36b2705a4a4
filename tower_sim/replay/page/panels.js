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
    this.step = -1;
    this.said = "";
  }

  buildCounts() {
    const { record } = this;
    if (record.isBoard) {
      find("air-note").textContent = "Cubes that are still falling count as in the ship.";
      find("head-inside").textContent = "In the ship";
      find("head-out").textContent = "On the board";
    }
    this.rows = record.header.colours.map((paint) => {
      const cells = [0, 1, 2].map(() => make("td", { text: "0" }));
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
    find("rows-note").hidden = record.isBoard || !record.takes.some((take) => sweptOf(take).length);
  }

  buildZones() {
    const { zones } = this.record.header.apparatus;
    find("zones-panel").hidden = !zones.length;
    this.zones = zones.map((zone) => {
      const cubes = make("span");
      const item = make("li", {}, make("span", { text: zoneName(zone) }, ...zoneNote(zone)), cubes);
      find("zones").append(item);
      return { item, cubes, shown: "" };
    });
  }

  buildSteps(seek) {
    const { record } = this;
    find("steps-panel").hidden = record.header.steps.length < 1;
    find("steps-head").textContent = record.isBoard ? "Steps" : "Drops";
    this.steps = record.header.steps.map((step, index) => {
      const button = make("button", { type: "button", onclick: () => seek(record.beginnings[index]) });
      button.append(
        make("strong", { text: step.title || `${index + 1}` }),
        make("span", { class: "soft", text: ` ${stepWords(record, index)}` }),
      );
      if (step.text && !isRow(record, step))
        button.append(make("span", { class: "text", text: step.text.replace(/\s+/g, " ").trim() }));
      find("steps").append(make("li", {}, button));
      return button;
    });
  }

  /** The lines of the game as the terminal has them, under their heading, where the document has one. */
  buildLines() {
    const { heading, steps } = this.record.header;
    find("lines-panel").hidden = !heading;
    if (!heading) return;
    this.lines = steps.map((step) => make("span", { text: `${step.text}\n` }));
    find("lines").append(make("strong", { text: `${heading}\n` }), ...this.lines);
  }

  buildAbout() {
    const { header } = this.record;
    const { about } = header;
    find("title").textContent = header.title;
    find("summary").append(...paragraphs(header.summary || ""));
    const matched = about.matched ? `recorded drops of a bank of ${about.matched.drops}` : null;
    find("jumps").hidden = !about.matched;
    if (about.matched) find("jumps").textContent = `${about.matched.says || MATCHED.counts} ${JUMPS}`;
    const facts = [
      ["Game", about.game],
      [header.apparatus.kind === "board" ? "Ship" : "Tower", about.apparatus],
      ["Model", about.model],
      ["Shown", matched],
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
    const names = ["hand", "inside", "out"];
    rows.forEach((row, i) => names.forEach((name, k) => setText(this.rows[i][k], row[name])));
    names.forEach((name, k) => setText(this.sums[k], summed(rows, name)));
  }

  showStep(moment) {
    const { take } = moment;
    if (take.stepIndex !== this.step) {
      if (this.steps[this.step]) this.steps[this.step].removeAttribute("aria-current");
      this.step = take.stepIndex;
      const button = this.steps[this.step];
      button.setAttribute("aria-current", "step");
      (this.lines || []).forEach((line, i) => line.classList.toggle("now", i === this.step));
      const list = find("steps");
      list.scrollTop = button.offsetTop - list.offsetTop - (list.clientHeight - button.offsetHeight) / 2;
    }
    const { matched } = take;
    const step = this.record.header.steps[this.step];
    const isOver = moment.time >= this.endOf(this.step) && Boolean(step.text) && !isRow(this.record, step);
    find("caption").hidden = !isOver;
    if (isOver) setText(find("caption"), step.text.replace(/\s+/g, " ").trim());
    find("matched").hidden = !matched;
    if (matched) setText(find("matched"), matched.says || MATCHED[matched.level] || MATCHED.counts);
  }

  /** When (s) the last take of a step is over: its text tells how it ended, and is not shown before. */
  endOf(index) {
    return Math.max(...this.record.takes.filter((take) => take.stepIndex === index).map((take) => take.end));
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

function zoneName(zone) {
  return zone.name.replaceAll("_", " ");
}

/** What a zone says beside its name, where that is more. */
function zoneNote(zone) {
  return zone.says && zone.says !== zoneName(zone) ? [make("span", { class: "note", text: ` ${zone.says}` })] : [];
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

/** How a take that was recorded earlier fits what it stands for, where it does not say so itself. */
const MATCHED = {
  exact: "A recorded drop with the same counts, floor by floor.",
  floors: "A recorded drop with the same counts, also on each floor.",
  counts: "A recorded drop with the same counts.",
  nearest: "The recorded drop that comes nearest: its counts differ.",
};
const JUMPS = "From one drop to the next the cubes inside jump to where the next recording has them.";

/** Whether a step's text is a row of a table, of many columns, that is read under its heading alone. */
function isRow(record, step) {
  return Boolean(record.header.heading) && step.text.trim().split(/ {2,}/).length > 5;
}

/** Text as paragraphs, parted by empty lines; a table, which lives by its spaces, keeps them. */
function paragraphs(text) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) =>
      /\S {2,}\S/.test(part)
        ? make("pre", {
            class: "scroll",
            tabindex: "0",
            role: "region",
            "aria-label": "Figures",
            text: part.replace(/^\n+|\s+$/g, ""),
          })
        : make("p", { text: part.trim() }),
    );
}

function setText(element, value) {
  const text = String(value);
  if (element.textContent !== text) element.textContent = text;
}

/** Draw the marks over the time line: where drops begin, and events, the outs lower. */
function drawMarks(record, canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const colour = (name, alpha) => `rgb(${themeColour(name).join(" ")} / ${alpha})`;
  context.clearRect(0, 0, width, height);
  const bar = (time, top, tall, wide) =>
    context.fillRect((time / record.duration) * width - wide / 2, top * height, wide, tall * height);
  context.fillStyle = colour("--soft", 0.5);
  for (const event of record.events) if (event.word !== "out") bar(event.time, 0.55, 0.4, ratio);
  context.fillStyle = colour("--accent", 0.9);
  for (const event of record.events) if (event.word === "out") bar(event.time, 0.35, 0.6, 1.5 * ratio);
  context.fillStyle = colour("--ink", 1);
  for (const time of record.beginnings) bar(time, 0, 0.95, 2 * ratio);
}
