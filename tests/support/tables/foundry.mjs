// Stand-ins of what Foundry's public API documents, as far as the module uses it, and what is asked of them: a JSON list of
// requests comes in, a list of answers goes out. `folder` is that of the npm package.
import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { register, thrownOf } = await import(`${folder}/plugins/foundry.js`);
const { amerigo } = await import(`${folder}/towers/amerigo.js`);

/** RollTerm as documented: evaluate() once, by _evaluate; toJSON keeps the attributes named; fromData looks in termTypes. */
class RollTerm {
  constructor({ options = {} } = {}) {
    this.options = options;
    this._evaluated = false;
  }
  static SERIALIZE_ATTRIBUTES = [];
  evaluate(options = {}) {
    if (this._evaluated) throw new Error("has already been evaluated and is now immutable");
    this._evaluated = true;
    return this._evaluate(options);
  }
  static fromData(data) {
    const term = new (CONFIG.Dice.termTypes[data.class] ?? RollTerm)(data);
    term._evaluated = data.evaluated ?? true;
    return term;
  }
  toJSON() {
    const { options, _evaluated: evaluated } = this;
    const more = this.constructor.SERIALIZE_ATTRIBUTES.map((name) => [name, this[name]]);
    return { class: this.constructor.name, options, evaluated, ...Object.fromEntries(more) };
  }
}

let CONFIG;
let stored = {}; // the world's database: text, by name
let isMaster = true;
let uniforms = 0;

function table(seed) {
  CONFIG = { Dice: { functions: {}, termTypes: {}, randomUniform: () => (uniforms++, (uniforms * 0.754877666) % 1) } };
  const known = {};
  const settings = {
    register: (module, key, data) => (known[`${module}.${key}`] = data),
    get: (module, key) => JSON.parse(stored[`${module}.${key}`] ?? JSON.stringify(known[`${module}.${key}`].default)),
    set: async (module, key, value) => {
      await null;
      if (!isMaster) throw new Error("User lacks permission to update Setting");
      stored[`${module}.${key}`] = JSON.stringify(value);
      return value;
    },
  };
  return register({ tower: amerigo, CONFIG, foundry: { dice: { terms: { RollTerm } } }, settings, module: "cube-tower", seed });
}

const requests = JSON.parse(readFileSync(0, "utf8"));
let now = table();
const failing = (error) => ({ error: `${error.name}: ${error.message}` });
const answers = [];
for (const [what, ...given] of requests) {
  if (what === "reload") now = table(...given);
  else if (what === "new world") (stored = {}), (uniforms = 0), (now = table(...given));
  else if (what === "player") isMaster = !given[0];
  else if (what === "parse") answers.push(await Promise.resolve(given).then(thrownOf).catch(failing));
  else if (what === "roll") answers.push(await CONFIG.Dice.functions.tower(...given).catch(failing));
  else if (what === "drop") answers.push(await now.world.drop(...given).catch(failing));
  else if (what === "together") answers.push(await Promise.all(given.map((each) => CONFIG.Dice.functions.tower(each))));
  else if (what === "inside") answers.push(now.world.inside());
  else if (what === "empty") answers.push((await now.world.empty(), now.world.inside()));
  else if (what === "stored") answers.push(JSON.parse(stored["cube-tower.tower"] ?? "null"));
  else if (what === "uniforms") answers.push(uniforms);
  else if (what === "term") {
    const [data, options] = given;
    const term = new CONFIG.Dice.termTypes.TowerTerm(data);
    const before = { total: term.total ?? null, isDeterministic: term.isDeterministic, expression: term.expression };
    const done = term.evaluate(options);
    const isAtOnce = done === term;
    await done;
    const plain = JSON.parse(JSON.stringify(term));
    const again = RollTerm.fromData(plain);
    answers.push({ before, isAtOnce, total: term.total, plain, again: { total: again.total, kind: again.constructor.name } });
  } else throw new Error(what);
}
console.log(JSON.stringify(answers));
