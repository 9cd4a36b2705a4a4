-- A cube tower without physics: what comes out of it when cubes are thrown in, drawn from a table of whole numbers.
-- One file without dependencies for Lua 5.2 to 5.4 and MoonSharp (Tabletop Simulator); no integers, no bit operators.
-- The same seed and stream give the same cubes as in Python, digit for digit: see docs/surrogate_portable.md.
--
--   local tower = require("tower")  -- or paste this file above your script, without its last line
--   local word = tower.words({1, 2, 3, 4}, 0)                 -- four whole numbers below 2^32, and the stream's number
--   local first = tower.drop(tower.empty(), {{id = 0, colour = "red"}, {id = 1, colour = "blue"}}, word)
--   local second = tower.drop(first.state, first.emerged, word)  -- what came out is thrown again
--   tower.game(tower.AMERIGO, {1, 2, 3, 4}, 0).emerged        -- a whole game: counts by drop and colour
--
-- What no drop can begin with is an error of one line: what was given, and what is allowed.

local tower = {}

local WORD = 4294967296 -- 2^32
local GOLDEN = 2654435769 -- 0x9E3779B9
local KIND = "xoshiro128**"
local OUT = -1
local LARGEST = 9007199254740991 -- 2^53 - 1: whole numbers to here are exact
local MOST_CUBES = 10000 -- of a game, or at a time
local MOST_DROPS = 100000 -- of a game
local ADVICE = "math.random() gives fractions: pass tower.words({1, 2, 3, 4}), "
  .. "or function() return math.random(0, 65535) * 65536 + math.random(0, 65535) end"

-- What was fitted: the command `tower-sim surrogate export` writes it here.
local MODEL = nil

-- The published game; the keys are those of a rules file. No `phases` means the order of `colours`.
tower.AMERIGO = {
  colours = {"blue", "black", "red", "brown", "green", "yellow", "white"},
  cubes = 7, -- of each colour, or a table with a number for every colour
  rounds = 5,
}
tower.MODEL = MODEL

-- What is not allowed.

local function short(text)
  text = string.gsub(text, "%c", " ")
  if #text <= 80 then return text end
  return string.sub(text, 1, 50) .. "..." .. string.sub(text, -20)
end

local function shown(value)
  if type(value) == "string" then return '"' .. short(value) .. '"' end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

local function refuse(what, value, allowed, advice)
  error(what .. " is " .. shown(value) .. "; allowed is " .. allowed .. (advice and "; " .. advice or ""), 0)
end

-- Return a whole number from `least` to `most` as the language counts; refuse everything else.
local function whole(what, value, least, most, advice)
  if type(value) == "number" and value >= least and value <= most and value == math.floor(value) then
    return math.floor(value)
  end
  local from = least == -LARGEST and "" or " from " .. least
  local to = most == WORD - 1 and " to 2^32 - 1" or most >= LARGEST - 1 and "" or " to " .. most
  return refuse(what, value, "a whole number" .. from .. to, advice)
end

local function check_table(what, value, allowed)
  if type(value) ~= "table" then refuse(what, value, allowed) end
end

local function check_list(what, value, of)
  check_table(what, value, "a list of " .. of)
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  if count ~= #value then refuse(what, value, "a list of " .. of .. ", without gaps and without other keys") end
end

local function four_words(what, value)
  check_list(what, value, "four whole numbers from 0 to 2^32 - 1")
  if #value ~= 4 then refuse(what, value, "a list of four whole numbers from 0 to 2^32 - 1; it has " .. #value) end
  local four = {}
  for i = 1, 4 do four[i] = whole(what .. "[" .. i .. "]", value[i], 0, WORD - 1) end
  return four
end

-- Words: whole numbers from 0 to 2^32 - 1.

-- Products stay below 2^53: the upper half of `a` is multiplied apart.
local function times(a, b)
  return (math.floor(a / 65536) * b % 65536 * 65536 + a % 65536 * b) % WORD
end

-- Return `a` with its highest bits, all but the lowest log2(split), moved to the other end.
local function rotated(a, split)
  return a % split * math.floor(WORD / split) + math.floor(a / split)
end

local BYTES = {} -- [256 * a + b]: the exclusive or of two numbers below 256
local function exclusive_or(a, b)
  local x, y = math.floor(a / 65536), math.floor(b / 65536)
  a, b = a % 65536, b % 65536
  return 16777216 * BYTES[256 * math.floor(x / 256) + math.floor(y / 256)] + 65536 * BYTES[256 * (x % 256) + y % 256]
    + 256 * BYTES[256 * math.floor(a / 256) + math.floor(b / 256)] + BYTES[256 * (a % 256) + b % 256]
