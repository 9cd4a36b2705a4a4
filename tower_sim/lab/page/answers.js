// What the tabs share: a job with its bar, the sentences that answer, tables of means.

/**
 * Let a worker do a tab's job: its bar shows how far it is, `taken(result, done)` shows what there is so far. When all is
 * done, or refused, the bar goes; the answer is then said to those who cannot see it.
 */
function work(tab, asking, job, taken) {
  find(`${tab}-busy`).hidden = false;
  const told = ({ done, games, result }) => {
    Object.assign(find(`${tab}-progress`), { max: games, value: done });
    if (result) taken(result, done);
    if (done < games) return;
    find(`${tab}-busy`).hidden = true;
    find(`${tab}-told`).textContent = [...find(`${tab}-lead`).children].map((line) => line.textContent).join(" ");
  };
  asking(job, told, (line) => {
    find(`${tab}-busy`).hidden = true;
    sayTrouble(line);
  });
}

/** Answer in a tab: sentences first, how sure they are, and warnings of what the model was not fitted to. */
function answer(tab, sentences, sure_, warnings) {
  const lines = (name, all) => all.filter(Boolean).map((text) => make("p", { class: name, text }));
  find(`${tab}-lead`).replaceChildren(...lines("lead", sentences));
  find(`${tab}-sure`).textContent = sure_;
  find(`${tab}-beyond`).replaceChildren(...lines("warning", warnings));
}

/** Return the table of rows of A and B; told(row, value, half, sign) writes a number. */
function pairTable(rows, told) {
  const cells = (row) => {
    const { low, high, half, mean } = row.difference;
    const means = [row.a.mean, row.b.mean].map((value) => told(row, value, half || row.a.half));
    const interval = row.isConstant ? "-" : `${told(row, low, half, true)} to ${told(row, high, half, true)}`;
    return [row.title, ...means, told(row, mean, half, true), interval, degree(row)];
  };
  return tableOf("Means over games", ["figure", "A", "B", "B - A", "95 % interval", "how sure"], rows.map(cells));
}

/** Return the table of rows of A alone. */
function oneTable(rows, told) {
  const interval = (row) => [row.a.low, row.a.high].map((value) => told(row, value, row.a.half)).join(" to ");
  return tableOf(
    "Means over games",
    ["figure", "mean", "95 % interval"],
    rows.map((row) => [row.title, told(row, row.a.mean, row.a.half), row.a.half > 1e-9 ? interval(row) : "always"]),
  );
}
