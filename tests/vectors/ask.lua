-- Ask an exported sampler: lua ask.lua SAMPLER.lua DO SEED... [NUMBER]; answers are lines of JSON.
--   vectors A B C D COUNT      so many conformance vectors, made here
--   words A B C D STREAM       the first 1000 words of a stream
--   drops A B C D              the cubes inside and the counts that came out, drop by drop
--   names                      the apparatus and the floors
--   refused                    what the error should say, and what it says
local path, what = arg[1], arg[2]
local tower = assert(loadfile(path))()
local seed = {tonumber(arg[3]), tonumber(arg[4]), tonumber(arg[5]), tonumber(arg[6])}
local last = tonumber(arg[7])

local function json(value)
  if type(value) == "string" then return '"' .. value:gsub('[\\"]', "\\%0") .. '"' end
  if type(value) == "number" then return string.format("%.0f", value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  if next(value) == nil or #value > 0 then
    for i, each in ipairs(value) do parts[i] = json(each) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, each in pairs(value) do parts[#parts + 1] = json(key) .. ":" .. json(each) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local MOST, AGES = {98, 9, 5, 3, 2}, {10, 300}

local function vector(number)
  local words = tower.start(seed, number).words
  local function word() return tower.next(words) end
  local inside_left = word()
  inside_left = word() % (MOST[inside_left % 5 + 1] + 1)
  local thrown_left = word()
  thrown_left = word() % (MOST[thrown_left % 5 + 1] + 1)
  local inside, thrown, cubes, cube = {}, {}, {}, 0
  while inside_left + thrown_left > 0 do
    cube = cube + 1 + word() % 2
    if word() % (inside_left + thrown_left) < inside_left then
      inside_left = inside_left - 1
      local floor = word() % #tower.MODEL.floors
      local age = 1 + word() % AGES[number % 2 + 1]
      local crowd = word() % 2
      table.insert(inside, 1, {cube, floor, age, crowd})
      table.insert(cubes, {floor = floor, age = age, crowd = crowd == 1})
    else
      thrown_left = thrown_left - 1
      table.insert(thrown, 1, cube)
      table.insert(cubes, {})
    end
  end
  local own = {word(), word(), word(), word()}
  local stream = word()
  local drawn = tower.start(own, stream).words
  local ends = tower.ends(cubes, #thrown, drawn)
  return string.format(
    '{"seed":%s,"stream":%s,"inside":%s,"thrown":%s,"ends":%s,"next":%s}',
    json(own), json(stream), json(inside), json(thrown), json(ends), json(tower.next(drawn))
  )
end

-- What is thrown, drop by drop; the test throws the same in Python.
local THROWS = {{red = 20, blue = 25}, {blue = 7}, {}, {green = 1, red = 3, blue = 2}, {red = 30}, {blue = 1}}

local empty = tower.start({1, 2, 3, 4})
local REFUSED = {
  {tower.start, {}, "seed is nil; allowed is a list of four whole numbers"},
  {tower.start, {{1, 2, 3}}, "seed[4] is nil; allowed is a whole number from 0 to 4294967295"},
  {tower.start, {{1, 2, 3, 4294967296}}, "seed[4] is "},
  {tower.start, {{1, "2", 3, 4}}, "seed[2] is 2; allowed is a whole number from 0 to 4294967295"},
  {tower.start, {{1, 2, 3, 0 / 0}}, "nan; allowed is a whole number from 0 to 4294967295"},
  {tower.start, {{1, 2, 3, 4}, -1}, "stream is -1; allowed is a whole number from 0 to 4294967295"},
  {tower.start, {{1, 2, 3, 4}, 1 / 0}, "stream is inf; allowed is a whole number"},
  {tower.drop, {nil, {red = 1}}, "state is nil; allowed is what start or drop returned"},
  {tower.drop, {{1, 2, 3, 4}, {red = 1}}, "state is table"},
  {tower.drop, {empty}, "thrown is nil; allowed is counts by colour, such as {blue = 4}"},
  {tower.drop, {empty, {4}}, "a colour of thrown is 1; allowed is a word"},
  {tower.drop, {empty, {red = -1}}, "thrown.red is -1; allowed is a whole number from 0 to 10000"},
  {tower.drop, {empty, {red = 0.5}}, "thrown.red is 0.5; allowed is a whole number from 0 to 10000"},
  {tower.drop, {empty, {red = "4"}}, "thrown.red is 4; allowed is a whole number from 0 to 10000"},
  {tower.drop, {empty, {red = 10001}}, "thrown.red is 10001; allowed is a whole number from 0 to 10000"},
  {tower.drop, {{words = {1, 2, 3, 4}, cubes = {{}, {}}}, {red = 9999}}, "thrown.red is 9999; allowed is a whole number from 0 to 9998"},
}

local ANSWERS = {}
function ANSWERS.vectors()
  for number = 0, last - 1 do print(vector(number)) end
end
function ANSWERS.words()
  local words = tower.start(seed, last).words
  for _ = 1, 1000 do print(json(tower.next(words))) end
end
function ANSWERS.drops()
  local state = tower.start(seed)
  for _, thrown in ipairs(THROWS) do
    local before = json(state)
    local after, out = tower.drop(state, thrown)
    assert(json(state) == before, "drop changed the state that it was given")
    assert(json({tower.drop(state, thrown)}) == json({after, out}), "the same state came to something else")
    print(json({thrown = thrown, inside = after.cubes, out = out}))
    state = after
  end
end
function ANSWERS.names()
  local names = {tower.MODEL.apparatus}
  for _, region in ipairs(tower.MODEL.regions) do names[#names + 1] = region end
  print((json(names):gsub("\n", "\\n")))
end
function ANSWERS.refused()
  for _, case in ipairs(REFUSED) do
    local fine, message = pcall(case[1], case[2][1], case[2][2])
    print(case[3] .. "\t" .. (fine and "nothing" or message))
  end
end
ANSWERS[what]()
