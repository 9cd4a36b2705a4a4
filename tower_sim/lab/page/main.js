// The page as a whole: tabs, the address, light and dark, and what other scripts may ask.

let ask = null;
let askFight = null;
let askOthers = null;

function startPage() {
  let wrong = "";
  if (location.hash.length > 1) {
    try {
      Object.assign(state, unlinked(location.hash));
    } catch (error) {
      wrong = `${error.message} The page shows the usual rules.`;
    }
  }
  const given = laws();
  [ask, askFight, askOthers] = [makeAsk(given), makeAsk(given), makeAsk(given)];
  startTheme(find("theme"), () => {});
  startDialog(find("about-open"), find("about"));
  startTabs();
  rulesTab.start();
  wholeTab.start();
  fightTab.start();
  othersTab.start();
  startSeed(find("seed"));
  find("games").replaceChildren(...GAMES.map((count) => make("option", { value: count, text: count.toLocaleString("en"), selected: count === state.games })));
  find("games").addEventListener("change", () => change({ games: Number(find("games").value) }));
  find("share").addEventListener("click", share);
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
    /** Choose: any part of `state()`. */
    choose: (part) => {
      change(copied(part), true);
    },
    /** The newest figures of house rules: { done, games, sums, sides, rows }, null before the first. */
    result: () => rulesTab.result(),
    /** The newest odds of battles, null before the first. */
    battles: () => fightTab.result(),
    /** The newest figures of declared games, null before the first. */
    others: () => othersTab.result(),
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
    find("seed").value = state.seed;
    find("games").value = state.games;
  } catch (error) {
    sayTrouble(`${error.message} What was chosen stays.`);
  }
}

async function share() {
  const address = location.href.split("#")[0] + linked(state);
  keep();
  try {
    await navigator.clipboard.writeText(address);
    find("share-told").textContent = "The address is copied: it has all that is chosen here.";
  } catch {
    find("share-told").textContent = "The address of this page now has all that is chosen here: copy it.";
  }
}

if (IS_PAGE) startPage();
else startWorker();
