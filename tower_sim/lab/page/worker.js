// Jobs that take a while, in a worker: first results after few games, then all. Where no worker can be made the page does
// them itself, a little at a time.

const SOURCE = typeof document === "undefined" ? "" : document.currentScript.textContent;
const FIRST = 250; // games before the first result
const STEP = 500; // games between two looks at whether the job is still wanted

const jobs = {
  /** Whole games of A, or pairs of A and B from the same words. */
  rules(lab, { a, b, seed }) {
    const four = seedWords(seed);
    const sides = [a, b].filter(Boolean).map((variant) => figures.tally(lab.towers[variant.tower], variant));
    const sums = statistics.moments(figures.KEYS.length);
    return {
      play(first, count) {
        for (let game = first; game < first + count; game++) {
          for (const side of sides) side.add(four, game);
          statistics.add(sums, sides[0].values, b ? sides[1].values : null);
        }
      },
      result: () => ({ sums, sides: sides.map((side) => side.summary()) }),
    };
  },

  /** Battles of two forces. */
  fight(lab, { setup, ship, seed }) {
    const four = seedWords(seed);
    const odds = battle.none(lab.ships[ship].law);
    return {
      play: (first, count) => battle.add(odds, setup, lab.ships[ship], four, first, count),
      result: () => odds,
    };
  },
};

/** Do a job: tell({ done, games, result }), the result whenever the number of games has doubled; stop when not wanted. */
async function doJob(lab, job, tell, isWanted) {
  const work = jobs[job.kind](lab, job);
  let told = 0;
  for (let done = 0; done < job.games; ) {
    const count = Math.min(done ? job.step ?? STEP : job.first ?? FIRST, job.games - done);
    work.play(done, count);
    done += count;
    const isDue = done >= 2 * told || done === job.games;
    if (isDue) told = done;
    tell({ done, games: job.games, result: isDue ? work.result() : null });
    await pause();
    if (!isWanted()) return;
  }
}

/** Let messages in. */
function pause() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

/** Be a worker: the first message is the lab's laws, every other a job, which ends the one before. */
function startWorker() {
  let lab = null;
  let latest = 0;
  self.onmessage = async ({ data }) => {
    if (data.lab) {
      lab = data.lab;
      return;
    }
    latest = data.id;
    try {
      await doJob(lab, data, (told) => data.id === latest && self.postMessage({ id: data.id, ...told }), () => data.id === latest);
    } catch (error) {
      self.postMessage({ id: data.id, wrong: error.message });
    }
  };
}

/** Return `ask(job, told, wrong)` for the page: the newest job's results; an older one is given up. */
function makeAsk(lab) {
  let worker = null;
  let number = 0;
  let listener = () => {};
  try {
    worker = new Worker(URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" })));
    worker.postMessage({ lab });
    worker.onmessage = ({ data }) => data.id === number && listener(data);
    worker.onerror = () => (worker = null);
  } catch {
    worker = null; // this browser makes no worker of a page's own text
  }
  return (job, told, wrong) => {
    number++;
    const own = number;
    listener = (data) => (data.wrong ? wrong(data.wrong) : told(data));
    if (worker) worker.postMessage({ id: own, ...job });
    else doJob(lab, job, (data) => own === number && told(data), () => own === number).catch((error) => wrong(error.message));
  };
}
