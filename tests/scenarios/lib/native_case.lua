-- Runs the cases of tests/native_cases, whose README describes their fields, for tests/scenarios/native_cases.sh:
--   luajit native_case.lua list                                prints a line "NAME|title" for each case
--   luajit native_case.lua run NAME FOLDER PROGRAM SECONDS     runs a case; writes its games and outputs to FOLDER
-- A run may take SECONDS. Prints the first failure; exits with status 77 if the machine cannot compile systems.

local CASES = "tests/native_cases/"
local COMMAND = "timeout -k 2 %s '%s' run '%s' --headless --no-watch --seed 1 --budget 0 --hash every=1 --log warn "
  .. "--explain all --ticks %d %s %s >'%s.out' 2>'%s.err' </dev/null"
local MODES = { "interpreted", "sse2,now", "on", "now" }
local FIELDS = {}
for field in ("title ticks modes options status stops_after components assemblages events game assets systems prints "
  .. "messages explain variants"):gmatch("[%a_]+") do FIELDS[field] = true end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

local function write_file(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local function list_cases()
  for file in io.popen("ls " .. CASES .. "*.lua"):lines() do
    print(file:match("([^/]*)%.lua$") .. "|" .. assert(dofile(file).title, file .. ": title is missing"))
  end
end

-- Returns the variants of a case, each with the case's fields. A case without variants is its only variant.
-- Returns the modes of a run: without --long, `on` is left out if other modes also run native code.
local function choose_modes(modes)
  local chosen = {}
  if (os.getenv("LONG") or "") ~= "" or not table.concat(modes, " "):find "now" then return modes end
  for i, mode in ipairs(modes) do
    if mode ~= "on" or i == 1 then chosen[#chosen + 1] = mode end
  end
  return chosen
end

local function load_variants(name)
  local case = dofile(CASES .. name .. ".lua")
  local variants = case.variants or { {} }
  for i, variant in ipairs(variants) do
    for field, value in pairs(case) do
      if variant[field] == nil then variant[field] = value end
    end
    for field in pairs(variant) do assert(FIELDS[field], name .. ": unknown field " .. field) end
    variant.label = "case " .. name .. (case.variants and ", variant " .. i or "")
    variant.modes = choose_modes(variant.modes or MODES)
  end
  return variants
end

local function write_game(variant, folder)
  assert(os.execute(("cp -r %sbase %s"):format(CASES, folder)) == 0)
  assert(not variant.assets or os.execute(("cp -r %s %s/assets"):format(variant.assets, folder)) == 0)
  for _, file in ipairs { "components", "assemblages", "events", "game" } do
    if variant[file] then write_file(folder .. "/" .. file .. ".lua", variant[file]) end
  end
  for name, source in pairs(variant.systems) do write_file(folder .. "/systems/" .. name .. ".lua", source) end
end

local function fail(run, message, ...)
  print(("%s, %s%s"):format(run.label, run.option, message:format(...)))
  os.exit(1)
end

-- Runs a game in one mode. Returns { option, status, errors, lines, explain, … }: the option of the mode, the exit
-- status, standard error, the lines of standard output, and the result of --explain for each system.
local function run_game(variant, folder, mode, program, seconds)
  local option = mode == "interpreted" and "--no-jit" or "--native " .. (mode == "LuaJIT" and "off" or mode)
  local run = { label = variant.label, option = option, ticks = 0, lines = {}, explain = {} }
  local path = folder .. "." .. mode
  run.status = os.execute(COMMAND:format(seconds, program, folder, variant.ticks, option, variant.options or "", path,
    path)) / 256
  run.output, run.errors = read_file(path .. ".out"), read_file(path .. ".err")
  for line in run.output:gmatch("[^\n]+") do
    local system, result = line:match("^explain: (.-) %(systems/[^)]*%): (.*)")
    if system then
      run.explain[system] = result
    elseif line:find("^explain: ") then
      run.uncompiled = line:match("nothing is compiled.*") or line:match("LLVM is not installed.*")
    elseif not line:find("^garbage: ") and not line:find("^handles: ") and not line:find("^built in: ") then
      table.insert(run.lines, line)
      run.ticks = run.ticks + (line:find("^tick ") and 1 or 0)
    end
  end
  return run
end

-- Returns true if the string contains the text exactly once.
local function occurs_once(text, string)
  local _, last = string:find(text, 1, true)
  return last and not string:find(text, last, true)
end

-- Fails unless the exit status, the number of ticks, the output and the messages are as the case describes.
local function check_output(run, variant)
  local status, ticks = variant.status or 0, variant.stops_after or variant.ticks
  if run.status ~= status or run.ticks ~= ticks then
    fail(run, ": expected exit status %d after %d ticks, got %d after %d: %s", status, ticks, run.status, run.ticks,
      run.errors)
  end
  for _, text in ipairs(variant.prints or {}) do
    if not run.output:find(text, 1, true) then fail(run, ": expected '%s', got: %s", text, run.output) end
  end
  for _, text in ipairs(variant.messages or {}) do
    if not occurs_once(text, run.errors) then fail(run, ": expected '%s' once, got: %s", text, run.errors) end
  end
end

local function without_tick(line) return ((line or "nothing"):gsub("^tick %d+ ", "")) end

-- Fails unless both runs have the same hashes, printed lines, warnings and errors.
local function compare(run, reference)
  local tick = 1
  for i = 1, math.max(#run.lines, #reference.lines) do
    local line, expected = run.lines[i], reference.lines[i]
    if line ~= expected then
      fail(run, ", tick %d: %s, but with %s %s", tick, without_tick(line), reference.option, without_tick(expected))
    end
    if line:find("^tick ") then tick = tick + 1 end
  end
  if run.errors ~= reference.errors then
    fail(run, ": these messages:\n%sbut with %s:\n%s", run.errors, reference.option, reference.errors)
  end
end

-- Returns true if a number is in a range: "no", "some" or "200 to 299".
local function is_in(range, number)
  if range == "no" then return number == 0 end
  if range == "some" then return number > 0 end
  local low, high = range:match("^(%d+) to (%d+)$")
  return number >= tonumber(low) and number <= tonumber(high)
end

-- Returns true if a result of --explain is the expected one, such as "native, no rows in Lua".
local function is_expected(result, expected)
  if expected == "in LuaJIT" then return result:find("^in LuaJIT: ") ~= nil end
  local runs, without_lua, rows = result:match("^native, .*; (%d+) runs, (%d+) of them .*, (%d+) of them in Lua")
  if not runs or expected == "native, no runs" then return runs == "0" end
  local is_match = runs ~= "0"
  for range, subject in expected:gsub("^native", ""):gmatch(", (.-) (%a+ %a+ Lua)") do
    local number = assert(({ ["rows in Lua"] = rows, ["runs without Lua"] = without_lua })[subject], subject)
    is_match = is_match and is_in(range, tonumber(number))
  end
  return is_match
end

-- Compares the results of --explain with the case's table. Each system with a result must be in the table, except for
-- systems whose result only says that a function other than the body over rows is not compiled.
local function check_explain(run, expected)
  for system, result in pairs(run.explain) do
    local is_handler = result:find(" not compiled: ", 1, true)
    if not expected[system] and not is_handler then fail(run, ": unexpected system %s: %s", system, result) end
  end
  for system, text in pairs(expected) do
    local result = run.explain[system] or "missing"
    if not is_expected(result, text) then fail(run, ": system %s: expected '%s', got: %s", system, text, result) end
  end
end

local function run_case(name, folder, program, seconds)
  local uncompiled
  for i, variant in ipairs(load_variants(name)) do
    local game, reference = folder .. "/" .. i, nil
    write_game(variant, game)
    for _, mode in ipairs(variant.modes) do
      local run = run_game(variant, game, mode, program, seconds)
      check_output(run, variant)
      reference = reference or run
      compare(run, reference)
      if mode:find("now") then
        uncompiled = uncompiled or run.uncompiled
        if not uncompiled and variant.explain and not mode:find("swap") then check_explain(run, variant.explain) end
      end
    end
  end
  if uncompiled then
    print(uncompiled)
    os.exit(77)
  end
end

local commands = { list = list_cases, run = run_case }
commands[arg[1]](unpack(arg, 2))
