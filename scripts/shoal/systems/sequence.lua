-- Sequences: e:sequence("intro") runs the steps of sequences/intro.lua (sequence_parser.lua). The position of an entity
-- is stored in rows of the component in_sequence: one for the main list of the file, `main`, one for each branch of an
-- `all`, and one for each jump with `times`, which is counted. The text shown and the choices offered are stored in the
-- component saying. Both components exist only in games that have sequences; nothing is kept in Lua between ticks.
--
-- Each file is a system, which is reloaded and, after an error, parked like any other. A run changes rows through
-- commands, except for elapsed times; a failed run therefore leaves everything else unchanged.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local negated = need("math/number").negate
local components = need("schema/component")
local schema = need("schema/schema")
local steps = need("systems/sequence_parser")
local system = need("systems/system")
local entity = need("world/entity")
local event = need("world/event")
local timers_and_tweens = need("world/timers_and_tweens")
local C, W = abi.C, abi.world

---@class engine.sequence
---@field programs table<string, engine.Program> programs, indexed by name
local M = { programs = {} }
local MAIN = "main"
local MAX_STEPS_PER_TICK = 1000 -- maximum number of steps that one entity can execute in one tick

local FIELDS = { "file", "branch", "step", "name", "doing", "elapsed", "count", "parent" }

---@class engine.Cursor a row of the component in_sequence
---@field key string instance of the row: key of a list or counter
---@field row integer row index in in_sequence; -1 if it is new
---@field before? table<string, any> fields of the row in the world, before this run
---@field removed boolean true if the row must be removed
---@field seen boolean true if the row's list was executed in this run; false if the file no longer contains the list
---@field file string
---@field branch string key of the row's list; for a counter, the list that contains the jump
---@field step integer number of the current step in the row's list
---@field name string name by which the step is found after an edit (get_stable_name)
---@field doing string the kind of the step in progress, "" if no step is in progress
---@field elapsed number duration of the step so far, in seconds
---@field count integer number of times that the jump was taken (counters only)
---@field parent string key of the list that contains the `all` or the counted jump; "" for `main`

-- One run of an entity's sequence, in one tick.
---@class engine.Run
---@field id integer
---@field e shoal.Entity
---@field program engine.Program
---@field dt number
---@field rows table<string, engine.Cursor> cursors, indexed by key
---@field talk table|false the text and choices shown; false if no text is shown
---@field talk_changed boolean true if this run has changed `talk`
---@field steps integer number of steps executed so far in this run

local current_run ---@type engine.Run? the current run, for messages
local current_step ---@type engine.Step? the current step, for messages
local replaced_entities = {} -- entities whose rows are replaced when the current run of a system ends

-- --- declarations

-- Adds the components for sequences, and returns their schemas; returns an empty list for a game without sequences.
---@return engine.Schema[]
function M.schemas()
  local count = #native.sources("sequences")
  for _, addon in ipairs(scope.list) do
    count = count + #native.sources(addon.root .. "sequences")
  end
  if count == 0 then
    return {}
  end
  local out = {
    schema.define("in_sequence", "many", { { "file", "string" }, { "branch", "string" }, { "step", "i32", 1 },
      { "name", "string" }, { "doing", "string" }, { "elapsed", "f64" }, { "count", "i32" }, { "parent", "string" } }),
    schema.define("saying", "component", { { "text", "string" }, { "who", "string" }, { "choices", "string" },
      { "answer", "i32" }, { "branch", "string" } }),
  }
  for _, component_schema in ipairs(out) do
    component_schema.can_be_replaced = true
    components.add_declared(component_schema).builtin = true
  end
  return out
end

-- --- rows

local function get_component()
  return components.find_builtin("in_sequence")
end

local function read_row(component, row, key)
  local cursor = { key = key, row = row, before = {}, removed = false, seen = false }
  for _, field in ipairs(FIELDS) do
    cursor.before[field] = component.get_row[field](row)
    cursor[field] = cursor.before[field]
  end
  return cursor
end

local function read_rows(id)
  local component, out = get_component(), {}
  local row = component.find_row(id)
  while row >= 0 and row ~= abi.NO_ROW do
    local key = text.get_text(component.manager.instance[row])
    out[key] = read_row(component, row, key)
    row = component.manager.next[row]
  end
  return out
