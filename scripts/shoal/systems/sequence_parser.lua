-- Parser for files of sequences/: checks the files and builds the lists of steps that sequence.lua runs. Within its
-- list, a step is identified by its name, otherwise by its index or, for a jump, by its target. A list is identified by
-- its path: "main", or "main/4:2" for the second branch of step 4.
local need, native = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")
local renames = need("schema/renames")
local value = need("schema/value")
local timers_and_tweens = need("world/timers_and_tweens")

---@class engine.Step
---@field kind string a key of KINDS
---@field name string "" if the step has no name
---@field id string the step's name; without a name, the target of a jump or the number of any other step
---@field label string for messages: `step 3, "walk"`
---@field line integer
---@field when? fun(e: shoal.Entity): any
---@field branches? engine.Steps[] branches of an `all`
---@field items? { text: any, jump?: string, call?: function }[] choices of a `choice`
---@field target? string name of the step with which a `jump` continues
---@field given table<string, any> the step as declared

---@class engine.Steps
---@field key string path of the list: "main", "main/4:2"
---@field list engine.Step[]
---@field by_name table<string, integer> number of each named step

---@class engine.Program a file of sequences/
---@field name string name of the sequence: "intro"
---@field file string name of the file: "sequences/intro.lua"
---@field main engine.Steps
---@field lists table<string, engine.Steps> all lists of steps in the file, by key

---@class engine.steps
local M = {}

-- Step kinds with the types of their fields. "text" is a string, "seconds" a number; both can also be given as a
-- function of the entity that returns the value.
local KINDS = {
  wait = { wait = "seconds" },
  call = { call = "function" },
  wait_for = { wait_for = "function", seconds = "number" },
  say = { say = "text", who = "text", seconds = "number" },
  choice = { choice = "table", say = "text", who = "text" },
  tween = { tween = "string", to = "any", seconds = "number", ease = "string", from = "any", delay = "number",
    times = "number", forever = "boolean", back = "boolean", of = "string" },
  all = { all = "table" },
  label = { label = "string" },
  jump = { jump = "string", times = "number" },
}
local COMMON = { name = "string", when = "function" }
local EXAMPLES = {
  wait = "{ wait = 0.5 }", call = "{ call = function(e) … end }",
  wait_for = "{ wait_for = function(e) return … end }", say = "{ say = \"Hello!\", who = \"Anna\" }",
  choice = "{ choice = { \"Yes\", { \"No\", jump = \"end\" } } }",
  tween = "{ tween = \"transform.y\", to = 60, seconds = 0.5 }", all = "{ all = { { wait = 1 }, { … } } }",
  label = "{ label = \"again\" }", jump = "{ jump = \"again\", times = 3 }",
}
local COMMON_EXAMPLES = { name = "name = \"start\"", when = "when = function(e) return … end" }
local NAMES = {} -- names of all step fields
for _, parts in pairs(KINDS) do
  for key in pairs(parts) do
    NAMES[key] = true
  end
end
for key in pairs(COMMON) do
  NAMES[key] = true
end
local MAX_DEPTH = 8 -- maximum nesting depth of `all`
local MAX_STEPS = 4096 -- maximum number of steps in a file

local function is_of_type(v, expected)
  local kind = type(v)
  return expected == "any" or kind == expected or expected == "text" and (kind == "string" or kind == "function")
    or expected == "seconds" and (kind == "number" or kind == "function")
end

local EXPECTED = { text = "a string, or a function that returns one",
  seconds = "a number of seconds, or a function that returns one" }

-- Checks that `list` is a list: its keys must be 1 … n. Returns a copy without a metatable.
local function check_list(list, fail, requirement, example)
  if type(list) ~= "table" then
    fail("%s, got %s: use %s", requirement, report.describe(list), example)
  end
  list = value.copy_declared(list, {})
  local count = #list
  for key in pairs(list) do
    if type(key) ~= "number" or key % 1 ~= 0 or key < 1 or key > count then
      fail("%s, got a table with %s: use %s", requirement, type(key) == "number" and "gaps" or "the key "
        .. report.show(key),
        example)
    end
  end
  return list
end

