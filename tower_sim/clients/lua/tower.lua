-- A cube tower without physics, for Tabletop Simulator (MoonSharp) and Lua 5.2 to 5.4. Counts of cubes go in, counts
-- come out, and the state keeps what stays inside. docs/surrogate.md specifies every step.
--
--   local state, out = tower.start({1, 2, 3, 4}) -- an empty tower; the seed is four whole numbers below 2^32
--   state, out = tower.drop(state, {blue = 4, red = 2}) -- `out` counts the cubes that came out, by colour
--   local saved = JSON.encode(state) -- a state is plain data: save it, load it, go on

local tower = {}

local WORD = 4294967296 -- 2^32
local OUT = -1
local MOST_CUBES = 10000 -- inside and thrown

-- The fitted table: the command `tower-sim model export` writes it here.
local MODEL = nil
tower.MODEL = MODEL

local function check(is_allowed, what, value, allowed)
  if not is_allowed then error(what .. " is " .. tostring(value) .. "; allowed is " .. allowed, 0) end
end

local function check_whole(what, value, most)
  local is_whole = type(value) == "number" and value >= 0 and value <= most and value == math.floor(value)
  check(is_whole, what, value, string.format("a whole number from 0 to %.0f", most))
end

-- Words are whole numbers from 0 to 2^32 - 1. No number below exceeds 2^53, so floating point holds each one exactly.

local exclusive_or = type(bit32) == "table" and bit32.bxor or function(a, b)
  local found, place = 0, 1
  while a + b > 0 do
    if a % 2 ~= b % 2 then found = found + place end
    a, b, place = math.floor(a / 2), math.floor(b / 2), 2 * place
  end
  return found
end

local function times(a, b) -- modulo 2^32; the upper half of `a` is multiplied apart
  return (math.floor(a / 65536) * b % 65536 * 65536 + a % 65536 * b) % WORD
end

local function rotated(a, power) -- to the left, by the logarithm of `power`
  return a * power % WORD + math.floor(a * power / WORD)
end

local function mixed(x) -- the finaliser of MurmurHash3
  x = times(exclusive_or(x, math.floor(x / 65536)), 2246822507) -- 0x85EBCA6B
  x = times(exclusive_or(x, math.floor(x / 8192)), 3266489909) -- 0xC2B2AE35
  return exclusive_or(x, math.floor(x / 65536))
end

--- Return the state of an empty tower. It draws from a seed of four words and the number of a stream (0 when left out).
function tower.start(seed, stream)
  check(type(seed) == "table", "seed", seed, "a list of four whole numbers")
  check_whole("stream", stream or 0, WORD - 1)
  local words = {}
  for i = 1, 4 do
    check_whole("seed[" .. i .. "]", seed[i], WORD - 1)
    words[i] = mixed((seed[i] + mixed(((stream or 0) + 2654435769 * i) % WORD)) % WORD) -- 0x9E3779B9
  end
  if words[4] % 2 == 0 then words[4] = words[4] + 1 end -- four zeros would stay zeros
  return {words = words, cubes = {}}
end

--- Return the next word of a generator and advance its four words: xoshiro128**.
function tower.next(words)
  local a, b, c, d = words[1], words[2], words[3], words[4]
  c, d = exclusive_or(c, a), exclusive_or(d, b)
  words[1], words[2] = exclusive_or(a, d), exclusive_or(b, c)
  words[3], words[4] = exclusive_or(c, b * 512 % WORD), rotated(d, 2048)
  return rotated(b * 5 % WORD, 128) * 9 % WORD
end

local function at(entries, index) -- the first has index 0; from the end on, the last
  return entries[math.min(index + 1, #entries)]
end

local function passes(odds, words) -- `odds` are log-odds; thresholds are chances times 2^32
  return tower.next(words) < (odds >= 0 and at(MODEL.thresholds, odds) or WORD - at(MODEL.thresholds, -odds))
end

-- Return a floor's log-odds to pass, for a cube that arrives and for one that lies there, without its own part.
local function odds_of(floor, index, cubes, thrown, words)
  local lying, fresh = 0, 0
  for _, cube in ipairs(cubes) do
    if cube.floor == index then
      lying = lying + 1
      if cube.age <= MODEL.fresh_to then fresh = fresh + 1 end
    end
  end
  local effect = floor.draws_effect and math.floor(tower.next(words) / 268435456) or 0 -- the first 4 bits
  return at(floor.arriving_thrown, thrown) + at(floor.arriving_lying, lying) + at(floor.arriving_fresh, fresh)
      + at(floor.arriving_effect, lying)[effect + 1],
    at(floor.lying_thrown, thrown) + at(floor.lying_lying, lying) + at(floor.lying_effect, lying)[effect + 1]
end

local function end_of(cube, arriving, lying, words)
  local first = 0
  if cube.floor then
    local floor = MODEL.floors[cube.floor + 1]
    local own = at(cube.crowd and floor.crowd or floor.age, cube.age)
    if not passes(lying[cube.floor + 1] + own, words) then return cube.floor end
    first = cube.floor + 1
  end
  for i = first, #MODEL.floors - 1 do
    local own = cube.floor and MODEL.floors[i + 1].pushed or 0
    if not passes(arriving[i + 1] + own, words) then return i end
  end
  return OUT
end

--- Return the floor where each of `cubes` ends, counted from 0, or -1 for out. `thrown` of them are thrown and have no
--- `floor`. A cube inside has `floor`, `age` (drops since its throw) and `crowd` (true if many were thrown with it).
function tower.ends(cubes, thrown, words)
  local arriving, lying, ends = {}, {}, {}
  if thrown > 0 then
    for i, floor in ipairs(MODEL.floors) do arriving[i], lying[i] = odds_of(floor, i - 1, cubes, thrown, words) end
  end
  for i, cube in ipairs(cubes) do ends[i] = thrown > 0 and end_of(cube, arriving, lying, words) or cube.floor end
  return ends
end

--- Throw cubes, counted by colour, into the tower. Return the state afterwards and the counts that came out.
function tower.drop(state, thrown)
  check(type(state) == "table" and state.words and state.cubes, "state", state, "what start or drop returned")
  check(type(thrown) == "table", "thrown", thrown, "counts by colour, such as {blue = 4}")
  local colours, cubes, number = {}, {}, 0
  for colour, count in pairs(thrown) do
    check(type(colour) == "string", "a colour of thrown", colour, "a word")
    check_whole("thrown." .. colour, count, MOST_CUBES - #state.cubes - number)
    colours[#colours + 1], number = colour, number + count
  end
  table.sort(colours) -- the order of `pairs` is not the same everywhere
  for i, cube in ipairs(state.cubes) do cubes[i] = cube end
  for _, colour in ipairs(colours) do
    for _ = 1, thrown[colour] do table.insert(cubes, {colour = colour, age = 0, crowd = number >= MODEL.crowd_from}) end
  end
  local words, inside, out = {state.words[1], state.words[2], state.words[3], state.words[4]}, {}, {}
  for i, floor in ipairs(tower.ends(cubes, number, words)) do
    local cube = cubes[i]
    if floor == OUT then
      out[cube.colour] = (out[cube.colour] or 0) + 1
    else
      table.insert(inside, {colour = cube.colour, floor = floor, age = cube.age + 1, crowd = cube.crowd})
    end
  end
  return {words = words, cubes = inside}, out
end

return tower
