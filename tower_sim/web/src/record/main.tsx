// The page begins: the night that the browser keeps, or the one in a link.

import { render } from "preact";
import { install } from "../common/app";
import { find, ignoreDoubleTaps, shows, startTheme, unpacked } from "../common/browser";
import { openBets, pValue } from "./law";
import { View, open, ui, verdict } from "./view";
import { csv, data, expected, model, night, played, runTest, settled, start } from "./state";

function show(): void {
  render(<View />, find("app"));
}

async function follow(): Promise<void> {
  const link = location.hash;
  if (!link.startsWith("#record=")) return;
  history.replaceState(null, "", "#record");
  try {
    await open(link);
  } catch (error) {
    ui.trouble = (error as Error).message;
  }
  show();
}

if (shows("record")) {
  install("Game night", "#record");
  ui.show = show;
  startTheme(show);
  ignoreDoubleTaps();
  const opened = unpacked(data.bets).then(openBets).catch(() => {}); // a browser without WebAssembly keeps the night all the same
  opened.then(() => start(show)).then(() => {
    show();
    addEventListener("hashchange", follow);
    follow();
  });
  /** What other scripts may use: the CSV, what the model expected of each throw, the test against a model by its name, a promise that all taps are kept and shown. */
  Object.assign(window, {
    towerSim: {
      csv: () => (night ? csv() : ""),
      settled,
      expected: () => expected(played()),
      test: (name = model().name) => {
        const found = runTest(played(), name);
        return { ...found, p: pValue(found.e), pColours: pValue(found.colours.e), says: verdict(name) };
      },
    },
  });
}
