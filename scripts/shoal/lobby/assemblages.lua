-- The screen of the lobby: the players, the chat, and a row of controls for each player, which only the player sees.
local text = require "lib.text"
local PLAYERS = 8
local SEAT_HEIGHT = 38
local SPEAKER_WIDTH, SAID_WIDTH = 150, 505

local function seat(number)
  return { name = "seat_" .. number, seat = { player = number },
    panel = { layout = "row", style = "seat", gap = 12, align = "centre" },
    widget = { visible = false, height = SEAT_HEIGHT }, children = {
      { name = "swatch_" .. number, bar = {}, widget = { width = 22, height = 22 } },
      { name = "player_name_" .. number, label = {}, widget = { grow = 1 } },
      { name = "ping_" .. number, label = {}, widget = { width = 70 } }, -- drawn by systems/draw_machine.lua
      { name = "state_" .. number, label = { style = "state" }, widget = { width = 110 } },
    } }
end

local function chat_line(number)
  return { panel = { layout = "row", style = "plain", gap = 8, padding = 0 }, children = {
    { name = "speaker_" .. number, label = { style = "chat_name", align = "end" }, widget = { width = SPEAKER_WIDTH } },
    { name = "said_" .. number, chat_line = {}, label = { style = "chat_text", wrap = true },
      widget = { width = SAID_WIDTH } },
  } }
end

local function chat_entry(number)
  return { panel = { style = "plain", padding = 0, gap = 4 }, widget = { player = number }, children = {
    { name = "chat_hint_" .. number, label = { style = "hint" }, widget = { visible = false } },
    { name = "chat_entry_" .. number, chat_entry = { player = number },
      entry = { placeholder = "@shoal.chat_say", max = text.MAX_BYTES } },
  } }
end

local function controls(number)
  local children = {
    { label = { text = "@shoal.lobby_name", style = "dim" } },
    { name = "name_entry_" .. number, entry = { max = lobby.name_characters, emits = "name_edited" },
      widget = { width = 240 } },
    { name = "colour_button_" .. number, button = { text = "@shoal.lobby_colour", emits = "colour_chosen" } },
    { name = "ready_box_" .. number, checkbox = { text = "@shoal.lobby_ready" }, widget = { width = 170 } },
    { panel = { style = "plain", padding = 0 }, widget = { grow = 1 } },
    { button = { text = "@shoal.lobby_leave", emits = "leave_asked" } },
  }
  if number == 1 then -- the host's first player
    table.insert(children, 5, { name = "address_box", checkbox = { text = "@shoal.lobby_address" },
      widget = { width = 200 } })
    children[#children + 1] = { name = "begin_button", widget = { width = 190, disabled = true },
      button = { text = "@shoal.lobby_begin", emits = "begin_chosen", style = "begin" } }
  end
  return { name = "controls_" .. number, widget = { player = number },
    panel = { layout = "row", style = "box", align = "centre", gap = 12 }, children = children }
end

local function list(create, count)
  local out = {}
  for i = 1, count do out[i] = create(i) end
  return out
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.01, 0.02, 0.05, 1 } } } },
  screen = { components = { panel = { style = "plain", gap = 12 }, widget = { anchor = "fill", margin = 28 } },
    children = {
      { panel = { layout = "row", style = "plain", padding = 0, justify = "apart", align = "centre" }, children = {
        { panel = { style = "plain", padding = 0, gap = 0 }, children = {
          { label = { text = "@shoal.lobby_lobby", style = "dim" } },
          { label = { text = lobby.title, style = "name" } },
        } },
        { panel = { style = "plain", padding = 0, gap = 4 }, children = {
          { name = "invitation", label = { style = "dim", wrap = true }, widget = { width = 600 } },
          -- systems/draw_machine.lua draws the text
          { name = "address", label = {}, widget = { width = 600, height = 32 } },
        } },
      } },
      { panel = { layout = "row", style = "plain", padding = 0, gap = 14 }, widget = { grow = 1 }, children = {
        { panel = { style = "box", gap = 6 }, widget = { width = 520 }, children = {
          { panel = { layout = "row", style = "plain", padding = 0, justify = "apart", align = "centre" }, children = {
            { label = { text = "@shoal.lobby_players", style = "heading" } },
            { name = "actions_button", button = { text = "@shoal.lobby_actions", emits = "players_asked" } },
          } },
          { panel = { style = "plain", padding = 0, gap = 6 }, widget = { grow = 1 }, children = list(seat, PLAYERS) },
          { name = "status", label = { style = "note", wrap = true } },
        } },
        { panel = { style = "box", gap = 8 }, widget = { grow = 1 }, children = {
          { label = { text = "@shoal.chat", style = "heading" } },
          { name = "chat_lines", panel = { style = "plain", padding = 0, gap = 4, justify = "end" },
            widget = { grow = 1, height = 300 }, children = list(chat_line, text.LINES) },
          { panel = { style = "plain", padding = 0, gap = 4 }, children = list(chat_entry, PLAYERS) },
        } },
      } },
      { panel = { style = "plain", padding = 0, gap = 6 }, children = list(controls, PLAYERS) },
      { label = { text = "@shoal.lobby_keys", style = "note" } },
    } },
  question = { components = { leave_question = {}, panel = { modal = true, style = "box", gap = 14, padding = 30 } },
    children = {
      question_text = { label = { style = "heading", align = "centre" } },
      stay_button = { button = { text = "@shoal.stay", emits = "leave_declined", cancel = true } },
      leave_button = { button = { text = "@shoal.lobby_leave", emits = "leave_chosen" } },
    } },
}
