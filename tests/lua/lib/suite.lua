-- Runs the tests in cases/.
local M = {}

local CASES = { "world", "entity", "component", "query", "system", "event", "assemblage", "renamed", "spelling",
  "state", "input", "sandbox", "hierarchy", "behaviour", "collision", "single", "group", "bulk", "scene", "module",
  "draw", "sql", "structural_changes", "snapshot", "export", "numbers", "hidden_state", "metamethods", "nav", "json",
  "life_cycle", "scheduling", "window", "vectors", "sources", "assets", "disable", "timers_and_tweens", "define",
  "literal", "sequence", "sprites", "near", "neighbours", "path", "tiles", "data", "relation", "particles", "view",
  "queued", "record", "list", "requirements" }

local function sorted_names(t)
  local names = {}
  for name in pairs(t or {}) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

local function format_value(v)
  return type(v) == "string" and ("%q"):format(v) or tostring(v)
end

-- The functions passed to a test.
local T = {}

function T.equal(got, wanted)
  if got ~= wanted then
    error("got " .. format_value(got) .. ", expected " .. format_value(wanted), 2)
  end
end

function T.near(got, wanted, tolerance)
  if got ~= got or math.abs(got - wanted) > (tolerance or 1e-4) then
    error("got " .. format_value(got) .. ", expected about " .. format_value(wanted), 2)
  end
end

function T.is_true(v)
  if v ~= true then
    error("got " .. format_value(v) .. ", expected true", 2)
  end
end

function T.is_false(v)
  if v ~= false then
    error("got " .. format_value(v) .. ", expected false", 2)
  end
end

-- Fails unless the call raises an error that contains all of these texts.
function T.fails(call, ...)
  local good, problem = pcall(call)
  if good then
    error("expected an error", 2)
  end
  for i = 1, select("#", ...) do
    local word = select(i, ...)
    if not tostring(problem):find(word, 1, true) then
      error("the message " .. format_value(tostring(problem)) .. " does not contain " .. format_value(word), 2)
    end
  end
end

-- Ends the test and reports it as skipped.
function T.skip(why)
  error({ skipped = why })
end

-- Waits for the given number of ticks (default: 1). Only for `inside` tests.
function T.wait(ticks)
  for _ = 1, ticks or 1 do
    coroutine.yield()
  end
end

local function report_result(name, good, problem)
  local single = world.single.results
  if good then
    single.passed = single.passed + 1
    print("ok " .. name)
  elseif type(problem) == "table" and problem.skipped then
    print("skipped " .. name .. ": " .. problem.skipped)
  else
    single.failed = single.failed + 1
    print("not ok " .. name .. ": " .. tostring(problem))
  end
end

local function list_cases(part)
  local out = {}
  for _, file in ipairs(CASES) do
    local tests = require("cases." .. file)[part]
    for _, name in ipairs(sorted_names(tests)) do
      out[#out + 1] = { name = name, run = tests[name] }
    end
  end
  return out
end

function M.run_outside()
  for _, case in ipairs(list_cases("outside")) do
    report_result(case.name, pcall(case.run, T))
  end
end

local queue, current

-- Runs one step of the `inside` tests. Returns true when all are done.
function M.run_step()
  queue = queue or list_cases("inside")
  current = current or table.remove(queue, 1)
  if not current then
    return true
  end
  current.thread = current.thread or coroutine.create(current.run)
  local good, problem = coroutine.resume(current.thread, T)
  if not good or coroutine.status(current.thread) == "dead" then
    report_result(current.name, good, problem)
    current = nil
  end
  return false
end

return M
