-- The menu that a player opens during a match: back to the game, options, chat, players, leave. It runs in a separate
-- world on that player's machine, with the settings, key bindings, strings and theme of the game, but none of its
-- systems (host/match_menu.c). The match continues meanwhile, and remote machines do not see the menu. The root of each
-- page has the component shoal.match_menu; the options page is the screen of world.options(). C sends the chat lines.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local state = need("base/vm_state")
local game_strings = need("kit/game_strings")
local input = need("kit/input")
local match_boxes = need("kit/match_boxes")
local match_chat = need("kit/match_chat")
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
local CLOSED, MAIN, OPTIONS, QUESTION, CHAT, PLAYERS = 0, 1, 2, 3, 4, 5 -- values of match_menu_page_t
local REMOVE, BAN, GIVE_AWAY, MUTE, UNMUTE, LIFT_BANS = 1, 2, 3, 4, 5, 6 -- values of match_moderation_t
local MAX_PLAYERS = 32 -- equal to PLAYER_MAX in platform/player_input.h
local ROOT, ACTION = "shoal.match_menu", "shoal.player_action"
local RESUME, SHOW_OPTIONS, SHOW_CHAT, ASK, STAY, LEAVE = "shoal.resume", "shoal.show_options", "shoal.show_chat",
  "shoal.ask_leave", "shoal.stay", "shoal.leave"
local SHOW_PLAYERS, SHOW_MAIN, SHOW_PLAYER, MODERATE = "shoal.show_players", "shoal.show_main", "shoal.show_player",
  "shoal.moderate"
local CHAT_KEY = "t" -- name of the key KEY_T in host/match_menu.c
local CHAT_FAULTS = { "chat_too_long", "chat_invalid", "chat_too_fast" } -- strings by match_chat_result_t
local MAX_LINE_BYTES = 200 -- equal to MATCH_CHAT_BYTES in C

