-- Questions about the events that a served world keeps, and the names of accounts: chronicle.ask spawns an entity with
-- the component `question`. The room asks the database once the tick is committed, and a later record contains the
-- answer, which game/question_state.c stores in the component. Open questions are therefore saved and asked again after
-- a crash.
local need = ...
local json = need("base/json")
local phases = need("base/phases")
local report = need("base/report")
local state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")
local entity = need("world/entity")
local event = need("world/event")
local world = need("world/world")

local M = {}
local NAME = "question"
local MAX_SQL_BYTES, MAX_PARAMETERS, MAX_TEXT_BYTES = 4000, 32, 1000

-- Declares the component and the event `answered`. Returns the component's schema; nil in a game without served rooms.
---@return engine.Schema?
function M.declare()
  if not state.game.serve then
    return nil
  end
  event.add_declared(schema.define("answered", "event", { { NAME, "entity" } }), { "answered" }, true)
  local declared = schema.define(NAME, "component", { { "sql", "string" }, { "parameters", "string" },
    { "line", "string" }, { "answered", "bool" }, { "error", "string" }, { "cut", "bool" }, { "rows", "string" } })
  components.add_declared(declared).builtin = true
  return declared
end

-- Returns true if the chronicle keeps one of these events, so that the world must contain them.
---@param names string[]
---@return boolean
function M.keeps_event(names)
  for _, name in ipairs(names) do
    if state.game.chronicle and state.game.chronicle[name] then
      return true
    end
  end
  return false
end

-- Returns the file and line of the script that called the API: "systems/elder.lua:12".
local function find_caller()
  for level = 3, 60 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then
      break
    elseif frame.source:find("^@") and not frame.source:find("^@%[shoal%]") then
      return frame.source:sub(2) .. ":" .. frame.currentline
    end
  end
  return ""
end

local function check_parameter(i, v)
  local kind = type(v)
  if kind ~= "number" and kind ~= "string" and kind ~= "boolean" then
    report.raise("chronicle.ask: parameter %d must be a number, a string or a boolean, got %s", i, report.describe(v))
  elseif kind == "number" and v - v ~= 0 then
    report.raise("chronicle.ask: parameter %d must be a finite number, got %s", i, report.describe(v))
  elseif kind == "string" and #v > MAX_TEXT_BYTES then
    report.raise("chronicle.ask: parameter %d has %d bytes: at most %d are possible", i, #v, MAX_TEXT_BYTES)
  end
end

local function check_question(sql, count, ...)
  if not state.game.serve then
    report.raise("chronicle.ask: the game declares no served world: add serve = { rooms = { town = {} } } to game.lua")
  elseif type(sql) ~= "string" or not sql:find("%S") then
    report.raise("chronicle.ask: expected an SQL query, got %s: use chronicle.ask(\"SELECT count(*) AS n FROM "
      .. "chronicle_trade\")", report.describe(sql))
  elseif #sql > MAX_SQL_BYTES then
    report.raise("chronicle.ask: the query has %d bytes: at most %d are possible", #sql, MAX_SQL_BYTES)
  elseif count > MAX_PARAMETERS then
    report.raise("chronicle.ask: %d parameters: at most %d are possible", count, MAX_PARAMETERS)
  end
  for i = 1, count do
    check_parameter(i, (select(i, ...)))
  end
end

M.api = {}

-- Asks the chronicle. Returns the entity of the question, which the event `answered` names.
function M.api.ask(sql, ...)
  phases.check("chronicle.ask")
  local count = select("#", ...)
  check_question(sql, count, ...)
  return world.api.spawn(nil, { [NAME] = { sql = sql, line = find_caller(),
    parameters = json.encode(count > 0 and { ... } or json.EMPTY_LIST) } })
end

-- Returns the rows of the answer, each a table by column name. Returns nil and a message if the question has failed or
-- has no answer yet.
function M.api.rows(e)
  phases.check("chronicle.rows")
  entity.living(e, "chronicle.rows")
  if not state.game.serve or not e:has(NAME) then
    report.raise("chronicle.rows: expected an entity of chronicle.ask, which has the component question, got %s",
      report.describe(e))
  end
  local question = e[NAME]
  if not question.answered then
    return nil, "the question has no answer yet: handle the event answered"
  elseif question.error ~= "" then
    return nil, question.error
  end
  return json.decode(question.rows)
end

phases.require_rows("chronicle.", M.api)

return M
