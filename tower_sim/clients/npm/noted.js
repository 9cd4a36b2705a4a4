// What a player noted of a round, and the round of the log that it is of: one, and one in which something was drawn.
// tower_sim/service/verifiable/noted.py says the same, in the same words, and why.

/** Return what a log says by which a player may know a round again; `add` takes a text, what it is and its round, if it has one. */
export function saidIn() {
  const said = new Map();
  const found = (one) => {
    const digits = spelt(one);
    return [...(said.get(one) ?? []), ...((digits !== one && !/[^0-9a-f]/.test(digits) && said.get(digits)) || [])];
  };
  const nearly = (one) => {
    for (const [text, [{ what }]] of said) {
      if (what === "words" && spelt(text) === spelt(one)) {
        return ` in these letters: words in it are '${text}', and other capital letters or spaces make other draws; if you had ` +
          "sent just those, note them so";
      }
    }
    return "";
  };

  return {
    add(text, what, round) {
      if (!said.has(text)) said.set(text, []);
      said.get(text).push({ what, round });
    },
    /** Return the `round` that all that was noted is of, what is `wrong` (""), and what each was `found` to be; null for nothing. */
    lookFor(noted, drawn) {
      const wrong = (what) => ({ round: null, wrong: what, found: [] });
      let left = [...drawn.keys()];
      const kinds = [];
      for (const one of noted) {
        const here = found(one);
        if (!here.length) return wrong(`what you noted, ${shown(one)}, is not in it${nearly(one)}`);
        const isOf = (name) => here.some(({ round }) => round === undefined || round === name);
        const both = left.filter(isOf);
        if (!both.length) {
          const others = [...new Set(here.map(({ round }) => round))].sort().join(" or ");
          return wrong(`what you noted is not of one round: ${shown(one)} is of round ${others}, and the rest of round ${left.join(" or ")}`);
        }
        left = both;
        kinds.push(here.find(({ round }) => round === undefined || left.includes(round)).what);
      }
      if (!noted.length) return null;
      if (left.length !== 1) return wrong(`what you noted is of ${left.length} rounds: note the commitment of yours, too`);
      const empty = drawn.get(left[0]) ? "" : `nothing was drawn in the round that you noted, ${left[0]}`;
      return { round: left[0], wrong: empty, found: kinds };
    },
  };
}

/** Return a text without spaces, in small letters. */
export function spelt(text) {
  return text.replace(/\s/g, "").toLowerCase();
}

/** Return what was noted as texts; throws a RangeError for what is empty. */
export function checkedNotes(noted) {
  const texts = [...noted].map(String);
  if (texts.every((text) => text.trim())) return texts;
  throw new RangeError("what you noted is ''; allowed is a commitment, words, a round's number or the hash of a line");
}

function shown(text) {
  return [...text].slice(0, 40).join("").replace(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, "?");
}