end

if type(bit32) == "table" and bit32.bxor then
  exclusive_or = bit32.bxor
else
  for a = 0, 255 do
    for b = 0, 255 do
      -- the lowest bits differ, or not; what is above was found before
      local above = a + b > 1 and BYTES[256 * math.floor(a / 2) + math.floor(b / 2)] or 0
      BYTES[256 * a + b] = 2 * above + (a + b) % 2
    end
  end
end

-- Return a word that depends on every bit of the word `x`: the finaliser of MurmurHash3.
local function mixed(x)
  x = times(exclusive_or(x, math.floor(x / 65536)), 2246822507) -- 0x85EBCA6B
  x = times(exclusive_or(x, math.floor(x / 8192)), 3266489909) -- 0xC2B2AE35
  return exclusive_or(x, math.floor(x / 65536))
end

local function next_word(self)
  local state = self.state
  local a, b, c, d = state[1], state[2], state[3], state[4]
  local found = rotated(b * 5 % WORD, 33554432) * 9 % WORD -- 7 to the left
  c = exclusive_or(c, a)
  d = exclusive_or(d, b)
  self.state = { -- a new one: what was saved stays as it is
    exclusive_or(a, d),
    exclusive_or(b, c),
    exclusive_or(c, b * 512 % WORD),
    math.floor(rotated(d, 2097152)), -- 11 to the left
  }
  return math.floor(found)
end

local function generator(state)
  return setmetatable({kind = KIND, state = state}, {__call = next_word})
end

--- Return a generator: call it for the next word. `seed` is a list of four words, `stream` (0 when left out) a whole
--- number. Its `kind` and `state` are plain data to be saved, for `tower.resume`.
function tower.words(seed, stream)
  local four = four_words("seed", seed)
  local number = whole("stream", stream == nil and 0 or stream, 0, LARGEST) % WORD
  for i = 1, 4 do four[i] = mixed((four[i] + mixed((number + GOLDEN * i) % WORD)) % WORD) end
  if four[4] % 2 == 0 then four[4] = four[4] + 1 end -- not all of them 0
  return generator(four)
end

--- Return a generator that goes on where one stood whose `{kind, state}` was saved.
function tower.resume(saved)
  check_table("saved", saved, 'a table {kind = "' .. KIND .. '", state}, as of tower.words')
  if saved.kind ~= KIND then refuse("saved.kind", saved.kind, '"' .. KIND .. '"') end
  local four = four_words("saved.state", saved.state)
  if four[1] + four[2] + four[3] + four[4] == 0 then
    refuse("saved.state", saved.state, "four words that are not all 0")
  end
  return generator(four)
end

-- Return `word`, which then refuses to give anything but words.
local function checked_words(word)
  local called = type(word) == "table" and (getmetatable(word) or {}).__call
  if type(word) ~= "function" and not called then
    refuse("word", word, "a function that gives whole numbers from 0 to 2^32 - 1", ADVICE)
  end
  return function() return whole("a word drawn", word(), 0, WORD - 1, ADVICE) end
end

-- A drop.

