/** A throw, with everything needed to repeat it and to go on from it. */
export interface DropDocument {
  readonly schema: "tower-sim/outcome"
  readonly version: 1
/** The seed: the same request with it gets the same answer. */
  readonly seed: string
/** The model that drew it. */
  readonly model: string
/** The tower or the ship. */
  readonly apparatus: string
/** Whether the cubes came to rest or jammed. */
  readonly status: ("settled" | "jammed")
/** How many draws it took. */
  readonly attempts: number
/** A number of cubes by colour. */
  readonly thrown: {
  readonly [k: string]: number
}
/** A number of cubes by colour. */
  readonly emerged: {
  readonly [k: string]: number
}
/** A number of cubes by colour. */
  readonly inside: {
  readonly [k: string]: number
}
/** A number of cubes by colour. */
  readonly knocked_out: {
  readonly [k: string]: number
}
/** Whether the model was fitted to no such counts. */
  readonly extrapolated: boolean
/** How often a cube fell next to the funnel and was thrown again. */
  readonly missed: number
/** Where each cube lies. */
  readonly landings: LandingAnswer[]
/** The state to go on from. */
  readonly state: string
}
/** Where a cube came to rest. */
export interface LandingAnswer {
/** The number of the cube. */
  readonly cube: number
/** Its colour. */
  readonly colour: string
/** Where it lies, such as tray or inside:funnel. */
  readonly place: string
}
/**
 * The part of the game that house rules change, and the knocks on the table; the default is the published game.
 * 
 * Source: Amerigo rulebook, components and course of the game. That blue is first, white last and the order clockwise
 * is said there; that the phases between follow the order in which the components list the colours is inferred.
 */
export interface Rules {
/** the name of these rules */
  readonly name?: string
/** the colours, each an action, in the order of the storage spaces around the wheel */
  readonly colours?: readonly string[]
/** whose storage space is thrown, phase by phase; an empty list means the order of the colours */
  readonly phases?: readonly string[]
/** cubes of each colour, or a number for each of them */
  readonly cubes?: (number | {
  readonly [k: string]: number
})
/** rounds of a game, each with all phases */
  readonly rounds?: number
/** passing pays one gold for so many cubes out, rounded up */
  readonly gold_divisor?: number
/** the same with the gold token */
  readonly gold_divisor_with_token?: number
/** cubes of this colour stand in for an absent one; "" means none */
  readonly substitute?: string
  readonly rulings?: TokenRulings
}
/** choices where the rulebook is silent */
export interface TokenRulings {
/** rulebook: silent (lines 394-402, 573). carried_out: White stands in for a colour: tokens of the action that is carried out pay. chosen: White stands in for a colour: tokens of the white action pay, since white was chosen. both: White stands in for a colour: tokens of both actions pay. */
  readonly stand_in_tokens?: ("carried_out" | "chosen" | "both")
/** rulebook: silent (lines 402, 611-615). not_there: An exchange token asks for cubes of its colour; white that stands in for it is none. there: An exchange token takes white that stands in for its colour for cubes of that colour. */
  readonly stand_in_exchange?: ("not_there" | "there")
}
