// Plain words: what a player will notice, and how sure that is, as `tower-sim compare` says it.

/** Write a number as people say it: whole from 20, else with one decimal, below 1 with two figures. */
function said(value) {
  const size = Math.abs(value);
  if (size >= 20) return value.toFixed(0);
  return size >= 0.95 ? value.toFixed(1) : String(Number(value.toPrecision(2)));
}

/** Write a value with the decimals that half the width of its interval leaves. */
function exact_(value, half, sign = false) {
  const decimals = half > 0 ? Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(half))))  : 4;
  return `${sign && value >= 0 ? "+" : ""}${value.toFixed(decimals)}`;
}

function percent(share) {
  if (share === 0 || share === 1) return share ? "all" : "none";
  return share < 0.001 ? "under 0.1 %" : share > 0.999 ? "over 99.9 %" : `${(100 * share).toFixed(1)} %`;
}

/** Say both means with so many decimals that they differ, as they do. */
function instead(row, unit = "") {
  let pair = [said(row.b.mean), said(row.a.mean)];
  for (let decimals = 2; pair[0] === pair[1] && decimals < 7; decimals++) {
    pair = [row.b.mean.toFixed(decimals), row.a.mean.toFixed(decimals)];
  }
  return `${pair[0]}${unit} instead of ${pair[1]}`;
}

function sure(row) {
  return row.adjusted <= statistics.CERTAIN ? "certain" : "very likely";
}

/** Say how large a difference that is not shown can be. */
function unsure(row, unit) {
  if (row.isConstant) return row.difference.mean === 0 ? "no game differs" : "too few games to tell";
  const most = Math.max(Math.abs(row.difference.low), Math.abs(row.difference.high));
  return `no difference is shown, and it is most likely under ${said(most)} ${unit}`.trim();
}

/** Say of rows by key what differs between A and B in a player's words: sentences. */
function differs(rows, choices) {
  const { inside, actions, action_points: points, gold, gold_with_token: token } = rows;
  const cubes = inside.shown
    ? `B: about ${said(Math.abs(inside.difference.mean))} ${inside.difference.mean < 0 ? "fewer" : "more"} cubes stay in the tower (${instead(inside)}): ${sure(inside)}.`
    : `In B about as many cubes stay in the tower as in A (${said(inside.a.mean)}): ${unsure(inside, "cubes")}.`;
  const share = (value) => `${(100 * value).toFixed(0)} %`;
  const phases = `two or more in ${share(choices[1])} of the phases`;
  const ofActions = actions.shown
    ? `There are ${instead(actions, " actions to choose from in a phase")} (${phases} instead of ${share(choices[0])})`
    : `There are about as many actions to choose from (${said(actions.a.mean)} in a phase; two or more in ${share(choices[0])} of the phases)`;
  const ofPoints = points.shown ? `with ${instead(points, " action points")}` : `with about as many action points (${said(points.a.mean)})`;
  const [first, second] = [actions, points].map((row) => (row.shown ? sure(row) : "no difference is shown"));
  const choice = first === second ? `${ofActions}, ${ofPoints}: ${first}.` : `${ofActions}: ${first}; ${ofPoints}: ${second}.`;
  const paid = token.shown && !gold.shown ? token : gold;
  const by = paid === token ? " with the gold token" : "";
  const pays = paid.shown
    ? `Passing${by} pays ${instead(paid, " gold")}: ${sure(paid)}.`
    : `Passing pays about as much gold${by} (${said(paid.a.mean)}).`;
  return [cubes, choice, pays];
}

/** Say what a game with these rules is like: sentences. */
function alone(rows, choice, cubes) {
  const { inside, actions, action_points: points, gold, skipped } = rows;
  const none = skipped.a.mean < 0.05 ? "" : ` ${said(skipped.a.mean)} phases of a game bring no cube out at all.`;
  return [
    `There are ${said(actions.a.mean)} actions to choose from in a phase, with ${said(points.a.mean)} action points; ` +
      `in ${(100 * choice).toFixed(0)} % of the phases there is a choice of two or more.`,
    `${said(inside.a.mean)} of ${counted(cubes, "cube")} stay in the tower on average, and passing pays ${said(gold.a.mean)} gold.${none}`,
  ];
}

/** Say how sure the figures are of so many games. */
function howSure(row, games, isPaired) {
  const what = isPaired
    ? `${games.toLocaleString("en")} games of each, in pairs: A and B get the same luck, cube by cube, as far as they throw alike.`
    : `${games.toLocaleString("en")} games.`;
  const half = (isPaired && row.difference.half) || row.a.half;
  return `${what} ${isPaired ? "The difference in actions to choose from" : "The mean number of actions"} is right to about ±${exact_(half, half)}, if the tower is as the model has it.`;
}

/** Say what the model of a tower is, and how close. */
function modelWords(tower) {
  const made = `The tower ${tower.name} here is a model without physics: a law of chances, fitted to ${tower.drops.toLocaleString("en")} simulated drops of ${tower.runs.toLocaleString("en")} runs${tower.engine ? ` (engine ${tower.engine})` : ""}.`;
  const close = tower.close || "How close its games are to those of physics was not measured, or is not known here: tower-sim surrogate check tells it.";
  return `${made} ${close}`;
}

/** Warn of drops unlike those that a model was fitted to; empty for hardly any. */
function beyondWords(name, share) {
  if (!(share > 0.0005)) return "";
  return `Careful: in ${percent(share)} of the drops of ${name} more or fewer cubes are thrown or inside than in the drops that the model was fitted to. There it is a guess; tower-sim play --model physics plays them too.`;
}
