// The figures beside the picture: counts, the last throws, the long run.

class Panels {
  /** `add(colour, by)` is called when somebody takes a cube of a colour into the hand (1) or puts one back (-1). */
  constructor(live, add) {
    Object.assign(this, { live, add, rows: new Map() });
  }

  /** Stand there for a tower: `shown` has its colours, `paints` what they look like. */
  open(shown, paintOf) {
    this.shown = shown;
    this.paintOf = paintOf;
    this.rows.clear();
    find("counts").tBodies[0].replaceChildren();
    const isBoard = shown.seen.kind === "board";
    setText(find("head-inside"), isBoard ? "In the ship" : "Inside");
    setText(find("head-out"), isBoard ? "On the board" : "Out");
    find("clear-board").hidden = !isBoard;
    setText(find("start-anew"), isBoard ? "Empty ship and board" : "Empty the tower");
    find("palette").replaceChildren(...shown.colours.map((colour, i) => this.chipFor(colour, i)));
    for (const colour of shown.colours) this.rowFor(colour);
    this.sums = [...find("counts").tFoot.querySelectorAll("td")];
    this.openRun();
    const facts = [["Tower", `${shown.title}, ${shown.name}`], ["Edge of a cube", `${(1000 * shown.edge).toFixed(2)} mm`], ["Seed of the last throw", make("span", { id: "last-seed", text: "–" })], ["Settings", shown.profile.digest], ["Program", this.live.program]];
    find("about").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", {}, value)]));
  }

  chipFor(colour, i) {
    const many = make("span", { class: "many", "aria-hidden": "true" });
    const button = (name, by, label, ...inner) => make("button", { type: "button", class: name, "aria-label": label, title: label, onclick: () => this.add(colour, by) }, ...inner);
    const take = make("button", { type: "button", class: "take", "data-colour": colour, "aria-label": `Take a ${colour} cube`, title: `Take a ${colour} cube (${i + 1})` }, chip(this.paintOf(colour)), many);
    take.addEventListener("click", (event) => this.add(colour, event.shiftKey ? -1 : 1));
    return make("div", { class: "colour" }, take, button("less", -1, `Put a ${colour} cube back`, "−"), button("seven", 7, `×7: take seven ${colour} cubes`, "×7"));
  }

  rowFor(colour) {
    if (!this.rows.has(colour)) {
      const paint = this.paintOf(colour);
      const cells = [0, 1, 2].map(() => make("td", { text: "0" }));
      const name = make("th", { scope: "row" }, chip(paint), make("span", { class: "hidden", text: `${paint.letter}: ` }), colour);
      find("counts").tBodies[0].append(make("tr", {}, name, ...cells));
      this.rows.set(colour, cells);
    }
    return this.rows.get(colour);
  }

  /** Show counts: `held` by colour in the hand, `there` a Map of colour to {inside, out}. */
  showCounts(held, there) {
    const inHand = new Map(held);
    for (const colour of [...inHand.keys(), ...there.keys()]) this.rowFor(colour);
    const sums = [0, 0, 0];
    for (const [colour, cells] of this.rows) {
      const { inside = 0, out = 0 } = there.get(colour) || {};
      [inHand.get(colour) || 0, inside, out].forEach((number, k) => {
        setText(cells[k], number);
        sums[k] += number;
      });
    }
    sums.forEach((sum, k) => setText(this.sums[k], sum));
    for (const button of find("palette").querySelectorAll(".take")) {
      const number = inHand.get(button.dataset.colour) || 0;
      setText(button.querySelector(".many"), number || "");
      const label = `Take a ${button.dataset.colour} cube${number ? `, ${number} in the hand` : ""}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
    return sums;
  }

  /** Show what made a state, the last first. */
  showPast({ events }, isBoard) {
    const last = events.slice(-30).reverse();
    const items = last.map((event, i) => make("li", {}, make("strong", { text: `${events.length - i}. ` }), eventSentence(event, isBoard)));
    if (!items.length) items.push(make("li", { class: "soft", text: "Nothing was thrown yet." }));
    find("past").replaceChildren(...items);
    this.showRun(events);
  }

  openRun() {
    const run = this.shown.long_run;
    find("run-panel").hidden = !run;
    if (!run) return;
    const lines = [
      ["Cubes inside after a throw", `${run.inside} (9 in 10: ${run.usual[0]} to ${run.usual[1]})`],
      ["Cubes out at a throw", `${run.out} of ${run.thrown} thrown`],
      ["Of the first throw, out at once", `${Math.round((100 * run.set_up.out) / run.set_up.thrown)} % of ${run.set_up.thrown}`],
    ];
    this.here = lines.map(() => make("td"));
    find("long-run").tBodies[0].replaceChildren(...lines.map(([name, value], i) => make("tr", {}, make("th", { scope: "row", text: name }), this.here[i], make("td", { text: value }))));
    setText(find("run-note"), `Usual: ${run.games} games of ${run.game}, played with the fast model of this tower. Your own hand and other numbers of cubes give other results.`);
  }

  /** What came out so far, beside the long run: of throws alone. */
  showRun(events) {
    if (!this.shown.long_run) return;
    let inside = 0;
    let first = null;
    const after = [];
    const thrown = [];
    const out = [];
    for (const event of events) {
      const isThrow = event.kind === "drop" || event.kind === "hand";
      if (isThrow && first === null) first = [event.emerged.length, event.thrown.length];
      else if (isThrow) {
        thrown.push(event.thrown.length);
        out.push(event.emerged.length);
      }
      inside += (event.kind === "take" ? -1 : 1) * event.thrown.length - event.emerged.length;
      if (isThrow && thrown.length) after.push(inside);
    }
    const mean = (numbers) => (sumOf(numbers) / numbers.length).toFixed(1);
    setText(this.here[0], after.length ? mean(after) : "–");
    setText(this.here[1], out.length ? `${mean(out)} of ${mean(thrown)} thrown` : "–");
    setText(this.here[2], first ? `${Math.round((100 * first[0]) / Math.max(first[1], 1))} % of ${first[1]}` : "–");
  }
}
