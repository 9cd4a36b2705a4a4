// A module of Foundry: /roll tower(4blue) throws four blue cubes into the world's tower. `tower-sim` is the folder of the
// package beside this file.
import { register } from "./tower-sim/plugins/foundry.js";
import { amerigo } from "./tower-sim/towers/amerigo.js";

Hooks.once("init", () => {
  const { world, TowerTerm } = register({ tower: amerigo, CONFIG, foundry, settings: game.settings, module: "cube-tower" });
  game.modules.get("cube-tower").api = { world, TowerTerm };
});