-- Declares the components and the events. Returns the schemas of the components.
---@return engine.Schema[]
function M.declare()
  for _, name in ipairs { RESUME, SHOW_OPTIONS, SHOW_CHAT, ASK, STAY, LEAVE, SHOW_PLAYERS, SHOW_MAIN } do
    event.add_declared(schema.define(name, "event", {}), { name })
  end
  for _, name in ipairs { SHOW_PLAYER, MODERATE } do
    event.add_declared(schema.define(name, "event", { { "entity", "entity" } }), { name })
  end
  local declared = { schema.define(ROOT, "component", {}),
    schema.define(ACTION, "component", { { "action", "i32" }, { "player", "i32" } }) }
  for _, component_schema in ipairs(declared) do
    components.add_declared(component_schema).builtin = true
  end
  declared[#declared + 1] = match_boxes.declare()
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
  return root
end

local function create_button(key, event_name, is_cancel)
  return { button = { text = game_strings.resolve(key), emits = event_name, cancel = is_cancel } }
end

-- Returns the string key for leaving: `ending` on the host, whose match then ends; `leaving_world` in a served world;
-- otherwise `leaving`.
local function choose_key(ending, leaving, leaving_world)
  local menu = abi.match_menu
  return menu.is_host and ending or menu.is_world and leaving_world or leaving
end

local function open_main()
  local is_host, is_world = abi.match_menu.is_host, abi.match_menu.is_world
  local children = {
    { label = { text = state.config.title, style = "title", align = "centre" } },
    { label = { style = "dim", align = "centre",
      text = game_strings.resolve(is_world and "world_goes_on" or "match_goes_on") } },
    create_button("back_to_game", RESUME, true),
    create_button("options", SHOW_OPTIONS),
    create_button("lobby_players", SHOW_PLAYERS),
    create_button("chat", SHOW_CHAT),
    create_button(choose_key("end_match", "leave_match", "leave_world"), ASK),
  }
  if is_host then
    table.insert(children, 3, { label = { style = "dim", align = "centre", wrap = true,
      text = game_strings.resolve("join_at", { address = ffi.string(abi.match_menu.addresses) }) } })
  end
  open(380, children)
end

local function open_question()
  open(520, {
    { label = { align = "centre",
      text = game_strings.resolve(choose_key("ask_end", "ask_leave", "ask_leave_world")) } },
    create_button("stay", STAY, true),
    create_button(choose_key("end_match", "leave_match", "leave_world"), LEAVE),
  })
end

-- --- the chat

local chat_hint ---@type shoal.Entity label that shows why the last line was not sent

local function open_chat()
  close_all()
  local scale = ui.size / 22
  local root = world.api.spawn(nil, { transform = {}, [ROOT] = {},
    [widget_tree.component_name("panel")] = { gap = 8 * scale },
    [widget_tree.component_name("widget")] = { anchor = "bottom", margin = 16 * scale,
      width = math.min(state.config.width * 0.94, 760 * scale) } })
  chat_hint = widget_tree.spawn(root, { label = { text = " ", style = "dim" }, widget = { visible = false } })
  widget_tree.spawn(root, { panel = { layout = "row", gap = 8 * scale, style = "plain", padding = 0 },
    { entry = { placeholder = game_strings.resolve "chat_say", max = MAX_LINE_BYTES },
      widget = { grow = 1, focused = true } },
    create_button("cancel", RESUME, true) })
end

local function show_fault(fault)
  local label, widget = widget_tree.component_name("label"), widget_tree.component_name("widget")
  chat_hint[label].text, chat_hint[widget].visible = game_strings.resolve(CHAT_FAULTS[fault]), true
end

-- Passes each submitted line to C, which sends it and closes the page. A line that contains only spaces closes the page
-- without being sent.
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

-- --- the players

local shown_players ---@type string? state of the players that the page shows; nil: the page is closed
local chosen_player = 0 -- number of the player whose actions are shown; 0: the list of all players is shown

local function has_player(mask, number)
  return bit.band(bit.rshift(abi.match_menu[mask], number - 1), 1) == 1
end

local function get_name(number)
  return ffi.string(abi.match_menu.names[number - 1])
end

local function show_name(number)
  return widget_tree.show_literally(get_name(number))
end

-- Returns a text that changes whenever the page must be drawn again.
local function describe_players()
  local menu, names = abi.match_menu, {}
  for number = 1, MAX_PLAYERS do
    names[number] = get_name(number)
  end
  for number = 1, MAX_PLAYERS do
    names[#names + 1] = menu.reserved_s[number - 1]
  end
  return ("%d %d %d %d %d %s %s"):format(menu.present, menu.own, menu.lost, menu.muted, menu.bans,
    tostring(menu.is_host), table.concat(names, "\n"))
end

local is_first_action -- true until the page has its first button, which gets the focus

local function add_action(root, text, emits, action, number)
  widget_tree.spawn(root, { button = { text = text, emits = emits }, widget = { focused = is_first_action },
    player_action = { action = action, player = number } })
  is_first_action = false
end

local function describe_player(number)
  local values = { name = get_name(number), n = abi.match_menu.reserved_s[number - 1] }
  local key = has_player("lost", number) and "match_player_lost" or has_player("muted", number) and "match_player_muted"
  return key and game_strings.resolve(key, values) or show_name(number)
end

local function fill_list(root)
  local count = 0
  for number = 1, MAX_PLAYERS do
    if has_player("own", number) then
      widget_tree.spawn(root, { label = { style = "dim", align = "centre",
        text = game_strings.resolve("match_player_own", { name = get_name(number) }) } })
    elseif has_player("present", number) then
      add_action(root, describe_player(number), SHOW_PLAYER, 0, number)
      count = count + 1
    end
  end
  if count == 0 then
    widget_tree.spawn(root, { label = { style = "dim", align = "centre",
      text = game_strings.resolve "match_no_other_players" } })
  end
  if abi.match_menu.bans > 0 then
    add_action(root, game_strings.resolve("match_lift_bans", { n = abi.match_menu.bans }), MODERATE, LIFT_BANS, 0)
  end
end

local function fill_player(root, number)
  local function add(key, action)
    add_action(root, game_strings.resolve(key), MODERATE, action, number)
  end
  local is_lost, is_host = has_player("lost", number), abi.match_menu.is_host
  if is_lost then
    widget_tree.spawn(root, { label = { style = "dim", align = "centre", wrap = true,
      text = describe_player(number) } })
  end
  if has_player("muted", number) then
    add("match_unmute", UNMUTE)
  else
    add("match_mute", MUTE)
  end
  if is_host and is_lost then
    add("match_give_away", GIVE_AWAY)
  elseif is_host then
    add("match_remove", REMOVE)
  end
  if is_host then
    add("match_ban", BAN)
  end
end

local function open_players()
  shown_players, is_first_action = describe_players(), true
  if chosen_player > 0 and (not has_player("present", chosen_player) or has_player("own", chosen_player)) then
    chosen_player = 0 -- the chosen player has left the match
  end
  local is_list = chosen_player == 0
  local root = open(460, { { label = { style = "title", align = "centre",
    text = is_list and game_strings.resolve "lobby_players" or show_name(chosen_player) } } })
  if is_list then
    fill_list(root)
  else
    fill_player(root, chosen_player)
  end
  widget_tree.spawn(root, create_button("back", is_list and SHOW_MAIN or SHOW_PLAYERS, true))
end

local function show_list()
  chosen_player = 0
  open_players()
end

local function show_player(ev)
  for i = 1, ev.count do
    chosen_player = ev.entity[i][ACTION].player
  end
  open_players()
end

local function moderate(ev)
  for i = 1, ev.count do
    local chosen = ev.entity[i][ACTION]
    abi.match_menu.moderation, abi.match_menu.moderated_player = chosen.action, chosen.player
  end
  show_list()
end

-- --- the page that the program requests (host/match_menu.c)

local page -- the page that is shown; nil in the first tick

-- Functions that open the pages.
local OPEN = { [MAIN] = open_main, [QUESTION] = open_question, [CHAT] = open_chat, [PLAYERS] = show_list }

local shown_changes = 0 -- value of box_changes in the last update

local function update_pictures()
  if abi.match_menu.box_changes ~= shown_changes then
    shown_changes = abi.match_menu.box_changes
    match_boxes.update()
    match_chat.update()
  end
end

local function update()
  update_pictures()
  local requested = abi.match_menu.page
  if requested == page then
    if page == OPTIONS and world.api.count("shoal.options") == 0 then -- the player closed the options
      abi.match_menu.page, page = CLOSED, CLOSED
    elseif page == CHAT and abi.match_menu.chat_fault ~= 0 then
      show_fault(abi.match_menu.chat_fault)
      abi.match_menu.chat_fault = 0
    elseif page == PLAYERS and shown_players ~= describe_players() then
      open_players()
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

-- Handles the choice to stay: closes the menu if the host opened the question, otherwise returns to the main page.
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
    [SHOW_PLAYERS] = function()
      abi.match_menu.page, page = PLAYERS, PLAYERS
      show_list()
    end,
    [SHOW_MAIN] = function() abi.match_menu.page = abi.match_menu.has_main_page and MAIN or CLOSED end,
    [SHOW_PLAYER] = show_player,
    [MODERATE] = moderate,
    entry_submitted = say,
    [ASK] = open_question,
    [STAY] = stay,
    [LEAVE] = function() abi.match_menu.leaves = true end,
    [match_boxes.PRESS] = match_boxes.press,
  } }, { file = "[shoal]/kit/match_menu.lua", text = "" })
end

return M
