// The page as a whole: tabs, the address, light and dark, and what other scripts may ask.

let ask = null;
let askFight = null;

function startPage() {
  let wrong = "";
  const chosen = location.hash.length > 1 ? location.hash : document.querySelector("main").dataset.chosen;
  if (chosen) {
    try {
      Object.assign(state, unlinked(chosen));
    } catch (error) {
      wrong = `The address cannot be read: ${error.message} The page shows the usual rules.`;
    }
  }
  const given = laws();
  [ask, askFight] = [makeAsk(given), makeAsk(given)];
  startTheme(find("theme"), () => {});
  startDialog(find("about-open"), find("about"));
  startTabs();
  rulesTab.start();
  wholeTab.start();
  fightTab.start();
  startSeed(find("seed"));
  find("games").replaceChildren(...GAMES.map((count) => make("option", { value: count, text: count.toLocaleString("en") })));
  find("games").addEventListener("change", () => change({ games: Number(find("games").value) }));
  listeners.push(showCounts);
  showCounts();
  startSteps();
  startShare();
  listeners.push(onceAFrame(() => remember()));
  addEventListener("hashchange", moved);
  find("program").textContent = lab.program;
  if (wrong) sayTrouble(wrong);
  showTab();
  rulesTab.play();
  if (state.tab !== "rules") change({ tab: state.tab });
  window.towerSim = {
    /** What is chosen on the page, as plain data. */
    state: () => copied(state),
    /** Choose: any part of `state()`; throws a RangeError of one line for what the page cannot play. */
    choose: (part) => {
      const found = unlinked(linked({ ...state, ...copied(part) }));
      change({ ...found, edit: found.b && (part.edit ?? state.edit) === "b" ? "b" : "a" }, true);
    },
    /** Go back to what was chosen before, and forth again. */
    undo: steps.undo,
    redo: steps.redo,
    /** The newest figures of house rules: { done, games, sums, sides, rows }, null before the first. */
    result: () => rulesTab.result(),
    /** The newest odds of battles, null before the first. */
    battles: () => fightTab.result(),
    /** The game that is shown drop by drop. */
    game: () => wholeTab.game(),
    /** The rules file of A or B, and the figures as CSV: what the buttons save. */
    toml: (side) => toml(state[side]),
    csv: () => rulesTab.table(),
    /** The address's hash of what is chosen. */
    link: () => linked(state),
  };
}

function startSeed(field) {
  field.value = state.seed;
  field.addEventListener("change", () => {
    try {
      change({ seed: checkedSeed(field.value) });
      find("seed-note").textContent = "";
    } catch {
      find("seed-note").textContent = "A seed is a whole number below 2^128.";
    }
    field.value = state.seed;
  });
}

/** Show how many games are played, and from which seed. */
function showCounts() {
  find("seed").value = state.seed;
  find("games").value = state.games;
}

function startSteps() {
  find("undo").addEventListener("click", steps.undo);
  find("redo").addEventListener("click", steps.redo);
  addEventListener("keydown", (event) => {
    const isText = event.target.matches("input[type=text], input[type=number]"); // these take back their own letters
    if (isText || document.querySelector("dialog[open]") || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) steps.redo();
    else steps.undo();
  });
  const show = () => {
    const held = document.activeElement;
    find("undo").disabled = !steps.canUndo();
    find("redo").disabled = !steps.canRedo();
    if (held === find("undo") && held.disabled) find("redo").focus();
    if (held === find("redo") && held.disabled) find("undo").focus();
  };
  listeners.push(show);
  show();
}

function startTabs() {
  const tabs = TABS.map((name) => find(`tab-${name}`));
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => change({ tab: TABS[i] }));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      let to = i;
      do to = (to + step + tabs.length) % tabs.length;
      while (tabs[to].hidden);
      change({ tab: TABS[to] });
      tabs[to].focus();
    });
  });
  listeners.push((keys) => keys.includes("tab") && showTab());
}

function showTab() {
  for (const name of TABS) {
    const isChosen = name === state.tab;
    find(`tab-${name}`).setAttribute("aria-selected", String(isChosen));
    find(`tab-${name}`).tabIndex = isChosen ? 0 : -1;
    find(`panel-${name}`).hidden = !isChosen;
  }
  if (state.tab === "rules") rulesTab.show();
}

let remembering = 0;

/** Keep what is chosen in the address, when nothing has changed for a moment. */
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(keep, 250);
}

/** Put what is chosen into the address; a browser may refuse that when it is asked too often. */
function keep() {
  try {
    history.replaceState(null, "", linked(state));
  } catch {
    remembering = setTimeout(keep, 5000);
  }
}

/** Follow the address when somebody changes it: the event's own, for `keep` may have written another since. */
function moved(event) {
  try {
    const found = unlinked(new URL(event.newURL).hash);
    sayTrouble("");
    change(found, true);
  } catch (error) {
    sayTrouble(`The address cannot be read: ${error.message} What was chosen stays.`);
  }
}

/** The dialog that gives away what is chosen, as a file or as a link, and takes a link. */
function startShare() {
  const tell = (line) => (find("share-told").textContent = line);
  find("share").addEventListener("click", () => {
    find("share-link").value = linkOf(state);
    find("share-given").value = "";
    tell("");
  });
  startDialog(find("share"), find("share-dialog"));
  find("share-page").addEventListener("click", () => {
    save("tower-lab.html", pageOf(state), "text/html");
    tell("The page is saved: whoever opens the file sees what is chosen here.");
  });
  find("share-copy").addEventListener("click", async () => {
    find("share-link").select();
    try {
      await navigator.clipboard.writeText(find("share-link").value);
      tell("The link is copied.");
    } catch {
      tell("This browser does not let the page copy: the link is marked, copy it.");
    }
  });
  find("share-take").addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      change(unlinked(find("share-given").value.trim()), true);
      sayTrouble("");
      find("share-dialog").close();
    } catch (error) {
      tell(`The link cannot be read: ${error.message} What was chosen stays.`);
    }
  });
}

if (IS_PAGE) startPage();
else startWorker();