-- Returns the kind of a step; raises an error unless the step has exactly one kind.
local function get_step_kind(step, fail)
  local kinds = {}
  for kind in pairs(KINDS) do
    if step[kind] ~= nil and not (kind == "say" and step.choice ~= nil) then
      kinds[#kinds + 1] = kind
    end
  end
  table.sort(kinds)
  if #kinds > 1 then
    fail("a step can have only one action, got %s: split it into several steps, or use { all = { … } }",
      table.concat(kinds, " and "))
  elseif #kinds == 1 then
    return kinds[1]
  end
  for key in pairs(step) do
    local nearest = not NAMES[key] and report.find_nearest(key, NAMES)
    if nearest then
      fail("unknown field %s: did you mean %s?", report.show(key), nearest)
    end
  end
  fail("a step must have an action, one of %s", report.join_names(KINDS))
end

-- Returns ": use …" with an example that contains the field; "" if no example contains it.
local function format_example(kind, key)
  local example = COMMON_EXAMPLES[key] or EXAMPLES[kind]
  return example:find(key .. " =", 1, true) and ": use " .. example or ""
end

local function check_parts(step, kind, fail)
  local parts = KINDS[kind]
  for _, key in ipairs(sorted_keys(step)) do
    local v, expected = step[key], parts[key] or COMMON[key]
    if not expected then
      local is_choice = kind == "say" and key == "choices"
      fail("%s has no field %s%s: use %s", kind, report.show(key), report.suggest(key, parts),
        is_choice and "{ choice = { \"Yes\", \"No\" }, say = \"Hello!\" }" or EXAMPLES[kind])
    elseif not is_of_type(v, expected) then
      fail("%s must be %s, got %s%s", key, EXPECTED[expected] or "a " .. expected,
        report.describe(v), format_example(kind, key))
    elseif type(v) == "number" and not (v >= 0 and v < 1 / 0) and (expected == "seconds" or expected == "number") then
      fail("%s must be a finite number of at least 0, got %s", key, report.describe(v))
    elseif v == "" and key ~= "say" and key ~= "who" then
      fail("%s must not be empty", key)
    end
  end
  if kind == "jump" and step.times and (step.times < 1 or step.times % 1 ~= 0 or step.times > 2 ^ 31 - 1) then
    fail("times must be an integer from 1 to 2147483647, got %s: omit times to jump every time", step.times)
  end
end

local function check_name(name, fail)
  if name:find("[/#:\n]") or tonumber(name) then
    fail("%s is not a valid name: a name must not be a number or contain /, #, : or a line break", name)
  end
end

-- Returns the options of world.tween that a step declares.
---@param step table
---@return table options
function M.tween_options(step)
  return { from = step.from, delay = step.delay, times = step.times, forever = step.forever, back = step.back }
end

local READ = {}

function READ.tween(step, declaration, fail, context)
  if declaration.to == nil then
    fail("`to` is missing: use %s", EXAMPLES.tween)
  elseif renames.record_component_use(declaration.tween:match("^[^.]+"), context.program.file, step.line) then
    return
  end
  local name, field = declaration.tween:match("^([^.]+)%.([^.]+)")
  if renames.record_field_use(components.by_name[name], field, context.program.file, step.line) then
    return
  end
  local ok, problem = pcall(timers_and_tweens.check, declaration.tween, type(declaration.to) ~= "function"
    and declaration.to or nil,
    declaration.seconds or 0, declaration.ease, M.tween_options(declaration))
  if not ok then
    fail("%s", (report.get_message(problem):gsub("^world%.tween: ", "")))
  end
  step.of = declaration.of
end

function READ.choice(step, declaration, fail)
  local items = check_list(declaration.choice, fail, "choice must be a list", EXAMPLES.choice)
  step.items = {}
  if #items == 0 then
    fail("choice must not be empty: use %s", EXAMPLES.choice)
  end
  for i, item in ipairs(items) do
    item = type(item) == "table" and value.copy_declared(item, { 1, "jump", "call" }) or { item }
    for key, v in pairs(item) do
      local expected = key == 1 and "text" or key == "jump" and "string" or key == "call" and "function"
      if not expected or not is_of_type(v, expected) then
        fail("choice %d must be a string, or { \"No\", jump = \"end\", call = function(e) … end }", i)
      end
    end
    if not is_of_type(item[1], "text") or type(item[1]) == "string" and (item[1] == "" or item[1]:find("\n")) then
      fail("choice %d must be a non-empty string of one line", i)
    end
    step.items[i] = { text = item[1], jump = item.jump, call = item.call }
  end
end

function READ.jump(step, declaration)
  step.target = declaration.jump
end

local read_list

function READ.all(step, declaration, fail, context)
  local branches = check_list(declaration.all, fail, "all must be a list of steps or branches", EXAMPLES.all)
  if #branches == 0 then
    fail("all must not be empty: use %s", EXAMPLES.all)
  elseif context.depth >= MAX_DEPTH then
    fail("all is nested too deeply (at most %d levels)", MAX_DEPTH)
  end
  step.branches = {}
  local positions = type(context.position) == "table" and context.position.all or nil
  for i, branch in ipairs(branches) do
    local branch_context = { program = context.program, key = context.key .. "/" .. step.id .. ":"
      .. i, depth = context.depth + 1,
      label = step.label .. ", branch " .. i .. ", ",
      position = type(positions) == "table" and positions[i] or context.position }
    if type(branch) ~= "table" or next(branch) == nil then
      fail("branch %d must be a step or a list of steps: use %s", i, EXAMPLES.all)
    elseif rawget(branch, 1) == nil then -- a branch consisting of a single step
      branch_context.position = { line = type(branch_context.position) == "table" and branch_context.position.line
        or branch_context.position,
        branch_context.position }
      branch = { branch }
    end
    step.branches[i] = read_list(branch, branch_context)
  end
end

local function format_step_location(context, i)
  local position = type(context.position) == "table" and (context.position[i] or context.position) or { line = 1 }
  return type(position) == "table" and position or { line = position }
end

local function read_step(declaration, i, context, steps)
  local program, position = context.program, format_step_location(context, i)
  local step = { name = "", id = tostring(i), label = context.label .. "step " .. i, line = position.line }
  local function fail(fmt, ...)
    report.fail { message = step.label .. ": " .. string.format(fmt, ...), file = program.file, line = step.line,
      piece = "sequence " .. program.name }
  end
  if type(declaration) ~= "table" then
    fail("a step must be a table, got %s: use %s", report.describe(declaration), EXAMPLES.wait)
  end
  declaration = value.copy_declared(declaration, NAMES)
  local name = declaration.name or declaration.label
  if type(name) == "string" and name ~= "" then
    step.label = step.label .. ", \"" .. name .. "\""
  end
  step.kind = get_step_kind(declaration, fail)
  check_parts(declaration, step.kind, fail)
  if declaration.name and declaration.label then
    fail("a step cannot have both label and name: remove one of them")
  elseif name then
    check_name(name, fail)
    if steps.by_name[name] then
      fail("two steps are named %q: rename one of them (the other is step %d)", name, steps.by_name[name])
    end
    steps.by_name[name] = i
    step.name, step.id = name, name
  end
  step.given, step.when, step.fail = declaration, declaration.when, fail
  program.count = program.count + 1
  if program.count > MAX_STEPS then
    fail("too many steps (at most %d per file): split the sequence into several files", MAX_STEPS)
  end
  if READ[step.kind] then
    READ[step.kind](step, declaration, fail,
      { program = program, key = context.key, depth = context.depth, position = position, label = context.label })
  end
  return step
end

-- Checks that the target of each jump is a step of the list. Called when all names of the list have been read.
local function check_targets(list)
  for _, step in ipairs(list.list) do
    local targets = { step.target }
    for _, item in ipairs(step.items or {}) do
      targets[#targets + 1] = item.jump
    end
    for _, target in ipairs(targets) do
      if not list.by_name[target] then
        step.fail("unknown step %q in this list%s: add { name = %q, … } or { label = %q }", target,
          report.suggest(target, list.by_name), target, target)
      end
    end
  end
end

-- Sets the ids of unnamed jumps to their target, so that inserting steps before a jump does not change its id. The
-- second jump to the same target gets the suffix ":2", and so on.
local function name_jumps(list)
  local counts = {}
  for _, step in ipairs(list.list) do
    if step.kind == "jump" and step.name == "" then
      counts[step.target] = (counts[step.target] or 0) + 1
      step.id = step.target .. (counts[step.target] > 1 and ":" .. counts[step.target] or "")
    end
  end
end

function read_list(declaration, context)
  local out = { key = context.key, list = {}, by_name = {} }
  local function fail(fmt, ...)
    report.fail { message = context.label .. string.format(fmt, ...), file = context.program.file,
      line = type(context.position) == "table" and context.position.line or context.position or 1,
      piece = "sequence " .. context.program.name }
  end
  local steps = check_list(declaration, fail, "a sequence must be a list of steps", "return { { wait = 1 }, … }")
  if #steps == 0 then
    fail("the sequence is empty: return { { wait = 1 }, … }")
  end
  for i, step in ipairs(steps) do
    out.list[i] = read_step(step, i, context, out)
  end
  check_targets(out)
  name_jumps(out)
  context.program.lists[out.key] = out
  return out
end

-- Parses a sequence file. Raises an error with the line of the step if the file is invalid. `name`: "intro"; `source`:
-- the file's name and text.
---@param name string
---@param declaration any the value that the file returned
---@param source engine.At
---@return engine.Program
function M.read(name, declaration, source)
  local program = { name = name, file = source.file, lists = {}, count = 0 }
  program.main = read_list(declaration,
    { program = program, key = "main", depth = 0, label = "", position = native.positions(source.text) })
  return program
end

return M
