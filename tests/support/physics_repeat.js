// Repeats chains of throws with a module of the physics, in Node and in a page alike.

/** Return { steps, windows, differ: [{ apparatus, step, expected, found }] }. */
export async function repeated({ openPhysics, pcg64, documentOf, documentText, taken, tokenOf, readToken }, bytes, profiles, chains) {
  const colours = ["blue", "black", "red", "brown", "green", "yellow", "white", "purple"];
  const models = {};
  for (const name of Object.keys(profiles)) models[name] = await openPhysics(profiles[name], bytes);
  const differ = [];
  let steps = 0;
  let windows = 0;
  for (const { apparatus, steps: asked } of chains) {
    const model = models[apparatus];
    let state = model.empty();
    for (const step of asked) {
      const expected = step.error ? "refused" : step.line;
      let found;
      try {
        const after = done(model, state, step, steps++ % 2 === 1);
        found = after.outcome ? documentText(documentOf(after.outcome, 7, colours)) : JSON.stringify(tokenOf(after.state));
        // as a token, every third time: what is read back is looked through by the door
        state = steps % 3 === 0 ? readToken(tokenOf(after.state)) : after.state;
      } catch (error) {
        found = error instanceof RangeError && error.path ? "refused" : String(error.stack);
      }
      if (found !== expected) differ.push({ apparatus, step: { ...step, line: undefined }, expected, found });
    }
  }
  return { steps, windows, differ };

  function done(model, state, step, isSlow) {
    if (step.kind === "take") return { state: taken(state, step.cubes) };
    const rng = pcg64(step.seed, step.key);
    const cubes = (step.cubes ?? []).map(([id, colour]) => ({ id, colour }));
    const launches = (step.launches ?? []).map(([at, ...row], i) => ({
      cube: cubes[i], windows: at, pose: row.slice(0, 7), velocity: row.slice(7, 10), spin: row.slice(10),
    }));
    const what = {
      drop: { kind: "drop", state, cubes, rng },
      knock: { kind: "knock", state, strength: step.strength, rng },
      place: { kind: "place", state, cube: step.cube && { id: step.cube[0], colour: step.cube[1] }, zone: step.zone, rng },
      hand: { kind: "hand", state, launches },
    }[step.kind];
    const outcome = isSlow ? (step.kind === "hand" ? byHand(model, state, launches) : slowly(model.begin(what))) : atOnce(model, what);
    return { outcome, state: outcome.state };
  }

  function atOnce(model, { kind, state, ...what }) {
    if (kind === "drop") return model.drop(state, what.cubes, what.rng);
    if (kind === "knock") return model.knock(state, what.strength, what.rng);
    return kind === "place" ? model.place(state, what.cube, what.zone, what.rng) : model.throwByHand(state, what.launches);
  }

  function slowly(run) {
    for (let isDone = false; !isDone; ) {
      const { done: isOver, frames, numbers, windows: taken_ } = run.advance(3);
      if (frames.length !== 7 * numbers.length * taken_) throw new Error("frames of another number");
      windows += taken_;
      isDone = isOver;
    }
    return run.outcome();
  }

  /** A throw by hand as in a page: a launch is made when its time has come. */
  function byHand(model, state, launches) {
    const run = model.begin({ kind: "hand", state });
    for (const launch of launches) {
      while (run.passed() < launch.windows) {
        if (run.advance(launch.windows - run.passed()).done) return model.throwByHand(state, launches); // a cube had escaped
      }
      run.launch(launch);
    }
    run.close();
    return slowly(run);
  }
}
