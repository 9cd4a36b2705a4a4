// What many games of a declaration come to: rows of figures, what a device would give instead, sentences.

const othersFigures = (() => {
  const TOLD = 4; // figures told in plain words with their means; others by name
  const NAMED = 6; // of those others
  const isShare = (row) => row.unit === "share" || row.key.endsWith("_again");
  const shareRow = (of, value) => ({
    key: `share ${value}`,
    title: `${plainName(of.main.reading)}: ${plainName(value)}`,
    unit: "share",
    value,
  });

  /** Return all figures of a game and the shares of its main reading's values: { key, title, unit }. */
  function titles(of) {
    return [
      ...of.figures.map((figure) => ({ ...figure, title: plainName(figure.title) })),
      ...(of.main?.values ?? []).map((value) => shareRow(of, value)),
    ];
  }

  /** Return the rows of one or two sides, each as `declared.many` returns it: figures, then shares, p adjusted in each. */
  function rows(of, sides) {
    const every = titles(of);
    const number = of.figures.length;
    const groups = [[every.slice(0, number), "figures"], [every.slice(number), "shares"]];
    return groups.flatMap(([some, name]) => compared(some, sides[0].games, sides[0][name], sides[1]?.[name] ?? null));
  }

  /** Return rows that compare columns of games with others, or with none. */
  function compared(every, games, first, second) {
    const sums = statistics.moments(every.length);
    const at = (columns, game) => columns.map((values) => (typeof values === "number" ? values : values[game]));
    for (let game = 0; game < games; game++) statistics.add(sums, at(first, game), second && at(second, game));
    return statistics.rows(sums, every, Boolean(second));
  }

  /** Return rows that compare what a side read with what the device gives: the shares, and the same twice running. */
  function besideDevice(of, side, device) {
    const found = [];
    const again = of.figures.findIndex(({ key }) => key === `${device.reads}_again`);
    if (again >= 0) found.push([{ ...titles(of)[again] }, device.twice.share, side.figures[again]]);
    if (of.main?.reading === device.reads) {
      of.main.values.forEach((value, i) => found.push([shareRow(of, value), shareOf(device, value), side.shares[i]]));
    }
    return compared(
      found.map(([title]) => title),
      side.games,
      found.map(([, share]) => share),
      found.map(([, , values]) => values),
    );
  }

  function shareOf(device, value) {
    return device.events.find(({ event }) => event === value)?.share ?? 0;
  }

  /** Write a mean of a row, shares in per cent, with the decimals that the interval leaves. */
  function told(row, value, half, sign = false) {
    const times = isShare(row) ? 100 : 1;
    const width = half > 1e-9 ? half * times : 0;
    const number =
      !width && Number.isInteger(value * times) && !sign ? String(value * times) : exact_(value * times, width, sign);
    return isShare(row) ? `${number} %` : number;
  }

  /** Say how the tower does what a device does, in sentences. */
  function deviceWords(of, side, device) {
    const found = besideDevice(of, side, device);
    const again = found.filter((row) => !row.value);
    const shares = found.filter((row) => row.value);
    return [...(shares.length ? [shareWords(shares, device)] : []), ...again.map((row) => againWords(row, device))];
  }

  function shareWords(shares, device) {
    const what = plainName(device.reads);
    const apart = (row) => Math.abs(row.difference.mean);
    if (shares.every((row) => apart(row) < 1e-9)) {
      return `In a whole game each ${what} comes as often as the ${device.kind} has it.`;
    }
    const shown = shares.filter((row) => row.shown).sort((x, y) => apart(y) - apart(x));
    if (!shown.length) {
      return shares.every((row) => row.verdict === "alike")
        ? `Each ${what} comes about as often as with the ${device.kind}: no difference is shown.`
        : `Whether each ${what} comes as often as with the ${device.kind} is open: no difference is shown.`;
    }
    const one = (row) => {
      const [now, before] = [row.b, row.a].map(({ mean }) => told(row, mean, row.difference.half));
      return `${plainName(row.value)} comes in ${now} instead of ${before}`;
    };
    const more = shown.length > 3 ? `, and ${shown.length - 3} more differ` : "";
    return `Not every ${what} comes as often as with the ${device.kind}: ${listed(shown.slice(0, 3).map(one))}${more}.`;
  }

  function againWords(row, device) {
    const isSeen = ["shown", "likely"].includes(row.verdict);
    const how = isSeen ? `a difference, ${degree(row)}` : "no difference is shown";
    const [now, exactly] = [row.b, row.a].map(({ mean }) => told(row, mean, row.b.half));
    const comes = `The same ${plainName(device.reads)} comes twice running with a chance of ${now}`;
    return `${comes}, with the ${device.kind} of ${exactly}: ${how}.`;
  }

  /** Say what a side is like where no device stands beside it. */
  function ownWords(of, found) {
    const sentences = [];
    const shares = found.filter((row) => row.value && row.a.mean > 0).sort((x, y) => y.a.mean - x.a.mean);
    if (shares.length) {
      const one = (row) => `${plainName(row.value)} ${told(row, row.a.mean, row.a.half)}`;
      const more = shares.length > 6 ? ", the others less" : "";
      sentences.push(
        `What is read as ${plainName(of.main.reading)}: ${shares.slice(0, 6).map(one).join(", ")}${more}.`,
      );
    }
    const kinds = Object.fromEntries(of.readings.map(({ name, kind }) => [name, kind]));
    const numbers = found.filter((row) => ["number", "set"].includes(kinds[row.key])).slice(0, 4);
    const mean = (row) => `${row.title.replace(" (mean)", "")} ${said(row.a.mean)}`;
    if (numbers.length) sentences.push(`On average: ${numbers.map(mean).join(", ")}.`);
    return sentences;
  }

  function towerWords(found) {
    const [inside, throws] = ["inside", "throws"].map((key) => said(found.find((row) => row.key === key).a.mean));
    return `${inside} cubes lie in the tower after a throw on average, and it is thrown ${throws} times in a game.`;
  }

  /** Say what differs between A and B: the largest effects with their means, others by name. */
  function pairWords(of, found, isSame) {
    if (isSame) return ["A and B are the same choices: from the same luck every game is the same. Change one of them."];
    const seen = found.filter((row) => ["shown", "likely"].includes(row.verdict));
    seen.sort((x, y) => y.shown - x.shown || effect(y) - effect(x) || 0); // two that are infinite keep their order
    const others = found.length - seen.length;
    if (!seen.length) {
      const which = others > 1 ? `any of ${others} figures` : "its figure";
      return [`No difference between A and B is shown in ${which}.`, ...reach(found)];
    }
    const names = named(seen.slice(TOLD).map((row) => rowName(of, row)));
    const rest = `Of ${counted(others, "other figure")} no difference is shown.`;
    return [
      `B: ${seen.slice(0, TOLD).map((row) => one(of, row)).join("; ")}.`,
      ...(names.length ? [`Other figures differ too: ${names.join(", ")}.`] : []),
      ...(others ? [rest] : []),
    ];
  }

  /** Return how much of the difference one game shows: it over the root mean square of the standard deviations. */
  function effect({ difference, a, b }) {
    const spread = Math.sqrt((a.sd ** 2 + b.sd ** 2) / 2);
    if (!spread) return difference.mean ? Infinity : 0;
    return Math.abs(difference.mean) / spread;
  }

  function one(of, row) {
    if (row.value) {
      const [a, b] = [row.a, row.b].map(({ mean }) => ({ mean: 100 * mean }));
      return `${plainName(of.main.reading)} is ${plainName(row.value)} in ${instead({ a, b }, " %")}: ${sureness(row, "points", 100)}`;
    }
    const unit = row.unit === "1" || row.title.split(" ").includes(row.unit) ? "" : ` ${row.unit}`;
    const less = row.difference.mean < 0 ? "less" : "more";
    return `${row.title} about ${said(Math.abs(row.difference.mean))}${unit} ${less} (${instead(row)}): ${sureness(row)}`;
  }

  function rowName(of, row) {
    return row.value ? `${plainName(of.main.reading)} ${plainName(row.value)}` : row.title;
  }

  /** Return the first names, and how many more there are. */
  function named(names) {
    const more = names.length - NAMED;
    return more > 0 ? [...names.slice(0, NAMED), `${more} more`] : names;
  }

  /** Say of which figures the difference may be large all the same. */
  function reach(found) {
    const wide = found.filter((row) => row.verdict === "open").map((row) => (row.value ? plainName(row.value) : row.title));
    const more = wide.length > NAMED ? ` and ${wide.length - NAMED} more` : "";
    return wide.length ? [`It may be large all the same, over a tenth, in ${wide.slice(0, NAMED).join(", ")}${more}.`] : [];
  }

  /** Return what can be drawn: [key, words, what the shares are of, what the bars are], readings first. */
  function choices(of) {
    const readings = of.readings.map(({ name, kind }) => {
      const each = kind === "set" ? "colour is in it" : "is read";
      return [`read ${name}`, `${plainName(name)}: how often each ${each}`, "what was read", plainName(name)];
    });
    const games = of.figures.map(({ key, title }) => [`game ${key}`, `games by ${plainName(title)}`, "games", plainName(title)]);
    return [...readings, ...games];
  }

  /** Return what is drawn of a choice: { labels, shares (a list a side), values of a reading or null }. */
  function drawn(of, sides, choice) {
    const name = choice.slice(5);
    if (choice.startsWith("game "))
      return binned(sides.map((side) => side.figures[of.figures.findIndex(({ key }) => key === name)]));
    const times = sides.map((side) => new Map(side.read[name].values));
    const isNumber = of.readings.find((reading) => reading.name === name).kind === "number";
    const all = [...new Set(times.flatMap((each) => [...each.keys()]))];
    const values = isNumber ? all.sort((a, b) => a - b) : all;
    const share = (side, i) => values.map((value) => (times[i].get(value) ?? 0) / Math.max(side.read[name].reads, 1));
    return { labels: values.map((value) => plainName(String(value))), shares: sides.map(share), values };
  }

  /** Count the games' values of a figure, one list a side: each number of few whole ones, else some twenty steps. */
  function binned(lists) {
    const all = lists.flatMap((list) => [...list]);
    const least = all.reduce((a, b) => Math.min(a, b));
    const most = all.reduce((a, b) => Math.max(a, b));
    const isOne = most - least < 1e-9;
    const isWhole = all.every(Number.isInteger) && most - least <= 30;
    const step = isWhole || isOne ? 1 : niceStep(most - least, 20);
    const place = (value) => (isOne ? 0 : Math.floor(value / step + 1e-9)); // 0.35 / 0.05 is a little less than 7
    const first = place(least);
    const edge = (i) => (i * step).toFixed(Math.max(0, -Math.floor(Math.log10(step))));
    const label = (i) =>
      isOne ? String(Number(least.toFixed(3))) : isWhole ? String(i) : `${edge(i)} to ${edge(i + 1)}`;
    const labels = Array.from({ length: place(most) - first + 1 }, (_, i) => label(first + i));
    const shares = lists.map((list) => {
      const found = labels.map(() => 0);
      for (const value of list) found[place(value) - first] += 1 / list.length;
      return found;
    });
    return { labels, shares, values: null };
  }

  return { rows, deviceWords, ownWords, towerWords, pairWords, choices, drawn, told, shareOf };
})();