-- Return an entry of a list whose first has index 0; beyond the end the last one.
local function at(entries, index)
  return entries[math.min(index + 1, #entries)]
end

-- Return the chance of log-odds, times 2^32.
local function threshold(odds)
  if odds >= 0 then return at(MODEL.thresholds, odds) end
  return WORD - at(MODEL.thresholds, -odds)
end

local HAS_EFFECT = {} -- by floor: whether a word is drawn for its shared effect
for i, floor in ipairs(MODEL and MODEL.floors or {}) do
  for _, rows in ipairs({floor.arriving_effect, floor.lying_effect}) do
    for _, row in ipairs(rows) do
      for _, entry in ipairs(row) do HAS_EFFECT[i] = HAS_EFFECT[i] or entry ~= 0 end
    end
  end
end

-- Draw every floor's shared effect; return the floors' log-odds to pass, without what a cube adds of its own.
local function draw_odds(state, thrown, word)
  local odds = {}
  for i, floor in ipairs(MODEL.floors) do
    local lying, fresh = 0, 0
    for _, cube in ipairs(state.cubes) do
      if cube.floor == i - 1 then
        lying = lying + 1
        if state.drops - cube.since <= MODEL.fresh_to then fresh = fresh + 1 end
      end
    end
    local effect = 0
    if HAS_EFFECT[i] then effect = math.floor(word() / 268435456) end -- the first 4 bits
    odds[i] = {
      arriving = at(floor.arriving_thrown, thrown) + at(floor.arriving_lying, lying) + at(floor.arriving_fresh, fresh)
        + at(floor.arriving_effect, lying)[effect + 1],
      lying = at(floor.lying_thrown, thrown) + at(floor.lying_lying, lying) + at(floor.lying_effect, lying)[effect + 1],
    }
  end
  return odds
end

-- Let a cube go down from where it lies, or from the top (no floor); return the floor on which it ends, or OUT.
local function end_of(cube, drops, odds, word)
  local first = 0
  if cube.floor then
    local floor = MODEL.floors[cube.floor + 1]
    local own = at(cube.inCrowd and floor.crowd or floor.age, drops - cube.since)
    if word() >= threshold(odds[cube.floor + 1].lying + own) then return cube.floor end
    first = cube.floor + 1
  end
  for i = first, #MODEL.floors - 1 do
    local own = cube.floor and MODEL.floors[i + 1].pushed or 0
    if word() >= threshold(odds[i + 1].arriving + own) then return i end
  end
  return OUT
end

-- Do what tower.drop does, with arguments that are as they should be.
local function dropped(state, thrown, word)
  local cubes = {}
  for _, cube in ipairs(state.cubes) do cubes[#cubes + 1] = cube end
  for _, cube in ipairs(thrown) do cubes[#cubes + 1] = {id = cube.id, colour = cube.colour} end
  table.sort(cubes, function(one, other) return one.id < other.id end)
  local odds = #thrown > 0 and draw_odds(state, #thrown, word)
  local after = {state = {drops = state.drops + 1, cubes = {}}, emerged = {}, landings = {}}
  for _, cube in ipairs(cubes) do
    local id, colour = cube.id, cube.colour
    local floor = odds and end_of(cube, state.drops, odds, word) or cube.floor
    local place = floor == OUT and "tray" or "inside:" .. MODEL.regions[floor + 1]
    table.insert(after.landings, {id = id, colour = colour, floor = floor, place = place})
    if floor == OUT then
      table.insert(after.emerged, {id = id, colour = colour})
    else
      local since, crowd = cube.since, cube.inCrowd
      if not cube.floor then since, crowd = state.drops, #thrown >= MODEL.crowd_from end
      table.insert(after.state.cubes, {id = id, colour = colour, floor = floor, since = since, inCrowd = crowd})
    end
  end
  return after
end

-- Return copies of the state and of the throw; refuse those that no drop can begin with.
local function checked_drop(state, thrown)
  check_table("state", state, "a table {drops, cubes}, as tower.empty() or tower.drop(...).state")
  local drops = whole("state.drops", state.drops, 0, LARGEST - 1)
  check_list("state.cubes", state.cubes, "cubes {id, colour, floor, since, inCrowd}")
  check_list("thrown", thrown, "cubes {id, colour}")
  local number = #state.cubes + #thrown
  if number > MOST_CUBES then
    refuse("number of cubes", number, "up to " .. MOST_CUBES .. " at a time", "throw fewer")
  end
  local there = {}
  local function copied(list, name)
    local copies = {}
    for i, cube in ipairs(list) do
      local path = name .. "[" .. i .. "]"
      check_table(path, cube, "a cube, a table {id, colour}")
      local id = whole(path .. ".id", cube.id, -LARGEST, LARGEST)
      if there[id] then refuse(path .. ".id", id, "each number once", "it is there or thrown already") end
      there[id] = true
      copies[i] = {id = id, colour = cube.colour}
    end
    return copies
  end
  local inside = copied(state.cubes, "state.cubes")
  for i, cube in ipairs(state.cubes) do
    local path = "state.cubes[" .. i .. "]"
    inside[i].floor = whole(path .. ".floor", cube.floor, 0, #MODEL.floors - 1)
    inside[i].since = whole(path .. ".since", cube.since, 0, LARGEST)
    if cube.since >= drops then refuse(path .. ".since", cube.since, "a whole number from 0, below " .. drops) end
    if type(cube.inCrowd) ~= "boolean" then refuse(path .. ".inCrowd", cube.inCrowd, "true or false") end
    inside[i].inCrowd = cube.inCrowd
  end
  return {drops = drops, cubes = inside}, copied(thrown, "thrown")
end

--- Return the tower with no cube inside: {drops = 0, cubes = {}}.
function tower.empty()
  return {drops = 0, cubes = {}}
end

--- Throw cubes `thrown` ({{id, colour}, ...}) into the tower: return {state, emerged, landings}; `state` is kept.
--- `word` is what tower.words returns, or any function that gives whole numbers from 0 to 2^32 - 1.
function tower.drop(state, thrown, word)
  local before, cubes = checked_drop(state, thrown)
  return dropped(before, cubes, checked_words(word))
end

-- A game.

-- Return the colours, the phases of a round, and how many cubes there are of each colour; refuse other rules.
local function checked_rules(rules)
  check_table("rules", rules, "a table {colours, cubes, rounds}, as tower.AMERIGO")
  local colours, phases, cubes = rules.colours, rules.phases or {}, rules.cubes
  check_list("rules.colours", colours, "different words")
  check_list("rules.phases", phases, "colours")
  if #colours == 0 then refuse("rules.colours", colours, "one or more different words; it has none") end
  local known = {}
  for i, colour in ipairs(colours) do
    if type(colour) ~= "string" or colour == "" or known[colour] then
      refuse("rules.colours[" .. i .. "]", colour, "a word that is not empty, each once")
    end
    known[colour] = true
  end
  local among = "one of " .. short(table.concat(colours, ", "))
  for i, phase in ipairs(phases) do
    if not known[phase] then refuse("rules.phases[" .. i .. "]", phase, among) end
  end
  if type(cubes) ~= "number" then
    check_table("rules.cubes", cubes, "a whole number from 0, or a table with one for every colour")
    for colour, count in pairs(cubes) do
      if not known[colour] then refuse("rules.cubes." .. short(tostring(colour)), count, "a colour, " .. among) end
    end
  end
  local counts, all = {}, 0
  for i, colour in ipairs(colours) do
    local one = type(cubes) == "number"
    local name = one and "rules.cubes" or "rules.cubes." .. short(colour)
    counts[i] = whole(name, one and cubes or cubes[colour], 0, MOST_CUBES)
    all = all + counts[i]
  end
  if all > MOST_CUBES then refuse("rules.cubes", all, "at most " .. MOST_CUBES .. " in all") end
  if #phases == 0 then phases = colours end
  local rounds = whole("rules.rounds", rules.rounds, 0, math.floor(MOST_DROPS / #phases))
  return colours, counts, phases, rounds
end

local function tally(colours, cubes)
  local counts, row = {}, {}
  for _, cube in ipairs(cubes) do counts[cube.colour] = (counts[cube.colour] or 0) + 1 end
  for i, colour in ipairs(colours) do row[i] = counts[colour] or 0 end
  return row
end

--- Play the tower's part of a game of Amerigo: the set-up, then the phases of every round.
--- Return {thrown, emerged, inside}: counts of cubes by drop and colour; `inside` is counted after the drop. It draws
--- from tower.words(seed, stream), and equals game number `stream` of Python's sample_games with the same four words.
function tower.game(rules, seed, stream)
  local colours, counts, phases, rounds = checked_rules(rules)
  local word = tower.words(seed, stream)
  local cubes = {}
  for i, colour in ipairs(colours) do
    for _ = 1, counts[i] do cubes[#cubes + 1] = {id = #cubes, colour = colour} end
  end
  local state, found = tower.empty(), {thrown = {}, emerged = {}, inside = {}}
  local function play(phase) -- nil: the set-up throws all
    local there, thrown, emerged = {}, {}, {}
    for _, cube in ipairs(state.cubes) do there[cube.id] = true end
    for _, cube in ipairs(cubes) do
      if not there[cube.id] and (phase == nil or cube.colour == phase) then thrown[#thrown + 1] = cube end
    end
    if #thrown > 0 then -- a skipped phase makes no cube older
      local after = dropped(state, thrown, word)
      state, emerged = after.state, after.emerged
    end
    table.insert(found.thrown, tally(colours, thrown))
    table.insert(found.emerged, tally(colours, emerged))
    table.insert(found.inside, tally(colours, state.cubes))
  end
  play(nil)
  for _ = 1, rounds do
    for _, phase in ipairs(phases) do play(phase) end
  end
  return found
end

return tower