end

local function create_cursor(run, key, branch, parent)
  run.rows[key] = { key = key, row = -1, removed = false, seen = true, file = run.program.name, branch = branch,
    step = 1, name = "", doing = "", elapsed = 0, count = 0, parent = parent }
  return run.rows[key]
end

local function visit_sorted(rows, visit)
  for _, key in ipairs(sorted_keys(rows)) do
    visit(rows[key])
  end
end

-- Removes a cursor, the counters of its list, all branches below it, and the text that they show.
local function remove_cursor(run, cursor)
  cursor.removed = true
  local counters, branch_prefix = cursor.key .. "#", cursor.key .. "/"
  for key, other in pairs(run.rows) do
    if key:sub(1, #counters) == counters or key:sub(1, #branch_prefix) == branch_prefix then
      other.removed = true
    end
  end
  if run.talk and (run.talk.branch == cursor.key or run.talk.branch:sub(1, #branch_prefix) == branch_prefix) then
    run.talk, run.talk_changed = false, true
  end
end

local function write_row(id, component, key, values)
  if not C.world_add_component(W, id, component.id, text.intern(key), abi.error) then
    report.raise("%s", abi.get_error_text())
  end
  entity.set_fields(id, component, text.intern(key), values)
end

local function write_cursor(run, component, cursor)
  local old_fields, changed_fields = cursor.before, nil
  if cursor.removed then
    if old_fields then
      C.world_remove_component(W, run.id, component.id, text.intern(cursor.key))
    end
    return
  end
  for _, field in ipairs(FIELDS) do
    if not old_fields or cursor[field] ~= old_fields[field] then
      changed_fields = changed_fields or {}
      changed_fields[field] = cursor[field]
    end
  end
  if old_fields and changed_fields and changed_fields.elapsed and next(changed_fields, next(changed_fields)) == nil then
    component.set_row.elapsed(cursor.row, cursor.elapsed)
  elseif changed_fields then
    write_row(run.id, component, cursor.key, changed_fields)
  end
end

local function write_talk(run)
  local component, talk = components.find_builtin("saying"), run.talk
  if talk then
    write_row(run.id, component, "", { text = talk.text, who = talk.who, choices = talk.choices, answer = 0,
      branch = talk.branch })
  elseif C.world_has_component(W, run.id, component.id) then
    C.world_remove_component(W, run.id, component.id, 0)
  end
end

-- --- steps

local function resolve_text(run, v, label, step)
  if type(v) == "function" then
    v = v(run.e)
    if type(v) ~= "string" then
      report.raise("%s: %s must return a string, got %s", step.label, label, report.describe(v))
    end
  end
  return v or ""
end

local function show_text(run, cursor, step, text_shown, choices)
  if run.talk and run.talk.branch ~= cursor.key then
    return false, nil, true -- not complete; the step must wait until no other branch shows text
  end
  run.talk = { text = text_shown, who = resolve_text(run, step.given.who, "who", step), choices = choices, answer = 0,
    branch = cursor.key }
  run.talk_changed = true
  return false
end

-- Returns the number of the choice with which the player answered the question of the step in progress, nil while there
-- is no answer yet, or 0 if the question was removed. Removes an answered question.
local function pop_answer(run, cursor)
  local talk = run.talk
  if not talk or talk.branch ~= cursor.key then
    return 0
  elseif talk.answer > 0 then
    run.talk, run.talk_changed = false, true
    return talk.answer
  end
end

local function find_target(run, step)
  if not step.of then
    return run.id
  end
  local component = components.by_name.name
  for row = 0, component.manager.count - 1 do
    if component.get_row.value(row) == step.of then
      return component.manager.owner[row]
    end
  end
end

-- Functions that start a step, by kind. They return three values: true if the step is complete, the jump target or nil,
-- and true if the step must wait and start again in the next tick because another branch shows text.
local BEGIN = {}
-- Functions that continue a step in a later tick, by kind. They return the same values as the functions in BEGIN.
local CONTINUE = {}

function BEGIN.label()
  return true
end
CONTINUE.label = BEGIN.label

function BEGIN.wait(run, cursor, step)
  local seconds = step.given.wait
  if type(seconds) == "function" then
    seconds = seconds(run.e)
    if type(seconds) ~= "number" or not (seconds >= 0 and seconds < 1 / 0) then
      report.raise("%s: wait must return a finite number of at least 0, got %s", step.label, report.describe(seconds))
    end
    cursor.elapsed = negated(seconds)
    return seconds < run.dt / 2
  end
  return seconds < run.dt / 2 -- rounds waits to the nearest tick
end

local function has_elapsed(run, cursor, seconds)
  return cursor.elapsed + run.dt / 2 > seconds
end

function CONTINUE.wait(run, cursor, step)
  local seconds = step.given.wait
  return has_elapsed(run, cursor, type(seconds) == "number" and seconds or 0)
end

function BEGIN.call(run, _, step)
  step.given.call(run.e)
  return true
end
CONTINUE.call = BEGIN.call

function BEGIN.wait_for(run, _, step)
  return step.given.wait_for(run.e) and true
end

function CONTINUE.wait_for(run, cursor, step)
  local time_limit = step.given.seconds
  return step.given.wait_for(run.e) or time_limit and has_elapsed(run, cursor, time_limit)
end

-- Returns true if a Lua file outside sequences/ contains `saying` or `:answer`: the game probably shows or answers text
-- itself.
local function has_text_display()
  for _, file in ipairs(native.game_files()) do
    local source = file:find("%.lua$") and not file:find("^sequences/") and native.source(file) or ""
    if source:find("saying", 1, true) or source:find(":answer", 1, true) then
      return true
    end
  end
  return false
end

-- Warns once if text has waited for an answer for one second and nothing shows the text: the step would wait forever.
local has_warned_unshown = false

local function warn_if_unshown(run, cursor, step)
  local component = components.by_name.dialogue
  if has_warned_unshown or cursor.elapsed < 1 or step.given.seconds or not component or component.schema
    or not run.talk then
    return
  end
  has_warned_unshown = true
  if component.manager.count == 0 and not has_text_display() then
    native.log("warn", string.format("sequences/%s.lua: %s: the text is not shown and the sequence waits for an "
      .. "answer, because no entity has a dialogue: add one with world.spawn(nil, { dialogue = {} })",
      cursor.file, step.label))
  end
end

function BEGIN.say(run, cursor, step)
  return show_text(run, cursor, step, resolve_text(run, step.given.say, "say", step), "")
end

function CONTINUE.say(run, cursor, step)
  local time_limit = step.given.seconds
  if time_limit and has_elapsed(run, cursor, time_limit) and run.talk and run.talk.branch == cursor.key then
    run.talk, run.talk_changed = false, true
    return true
  end
  warn_if_unshown(run, cursor, step)
  return pop_answer(run, cursor) ~= nil
end

function BEGIN.choice(run, cursor, step)
  local choices = {}
  for i, item in ipairs(step.items) do
    choices[i] = resolve_text(run, item.text, "choice " .. i, step):gsub("\n", " ")
  end
  return show_text(run, cursor, step, resolve_text(run, step.given.say, "say", step), table.concat(choices, "\n"))
end

function CONTINUE.choice(run, cursor, step)
  local number = pop_answer(run, cursor)
  local item = number and step.items[number]
  if item and item.call then
    item.call(run.e)
  end
  return number ~= nil, item and item.jump
end

function BEGIN.tween(run, _, step)
  local declaration, id = step.given, find_target(run, step)
  if not id then
    report.fail { message = string.format("%s: no entity is named %q", step.label, step.of),
      file = run.program.file, line = step.line }
  end
  local target_value = declaration.to
  if type(target_value) == "function" then
    target_value = target_value(run.e)
  end
  local ok, problem = pcall(timers_and_tweens.tween, handle.handle(id), declaration.tween, target_value,
    declaration.seconds or 0,
    declaration.ease, steps.tween_options(declaration))
  if not ok then
    report.fail { message = step.label .. ": " .. report.get_message(problem), file = run.program.file,
      line = step.line }
  end
  return declaration.forever == true
end

function CONTINUE.tween(run, _, step)
  local id = find_target(run, step)
  return not id or not handle.stays_alive(id) or not timers_and_tweens.is_tweening(id, step.given.tween)
end

local advance

local function advance_branches(run, step)
  local is_any_active = false
  for _, list in ipairs(step.branches) do
    local branch = run.rows[list.key]
    if branch and not branch.removed and not replaced_entities[run.id] then
      is_any_active = not advance(run, branch) or is_any_active
    end
  end
  return not is_any_active
end

function BEGIN.all(run, cursor, step)
  for _, list in ipairs(step.branches) do
    create_cursor(run, list.key, list.key, cursor.key)
  end
  return advance_branches(run, step)
end

function CONTINUE.all(run, _, step)
  return advance_branches(run, step)
end

function BEGIN.jump(run, cursor, step)
  local key, times = cursor.key .. "#" .. step.id, step.given.times
  local counter = run.rows[key]
  local count = counter and not counter.removed and counter.count or 0
  if not times then
    return true, step.target
  elseif count >= times then
    counter.removed = true
    return true
  end
  if not counter then
    counter = create_cursor(run, key, cursor.branch, cursor.key)
    counter.doing = "jump"
  end
  counter.removed, counter.seen, counter.count, counter.name = false, true, count + 1, step.target
  return true, step.target
end
CONTINUE.jump = BEGIN.jump

-- --- lists

local function warn(run, fmt, ...)
  log.warn("%s: the sequence %s of %s: %s", run.program.file, run.program.name, components.format_title(run.id),
    string.format(fmt, ...))
end

-- Cancels the step in progress, because the file now has a different step at this index: removes its branches and its
-- text.
local function cancel_step(run, cursor)
  for key, other in pairs(run.rows) do
    if other.parent == cursor.key and other.doing ~= "jump" and key ~= cursor.key then
      remove_cursor(run, other)
    end
  end
  if run.talk and run.talk.branch == cursor.key then
    run.talk, run.talk_changed = false, true
  end
end

-- Returns the index of the last named step at or before the index `step_index`, and its name; 1 and "" if no such step
-- has a name.
local function find_last_named(list, step_index)
  for i = step_index, 1, -1 do
    if list.list[i].name ~= "" then
      return i, list.list[i].name
    end
  end
  return 1, ""
end

-- Returns the name by which a step is found after an edit: its own name, or the name of the last named step before it
-- plus the distance, "walk+2"; "" if no step before it has a name.
local function get_stable_name(list, step_index)
  local named_index, name = find_last_named(list, step_index)
  return (name == "" or named_index == step_index) and name or name .. "+" .. step_index - named_index
end

-- Returns the index of the step with the cursor's stored name (get_stable_name), or the stored index if that name is
-- empty; nil if the file no longer contains a step with this name.
local function find_step_index(list, cursor)
  if cursor.name == "" then
    return cursor.step
  elseif list.by_name[cursor.name] then
    return list.by_name[cursor.name]
  end
  local name, distance = cursor.name:match("^(.*)%+(%d+)$")
  local named_index = name and list.by_name[name]
  return named_index and named_index + tonumber(distance)
end

-- Returns the index of the current step. If the file no longer contains the step, the sequence continues with the step
-- at the nearest index; if the kind of the step in progress has changed, the sequence restarts at the last named step.
local function find_step(run, cursor, list)
  local step_index = find_step_index(list, cursor)
  if not step_index or not list.list[step_index] then
    step_index = math.max(1, math.min(step_index or cursor.step, #list.list))
    warn(run, "step %s no longer exists: continuing with %s", cursor.name ~= "" and ("%q"):format(cursor.name)
      or cursor.step, list.list[step_index].label)
    cursor.doing = ""
  elseif cursor.doing ~= "" and cursor.doing ~= list.list[step_index].kind then
    local new_label = list.list[step_index].label
    step_index = find_last_named(list, step_index)
    warn(run, "the step in progress has changed from %s to %s: restarting at %s", cursor.doing, new_label,
      list.list[step_index].label)
    cancel_step(run, cursor)
    cursor.doing = ""
  end
  return step_index
end

local function execute_step(run, cursor, step)
  current_step = step
  run.steps = run.steps + 1
  if run.steps > MAX_STEPS_PER_TICK then
    report.fail { message = string.format("%s: more than %d steps in one tick without a wait: add a { wait = … } "
      .. "step to each loop of jumps", step.label, MAX_STEPS_PER_TICK), file = run.program.file, line = step.line }
  end
  if cursor.doing == step.kind then
    cursor.elapsed = cursor.elapsed + run.dt
    return CONTINUE[step.kind](run, cursor, step)
  elseif cursor.doing ~= "" then
    cancel_step(run, cursor)
  end
  cursor.doing, cursor.elapsed = "", 0
  if step.when and not step.when(run.e) then
    return true
  end
  return BEGIN[step.kind](run, cursor, step)
end

-- Executes the steps of a list until one is not complete in this tick. Returns true if the list has ended.
function advance(run, cursor)
  local list = run.program.lists[cursor.branch]
  if not list then
    warn(run, "branch %s no longer exists and was ended", cursor.branch)
    remove_cursor(run, cursor)
    return true
  end
  cursor.seen = true
  local step_index = find_step(run, cursor, list)
  while true do
    local step = list.list[step_index]
    if not step then
      remove_cursor(run, cursor)
      return true
    end
    local is_complete, target, must_wait = execute_step(run, cursor, step)
    if replaced_entities[run.id] or not handle.stays_alive(run.id) then
      return false
    end
    cursor.step, cursor.name = step_index, get_stable_name(list, step_index)
    if not is_complete then
      cursor.doing = must_wait and "" or step.kind
      return false
    end
    cursor.doing, cursor.elapsed = "", 0
    step_index = target and list.by_name[target] or step_index + 1
  end
end

-- --- entities

-- Marks rows for removal: branches that no step has advanced in this tick because the file no longer contains them, and
-- counters of jumps whose list is removed.
local function mark_removed_rows(run)
  visit_sorted(run.rows, function(cursor)
    local owner = run.rows[cursor.parent]
    if cursor.doing == "jump" and owner then
      cursor.removed = cursor.removed or owner.removed
    elseif not cursor.seen and not cursor.removed then
      cursor.removed = true
    end
  end)
end

local function finish_run(run)
  local component = get_component()
  if run.rows[MAIN].removed then
    C.world_remove_component(W, run.id, component.id, 0)
    local ended_event = event.by_name.sequence_ended
    if ended_event.id and ended_event.can_be_replaced then
      event.emit("sequence_ended", { entity = run.e, sequence = run.program.name })
    end
  else
    mark_removed_rows(run)
    visit_sorted(run.rows, function(cursor)
      write_cursor(run, component, cursor)
    end)
  end
  if run.talk_changed then
    write_talk(run)
  end
end

local function run_sequence(program, id, dt)
  local saying = components.find_builtin("saying")
  local run = { id = id, e = handle.handle(id), program = program, dt = dt, rows = read_rows(id), steps = 0,
    talk = false, talk_changed = false }
  if saying.find_row(id) >= 0 then
    run.talk = { text = saying.get.text(id), who = saying.get.who(id), choices = saying.get.choices(id),
      answer = saying.get.answer(id), branch = saying.get.branch(id) }
  end
  current_run, state.entity = run, id
  advance(run, run.rows[MAIN])
  if not replaced_entities[id] and handle.stays_alive(id) then
    finish_run(run)
  end
  current_run, state.entity, current_step = nil, 0, nil
end

-- Advances all entities in this sequence, in row order. Skips disabled entities.
local function run_program(program, dt)
  phases.enter("sequence")
  local component = get_component()
  local manager, main_id = component.manager, text.find(MAIN)
  replaced_entities, current_run, current_step = {}, nil, nil
  if manager.count == 0 or main_id == 0 then
    return
  end
  local has_disabled, ids = components.by_name.disabled.manager.count > 0, {}
  for row = 0, manager.count - 1 do
    if manager.instance[row] == main_id and component.get_row.file(row) == program.name then
      ids[#ids + 1] = manager.owner[row]
    end
  end
  for _, id in ipairs(ids) do
    if handle.stays_alive(id) and not replaced_entities[id]
      and not (has_disabled and C.world_is_disabled(W, id, component.id)) then
      run_sequence(program, id, dt)
    end
  end
end

-- --- interface

-- Adds the system of a sequence file. `name`: "intro"; `declaration`: the value that the file returned; `source`: the
-- file's name and text.
---@param name string
---@param declaration any
---@param source engine.At
function M.add(name, declaration, source)
  local program = steps.read(name, declaration, source)
  M.programs[name] = program
  local new_system = system.add(source.file, { phase = "update", priority = -500, update = function(dt)
    run_program(program, dt)
  end }, source) --[[@as engine.System]]
  new_system.title = "sequence " .. name
end

local warned_files = {}

-- Adds a system that warns about entities whose sequence file is missing. Their sequences pause, because the file may
-- be restored.
function M.add_system()
  if not get_component() then
    return
  end
  system.add("shoal.sequences", { phase = "pre_update", query = { get_component().name }, update = function(q)
    local rows = q[get_component().name]
    for i = 1, q.count do
      local file = rows.file[i]
      if not M.programs[file] and not warned_files[file] then
        warned_files[file] = true
        log.warn("%s cannot continue its sequence: sequences/%s.lua not found%s",
          components.format_title(q.entity:raw(i)), file, report.hint(file, M.programs))
      end
    end
  end }, { file = "[shoal]/systems/sequence.lua", text = "" })
end

-- Starts the sequence at its first step, for e:sequence(name); nil stops the current sequence.
---@param id integer
---@param name any
function M.play(id, name)
  local program = M.programs[name]
  if name ~= nil and not program then
    report.raise("e:sequence: unknown sequence %s%s", report.show(name), next(M.programs)
      and report.hint(name, M.programs) or ": the game has no files in sequences/")
  end
  local component = get_component()
  if not component then
    return
  end
  local saying = components.find_builtin("saying")
  C.world_remove_component(W, id, component.id, 0)
  if C.world_is_component_pending(W, id, saying.id) or saying.find_row(id) >= 0 and saying.get.branch(id) ~= "" then
    C.world_remove_component(W, id, saying.id, 0)
  end
  if program then
    write_row(id, component, MAIN, { file = name, branch = MAIN, step = 1, name = program.main.list[1].name })
  end
  replaced_entities[id] = true
end

-- Returns the name of the entity's current sequence, for e:sequence(); nil if no sequence is running.
---@param id integer
---@return string?
function M.get_sequence_name(id)
  local component = get_component()
  local main_id = text.find(MAIN)
  local row = component and main_id ~= 0 and C.manager_find_instance_row(component.manager, id, main_id) or abi.NO_ROW
  return row ~= abi.NO_ROW and component.get_row.file(row) or nil
end

-- Answers the text or question that the entity shows, for e:answer(n). Returns false if the entity shows neither.
---@param id integer
---@param number any number of the choice; nil: 1
---@return boolean
function M.answer(id, number)
  local saying = components.find_builtin("saying")
  local row = saying and saying.find_row(id) or -1
  if number ~= nil and (type(number) ~= "number" or number % 1 ~= 0 or number < 1) then
    report.raise("e:answer: expected the number of a choice (from 1), got %s", report.describe(number))
  elseif row < 0 then
    return false
  end
  local _, count = saying.get_row.choices(row):gsub("[^\n]+", "")
  if count > 0 and (number or 1) > count then
    report.raise("e:answer: expected a choice from 1 to %d, got %d", count, number)
  end
  saying.set_row.answer(row, count > 0 and number or 1)
  return true
end

-- Returns the file, line and step in which an error occurred, for error reports, and forgets the step; "" outside
-- sequences.
---@return string line
function M.pop_error_location()
  local line = current_step and current_run and current_run.program.file .. ":" .. current_step.line .. ": sequence "
    .. current_run.program.name .. ", " .. current_step.label or ""
  current_run, current_step = nil, nil
  return line
end

-- --- entity methods

local methods = {}

-- Implements e:sequence. Without an argument, returns the name of the current sequence; with a name, starts that
-- sequence at its first step; nil stops the current one.
function methods.sequence(e, ...)
  if select("#", ...) == 0 then
    return (M.get_sequence_name(entity.living(e, "sequence")))
  end
  entity.changing("e:sequence(name)")
  M.play(entity.living(e, "sequence"), scope.name("sequence", (...)))
  return e
end

function methods.answer(e, number)
  entity.changing("e:answer")
  local is_answered = M.answer(entity.living(e, "answer"), number)
  return is_answered
end

entity.add_methods(methods)

return M
