-- Ask an exported sampler: lua ask.lua SAMPLER.lua DO SEED... [NUMBER]; answers are lines of JSON.
--   vectors A B C D COUNT      so many conformance vectors, made here
--   words A B C D STREAM       the first 1000 words of a stream, saved and resumed half way
--   games A B C D COUNT        games 0, 1, ... of the published rules, then of odd ones
--   scene A B C D              a drop into a tower with cubes inside: the state before and what came of it
--   saved A B C D              the scene's state and generator after its first drop, a line each
--   carried                    (PHP, Java) its second drop, from these two lines in saved.json
--   refused                    what was to be told, and what was
--   names                      the apparatus and the floors
--   garbage                    odd values in every place of good arguments: how many calls, how many were answered,
--                              and a line for each that ended neither so nor in an error that says what is allowed
--   host A B C D COUNT         cubes inside after so many drops of 49 with the language's own generator
local path, what = arg[1], arg[2]
local tower = assert(loadfile(path))()
local seed = {tonumber(arg[3]), tonumber(arg[4]), tonumber(arg[5]), tonumber(arg[6])}
local last = tonumber(arg[7])

local function json(value)
  if type(value) == "string" then return '"' .. value:gsub('[\\"]', "\\%0") .. '"' end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  if next(value) == nil or #value > 0 then
    for i, each in ipairs(value) do parts[i] = json(each) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, each in pairs(value) do parts[#parts + 1] = json(key) .. ":" .. json(each) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local NOW = 1000 -- drops before each vector's
local MOST, AGES = {98, 9, 5, 3, 2}, {10, 300}

local function vector(number)
  local word = tower.words(seed, number)
  local inside_left = word()
  inside_left = word() % (MOST[inside_left % 5 + 1] + 1)
  local thrown_left = word()
  thrown_left = word() % (MOST[thrown_left % 5 + 1] + 1)
  local inside, cubes, thrown, ids, cube = {}, {}, {}, {}, 0
  while inside_left + thrown_left > 0 do
    cube = cube + 1 + word() % 2
    if word() % (inside_left + thrown_left) < inside_left then
      inside_left = inside_left - 1
      local floor = word() % #tower.MODEL.floors
      local age = 1 + word() % AGES[number % 2 + 1]
      local crowd = word() % 2
      table.insert(inside, 1, {cube, floor, age, crowd})
      table.insert(cubes, 1, {id = cube, floor = floor, since = NOW - age, inCrowd = crowd == 1})
    else
      thrown_left = thrown_left - 1
      table.insert(ids, 1, cube)
      table.insert(thrown, 1, {id = cube})
    end
  end
  local own = {word(), word(), word(), word()}
  local stream = word()
  local drawn = tower.words(own, stream)
  local ends = {}
  for i, each in ipairs(tower.drop({drops = NOW, cubes = cubes}, thrown, drawn).landings) do ends[i] = each.floor end
  return string.format(
    '{"seed":%s,"stream":%s,"inside":%s,"thrown":%s,"ends":%s,"next":%s}',
    json(own), json(stream), json(inside), json(ids), json(ends), json(drawn())
  )
end

local ODD = {colours = {"red", "white", "blue"}, cubes = {red = 30, white = 0, blue = 1}, phases = {"blue", "red", "red"}, rounds = 4}

local function lying(changes)
  local cube = {id = 1, colour = "red", floor = 0, since = 2, inCrowd = false}
  for key, value in pairs(changes) do cube[key] = value end
  return {drops = 3, cubes = {cube}}
end

local two, word = {{id = 2}}, tower.words({1, 2, 3, 4})
local function rules(changes)
  local made = {colours = {"red", "blue"}, cubes = 2, rounds = 1}
  for key, value in pairs(changes) do made[key] = value end
  return made
end
local FOUR = {1, 2, 3, 4}
local MANY = {}
for i = 1, 10000 do MANY[i] = 7 end
local REFUSED = {
  {tower.words, {{1, 2, 3}}, "seed is a table; allowed is a list of four whole numbers from 0 to 2^32 - 1; it has 3"},
  {tower.words, {"1234"}, 'seed is "1234"; allowed is a list of four'},
  {tower.words, {{1, 2, 3, 4294967296}}, "seed[4] is 4294967296; allowed is a whole number from 0 to 2^32 - 1"},
  {tower.words, {{1, 2, 3, 0 / 0}}, "nan; allowed is a whole number from 0 to 2^32 - 1"},
  {tower.words, {{1, "2", 3, 4}}, 'seed[2] is "2"; allowed is a whole number from 0 to 2^32 - 1'},
  {tower.words, {FOUR, -1}, "stream is -1; allowed is a whole number from 0"},
  {tower.words, {FOUR, 1 / 0}, "stream is inf; allowed is a whole number from 0"},
  {tower.resume, {{kind = "pcg", state = FOUR}}, 'saved.kind is "pcg"; allowed is "xoshiro128**"'},
  {tower.resume, {{kind = "xoshiro128**", state = {0, 0, 0, 0}}}, "saved.state is a table; allowed is four words that are not all 0"},
  {tower.resume, {{kind = "xoshiro128**", state = {1, 2}}}, "saved.state is a table; allowed is a list of four whole numbers"},
  {tower.drop, {lying({}), two, math.random}, "; allowed is a whole number from 0 to 2^32 - 1; math.random() gives fractions"},
  {tower.drop, {lying({}), two, function() return -1 end}, "a word drawn is -1; allowed is a whole number from 0"},
  {tower.drop, {lying({}), two, function() return 2 ^ 32 end}, "a word drawn is 4"},
  {tower.drop, {lying({}), two, function() end}, "a word drawn is nil; allowed is a whole number"},
  {tower.drop, {lying({}), two}, "word is nil; allowed is a function that gives whole numbers"},
  {tower.drop, {lying({}), two, {}}, "word is a table; allowed is a function that gives whole numbers"},
  {tower.drop, {lying({}), {{id = 1}}, word}, "thrown[1].id is 1; allowed is each number once"},
  {tower.drop, {lying({}), {{id = 2}, {id = 2}}, word}, "thrown[2].id is 2; allowed is each number once"},
  {tower.drop, {lying({}), {{}}, word}, "thrown[1].id is nil; allowed is a whole number"},
  {tower.drop, {lying({}), {{id = 0.5}}, word}, "thrown[1].id is 0.5; allowed is a whole number"},
  {tower.drop, {lying({}), MANY, word}, "number of cubes is 10001; allowed is up to 10000 at a time; throw fewer"},
  {tower.drop, {lying({}), {7}, word}, "thrown[1] is 7; allowed is a cube"},
  {tower.drop, {lying({}), {id = 2}, word}, "thrown is a table; allowed is a list of cubes {id, colour}, without gaps"},
  {tower.drop, {lying({}), nil, word}, "thrown is nil; allowed is a list of cubes"},
  {tower.drop, {nil, {}, word}, "state is nil; allowed is a table {drops, cubes}"},
  {tower.drop, {{cubes = {}}, {}, word}, "state.drops is nil; allowed is a whole number from 0"},
  {tower.drop, {{drops = -1, cubes = {}}, {}, word}, "state.drops is -1; allowed is a whole number from 0"},
  {tower.drop, {{drops = 3}, {}, word}, "state.cubes is nil; allowed is a list of cubes"},
  {tower.drop, {lying({floor = 99}), {}, word}, "state.cubes[1].floor is 99; allowed is a whole number from 0 to"},
  {tower.drop, {lying({since = 1.5}), {}, word}, "state.cubes[1].since is 1.5; allowed is a whole number from 0"},
  {tower.drop, {lying({since = 3}), {}, word}, "state.cubes[1].since is 3; allowed is a whole number from 0, below 3"},
  {tower.drop, {lying({inCrowd = 0}), {}, word}, "state.cubes[1].inCrowd is 0; allowed is true or false"},
  {tower.game, {nil, FOUR}, "rules is nil; allowed is a table {colours, cubes, rounds}, as tower.AMERIGO"},
  {tower.game, {rules({cubes = -1}), FOUR}, "rules.cubes is -1; allowed is a whole number from 0 to 10000"},
  {tower.game, {rules({cubes = {red = 2}}), FOUR}, "rules.cubes.blue is nil; allowed is a whole number"},
  {tower.game, {rules({cubes = {red = 2, bleu = 2}}), FOUR}, 'rules.cubes.bleu is 2; allowed is a colour, one of red, blue'},
  {tower.game, {rules({cubes = 10000}), FOUR}, "rules.cubes is 20000; allowed is at most 10000 in all"},
  {tower.game, {rules({rounds = "5"}), FOUR}, 'rules.rounds is "5"; allowed is a whole number from 0 to 50000'},
  {tower.game, {rules({phases = {"green"}}), FOUR}, 'rules.phases[1] is "green"; allowed is one of red, blue'},
  {tower.game, {rules({colours = {"red", "red"}}), FOUR}, 'rules.colours[2] is "red"; allowed is a word'},
  {tower.game, {rules({colours = {}}), FOUR}, "rules.colours is a table; allowed is one or more"},
  {tower.game, {rules({}), FOUR, 0.5}, "stream is 0.5; allowed is a whole number from 0"},
}

local ANSWERS = {}
function ANSWERS.vectors()
  for number = 0, last - 1 do print(vector(number)) end
end
function ANSWERS.words()
  local drawn = tower.words(seed, last)
  for i = 1, 1000 do
    if i == 500 then
      local saved = {kind = drawn.kind, state = drawn.state}
      drawn() -- what is drawn after it was saved does not change it
      drawn = tower.resume(saved)
    end
    print(json(drawn()))
  end
end
function ANSWERS.games()
  for _, played in ipairs({tower.AMERIGO, ODD}) do
    for stream = 0, last - 1 do print(json(tower.game(played, seed, stream))) end
  end
end
function ANSWERS.scene()
  local drawn, thrown = tower.words(seed), {}
  for i = 0, 59 do thrown[60 - i] = {id = i, colour = "red"} end
  local first = tower.drop({drops = 4, cubes = {}}, thrown, drawn)
  local before = json(first.state)
  local second = tower.drop(first.state, {{id = 70, colour = "blue"}}, drawn)
  assert(json(first.state) == before, "drop changed the state that it was given")
  print(json({first, second, tower.drop(first.state, {}, drawn)}))
end
function ANSWERS.saved()
  local drawn, thrown = tower.words(seed), {}
  for i = 0, 59 do thrown[i + 1] = {id = i, colour = "red"} end
  print(json(tower.drop({drops = 4, cubes = {}}, thrown, drawn).state))
  print(json({kind = drawn.kind, state = drawn.state}))
end
function ANSWERS.refused()
  for _, case in ipairs(REFUSED) do
    local fine, message = pcall(case[1], case[2][1], case[2][2], case[2][3])
    print(case[3] .. "\t" .. (fine and "nothing" or message))
  end
end
function ANSWERS.host()
  local thrown, inside = {}, 0
  for i = 1, 49 do thrown[i] = {id = i} end
  local function own() return math.random(0, 65535) * 65536 + math.random(0, 65535) end
  for _ = 1, last do inside = inside + #tower.drop(tower.empty(), thrown, own).state.cubes end
  print(inside)
end
function ANSWERS.names()
  local names = {tower.MODEL.apparatus}
  for _, region in ipairs(tower.MODEL.regions) do names[#names + 1] = region end
  print((json(names):gsub("\n", "\\n")))
end
local ODD_VALUES = {
  n = 27, nil, true, false, 0, -1, 1.5, 0 / 0, 1 / 0, -1 / 0, 2 ^ 32, 2 ^ 53, 1e300, "", "red", "7", "a\nb", ("x"):rep(10000),
  {}, {1}, {{}}, {id = 1}, {1, nil, 3}, function() return 0.5 end, math.random, coroutine.create(print), io.stdout,
  setmetatable({}, {__call = function() return "x" end}),
}
local GOOD = {
  words = function() return {{1, 2, 3, 4}, 5} end,
  resume = function() return {{kind = "xoshiro128**", state = {1, 2, 3, 4}}} end,
  drop = function()
    local state = lying({})
    state.cubes[2] = {id = 7, colour = "red", floor = 1, since = 0, inCrowd = true}
    return {state, {{id = 6, colour = "red"}}, tower.words({1, 2, 3, 4})}
  end,
  game = function() return {{colours = {"red", "blue"}, phases = {"blue"}, cubes = {red = 3, blue = 2}, rounds = 2}, {1, 2, 3, 4}, 5} end,
}
-- Call `visit` with the table and the key of every argument and of everything in it.
local function places(value, visit)
  if type(value) ~= "table" or getmetatable(value) then return end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do
    visit(value, key)
    places(value[key], visit)
  end
end
function ANSWERS.garbage()
  local calls, answered = 0, 0
  for _, call in ipairs({"words", "resume", "drop", "game"}) do
    local given = GOOD[call]()
    places(given, function(inner, key)
      local good = inner[key]
      for i = 1, ODD_VALUES.n do
        inner[key] = ODD_VALUES[i]
        local fine, message = pcall(tower[call], given[1], given[2], given[3])
        calls = calls + 1
        if fine then
          answered = answered + 1
          if call == "drop" and #message.landings ~= #given[1].cubes + #given[2] then print("a cube is lost", key, i) end
        elseif type(message) ~= "string" or #message > 400 or not message:find("^[^\n]+; allowed is [^\n]+$") then
          print(call, key, i, message)
        end
      end
      inner[key] = good
    end)
  end
  print(calls .. " " .. answered)
end
ANSWERS[what]()
