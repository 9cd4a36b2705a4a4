// What a game of a declaration says to people, as words.py has it in games/declared. A plain script that makes one object.

const declaredWords = (() => {
  const SHOWN = 8; // colours in a line

  /** Write a number with one decimal; what lies in the middle of two becomes the even one, as Python writes it. */
  function tenth(x) {
    return Math.abs((x * 4) % 2) === 1 ? ((2 * Math.round(x * 5)) / 10).toFixed(1) : x.toFixed(1);
  }

  /** Return a throw as a line: thrown, out, inside; what is read. */
  function line(tree, { phase, thrown, out, inside, isUnloaded, read, effect }) {
    const told = [`${sumOf(thrown)} thrown, ${cubes(tree, out)} out, ${sumOf(inside)} inside`];
    for (const [name, value] of Object.entries(read)) if (value !== null) told.push(`${name} ${valued(value)}`);
    if (effect) told.push(effect.says + (effect.amount === null ? "" : ` (${effect.amount})`));
    return `${phase}: ${isUnloaded ? "the tower is emptied, then " : ""}${told.join("; ")}`;
  }

  function cubes(tree, counts) {
    const there = counts.map((count, i) => [count, tree.colours[i]]).filter(([count]) => count);
    return there.length && there.length <= SHOWN ? there.map((each) => each.join(" ")).join(", ") : String(sumOf(counts));
  }

  function valued(value) {
    return Array.isArray(value) ? value.join(", ") || "none" : String(value);
  }

  /** Return what a game came to: two sentences, the first on what was read, the second on the tower. */
  function summary(tree, { throws, read }) {
    if (!throws.length) return "The game ended before anything was thrown. Nothing was read.";
    const words = tree.readings.filter(({ kind }) => kind === "colour" || kind === "word");
    const name = tree.device?.reads ?? [...words, ...tree.readings][0]?.name ?? "";
    return `${said(tree, name, read[name] ?? [])} ${tower(throws)}`;
  }

  function tower(throws) {
    const thrown = throws.filter((each) => sumOf(each.thrown) > 0).length;
    const inside = throws.map((each) => sumOf(each.inside));
    const mean = tenth(sumOf(inside) / inside.length);
    return `The tower was thrown ${timesOf(thrown)} and held ${mean} cubes on average, ${inside.at(-1)} at the end.`;
  }

  /** Say what one reading gave, in a sentence. */
  function said(tree, name, values) {
    if (!name) return `${tree.title} was played, and nothing was read.`;
    if (!values.length) return `${name} was never read.`;
    const { kind } = tree.readings.find((reading) => reading.name === name);
    if (kind === "number") {
      const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
      return `${name} was ${tenth(sumOf(values) / values.length)} on average, ${least} to ${most} in ${values.length} readings.`;
    }
    if (kind === "set") {
      const mean = tenth(sumOf(values.map((value) => value.length)) / values.length);
      return `${name} had ${mean} colours on average in ${values.length} readings.`;
    }
    const times = new Map();
    for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
    const often = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
    const twice = values.filter((value, i) => i && value === values[i - 1]).length;
    const told = often.map((each) => each.join(" ")).join(", ");
    const repeated = twice ? `repeated the one before ${timesOf(twice)}` : "never repeated the one before";
    return `${name} was read ${timesOf(values.length)} (${told}); it ${repeated}.`;
  }

  function timesOf(number) {
    return { 1: "once", 2: "twice" }[number] ?? `${number} times`;
  }

  return { line, summary };
})();
