// The page begins: keys, links, and what other scripts may use.

import { render } from "preact";
import { install } from "../common/app";
import { find, isTakenKey, packedOf, runsPhysics, shows, startTheme, workerMaker } from "../common/browser";
import { handleKeys } from "../scene/hands";
import { readLink } from "./link";
import { Live } from "./live";
import { View } from "./view";

function connect(live: Live): void {
  handleKeys(live.keys);
  document.addEventListener("keydown", (event) => digit(live, event));
  document.addEventListener("keyup", (event) => {
    if (event.key.toLowerCase() === "p") live.pouring = false;
  });
  startTheme(() => live.themeChanged());
  window.addEventListener("hashchange", () => {
    live.run(async () => {
      const link = readLink(location.hash);
      if (link) await live.follow(link);
    });
  });
}

function digit(live: Live, event: KeyboardEvent): void {
  const found = /^Digit([1-9])$/.exec(event.code);
  const colour = found && !isTakenKey(event) && live.apparatus && live.offered[Number(found[1]) - 1];
  if (!colour) return;
  event.preventDefault();
  live.add(colour, event.shiftKey ? -1 : 1);
}

/**
 * What other scripts may use: `state` (its token), `profile`, `busy` (a promise, done when all that was asked is begun),
 * `moves`, `counts()` (by colour {inside, out}), `held` (by colour), `handAt` (where on the page, [x, y]), `finish()`
 * (a promise: all lies still), `link(isBefore)`, `frames` (pictures drawn), `listener` (called with the word and details
 * of what happens: throw, out, again, failed, rest, state).
 */
function makeApi(live: Live) {
  return {
    get state() { return live.tower.state.token; },
    get profile() { return live.apparatus!.name; },
    get busy() { return live.busy; },
    get moves() { return live.tower.moves; },
    get held() { return live.hand.counts(); },
    get frames() { return live.frames; },
    get handAt() {
      const [at] = live.hand.places();
      return at ? live.stage.camera.placeOf(at).slice(0, 2) : null;
    },
    counts: () => Object.fromEntries(live.tower.counts()),
    finish: () => live.tower.finish(),
    link: (isBefore: boolean) => live.link(isBefore),
    set listener(listener: Live["listener"]) { live.listener = listener; },
  };
}

async function main(): Promise<void> {
  const root = find("app");
  const fail = (line: string) => render(<p id="trouble" class="trouble" role="alert">{line}</p>, root);
  if (!runsPhysics()) {
    return fail("This browser has no WebAssembly or no workers, which the physics needs; open the page in a newer one, or in this one a throw that was recorded (tower-sim page replay).");
  }
  try {
    const live: Live = new Live(await packedOf("live"), await workerMaker(), () => render(<View live={live} />, root));
    connect(live);
    await live.start();
    Object.assign(window, { towerSim: makeApi(live) });
  } catch (error) {
    fail(`The tower cannot be shown: ${(error as Error).message}`);
  }
}

if (shows("live")) {
  install("Cube tower");
  main();
}
