-- The menu of a match: back to the game, options, chat, leave. It runs in a small world of one machine, with the
-- settings, key bindings, strings and theme of the game, but none of its systems (host/match_menu.c). So the match goes
-- on, and no other machine sees the menu. The root of each page has the component shoal.match_menu; the options are the
-- screen of world.options(). The host sends the lines of the chat, and shows those that arrive.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local state = need("base/vm_state")
local game_strings = need("kit/game_strings")
local input = need("kit/input")
local ui = need("kit/ui")
local widget_tree = need("kit/widget_tree")
local components = need("schema/component")
local schema = need("schema/schema")
local system = need("systems/system")
local event = need("world/event")
local world = need("world/world")
local ffi = abi.ffi

---@class engine.match_menu
local M = {}
local CLOSED, MAIN, OPTIONS, QUESTION, CHAT = 0, 1, 2, 3, 4 -- values of match_menu_page_t
local ROOT = "shoal.match_menu"
local RESUME, SHOW_OPTIONS, SHOW_CHAT, ASK, STAY, LEAVE = "shoal.resume", "shoal.show_options", "shoal.show_chat",
  "shoal.ask_leave", "shoal.stay", "shoal.leave"
local CHAT_KEY = "t" -- KEY_T in host/match_menu.c
local CHAT_FAULTS = { "chat_too_long", "chat_invalid", "chat_too_fast" } -- strings by match_chat_result_t
local MAX_LINE_BYTES = 200 -- MATCH_CHAT_BYTES

-- Declares the component and the events. Returns the schema of the component.
---@return engine.Schema
function M.declare()
  for _, name in ipairs { RESUME, SHOW_OPTIONS, SHOW_CHAT, ASK, STAY, LEAVE } do
    event.add_declared(schema.define(name, "event", {}), { name })
  end
  local declared = schema.define(ROOT, "component", {})
  components.add_declared(declared).builtin = true
  return declared
end

-- --- pages

local function close_all()
  input.api.listen(false)
  for _, name in ipairs { ROOT, "shoal.options" } do
    for root in world.api.each(name) do
      root:destroy()
    end
  end
end

local function open(width, children)
  close_all()
  local scale = ui.size / 22
  local root = world.api.spawn(nil, { transform = {}, [ROOT] = {},
    [widget_tree.component_name("panel")] = { modal = true, gap = 14 * scale },
    [widget_tree.component_name("widget")] = { width = math.min(state.config.width * 0.94, width * scale) } })
  for _, child in ipairs(children) do
    widget_tree.spawn(root, child)
  end
end

local function create_button(key, event_name, is_cancel)
  return { button = { text = game_strings.resolve(key), emits = event_name, cancel = is_cancel } }
end

local function open_main()
  local is_host = abi.match_menu.is_host
  local children = {
    { label = { text = state.config.title, style = "title", align = "centre" } },
    { label = { text = game_strings.resolve "match_goes_on", style = "dim", align = "centre" } },
    create_button("back_to_game", RESUME, true),
    create_button("options", SHOW_OPTIONS),
    create_button("chat", SHOW_CHAT),
    create_button(is_host and "end_match" or "leave_match", ASK),
  }
  if is_host then
    table.insert(children, 3, { label = { style = "dim", align = "centre", wrap = true,
      text = game_strings.resolve("join_at", { address = ffi.string(abi.match_menu.addresses) }) } })
  end
  open(380, children)
end

local function open_question()
  local is_host = abi.match_menu.is_host
  open(520, {
    { label = { text = game_strings.resolve(is_host and "ask_end" or "ask_leave"), align = "centre" } },
    create_button("stay", STAY, true),
    create_button(is_host and "end_match" or "leave_match", LEAVE),
  })
end

-- --- the chat

local chat_hint ---@type shoal.Entity why the last line was not sent

local function open_chat()
  close_all()
  local scale = ui.size / 22
  local root = world.api.spawn(nil, { transform = {}, [ROOT] = {},
    [widget_tree.component_name("panel")] = { gap = 8 * scale },
    [widget_tree.component_name("widget")] = { anchor = "bottom", margin = 16 * scale,
      width = math.min(state.config.width * 0.94, 760 * scale) } })
  chat_hint = widget_tree.spawn(root, { label = { text = " ", style = "dim" }, widget = { visible = false } })
  local cancel = create_button("cancel", RESUME, true)
  cancel.widget = { width = 130 * scale }
  widget_tree.spawn(root, { panel = { layout = "row", gap = 8 * scale, style = "plain", padding = 0 },
    { entry = { placeholder = game_strings.resolve "chat_say", max = MAX_LINE_BYTES },
      widget = { grow = 1, focused = true } },
    cancel })
end

local function show_fault(fault)
  local label, widget = widget_tree.component_name("label"), widget_tree.component_name("widget")
  chat_hint[label].text, chat_hint[widget].visible = game_strings.resolve(CHAT_FAULTS[fault]), true
end

-- Passes a line to the host, which closes the page once the line is sent. A line of spaces also closes it.
local function say(ev)
  for i = 1, ev.count do
    local line = ev.text[i]
    if not line:find("%S") then
      abi.match_menu.page = CLOSED
    elseif #line > MAX_LINE_BYTES then
      show_fault(1)
    else
      ffi.copy(abi.match_menu.line, line)
    end
  end
end

-- --- the page that the host requests

local page -- the page that is shown; nil in the first tick

local OPEN = { [MAIN] = open_main, [QUESTION] = open_question, [CHAT] = open_chat } -- functions by page

local function update()
  local requested = abi.match_menu.page
  if requested == page then
    if page == OPTIONS and world.api.count("shoal.options") == 0 then -- the player has closed them
      abi.match_menu.page, page = CLOSED, CLOSED
    elseif page == CHAT and abi.match_menu.chat_fault ~= 0 then
      show_fault(abi.match_menu.chat_fault)
      abi.match_menu.chat_fault = 0
    end
    return
  end
  page = requested
  abi.match_menu.has_chat_key = not input.uses_key(CHAT_KEY)
  local open_page = OPEN[page]
  if open_page then
    open_page()
    return
  end
  close_all()
  if page == OPTIONS then
    world.functions.options()
  end
end

-- The player does not want to leave: goes back to where the question was opened.
local function stay()
  if page == QUESTION then
    abi.match_menu.page = CLOSED
  else
    open_main()
  end
end

function M.add_system()
  system.add(ROOT, { phase = "input", priority = -2 ^ 30 + 1, update = phases.exempt(update), on = {
    [RESUME] = function() abi.match_menu.page = CLOSED end,
    [SHOW_OPTIONS] = function() world.functions.options() end,
    [SHOW_CHAT] = function() abi.match_menu.page = CHAT end,
    entry_submitted = say,
    [ASK] = open_question,
    [STAY] = stay,
    [LEAVE] = function() abi.match_menu.leaves = true end,
  } }, { file = "[shoal]/kit/match_menu.lua", text = "" })
end

return M
