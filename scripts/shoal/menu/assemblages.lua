-- The camera, the fish, and the pages of the menu: the shelf of games, the examples, the source of a game, the matches,
-- and the question before the menu quits.
local games = require "lib.games"
local WIDTH, HEIGHT = 193, 146 -- size of a tile
local PICTURE_HEIGHT = 107

local function button(text, emits, more)
  local fields = { text = text, emits = emits }
  for key, value in pairs(more or {}) do fields[key] = value end
  return { button = fields }
end

-- Returns a button that the arrow keys skip, because a key has the same effect.
local function mouse_button(text, emits, name)
  return { panel = { layout = "row", style = "plain", padding = 0, keys = false },
    children = { { name = name, button = { text = text, emits = emits, style = "small" } } } }
end

-- Returns a tile: a moving picture and a title, both covered by one button.
local function tile(game, number)
  local picture = { anchor = "top", width = WIDTH - 4, height = PICTURE_HEIGHT, margin = 2 }
  return { name = game.name, tile = { delay = number * 0.37 },
    panel = { layout = "stack", style = "card", padding = 0 }, widget = { width = WIDTH, height = HEIGHT }, children = {
      { label = {}, widget = picture }, -- child "1"
      { label = { text = game.title, style = "card_title" }, widget = { anchor = "bottom", margin = 3 } }, -- child "2"
      { button = { emits = "tile_opened", style = "card" }, widget = { anchor = "fill" } }, -- child "3"
    } }
end

local function row(first, last)
  local tiles = {}
  for i = first, last do tiles[#tiles + 1] = tile(games[i], i) end
  return { panel = { layout = "row", gap = 12, padding = 0 }, children = tiles }
end

-- Returns a page, which is hidden at first. All pages exist from the start.
local function page(title, children)
  table.insert(children, 1, { label = { text = title, style = "name" } })
  local widget = { anchor = "fill", margin = 31, visible = false }
  return { components = { panel = { style = "plain", gap = 12 }, widget = widget }, children = children }
end

-- Returns the row with the title of the selected game and the command that starts it. The title may differ from the
-- name of the folder: asteroids is called Rockfall.
local function heading_row(page_name)
  return { panel = { layout = "row", gap = 16, padding = 0, justify = "apart", align = "centre" }, children = {
    { name = page_name .. "_heading", label = { style = "heading" } },
    { name = page_name .. "_command", label = { style = "command" } },
  } }
end

local function footer(text, ...)
  return { panel = { layout = "row", gap = 12, padding = 0, justify = "apart", align = "centre" }, children = {
    { label = { text = text, style = "dim" } },
    { panel = { layout = "row", gap = 12, padding = 0 }, children = { ... } },
  } }
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.01, 0.02, 0.05, 1 } } } },
  fish = {
    components = {
      transform = {},
      swim = {},
      shape = { kind = "polygon", points = { 11, 0, 3, -4, -6, -1, -12, -5, -10, 0, -12, 5, -6, 1, 3, 4 },
        blend = "add" },
    },
  },

  shelf = page("SHOAL", {
    { name = "message", label = { style = "message", wrap = true } },
    row(1, 6),
    row(7, 11),
    { panel = { style = "box", gap = 6 }, widget = { grow = 1 }, children = {
      { name = "shelf_heading", label = { style = "heading" } },
      { name = "shelf_about", label = { wrap = true, style = "about" } },
    } },
    footer("Arrows and Enter, pad or mouse: play     T, X: play together     Tab, Y: source     Escape, B: quit",
      mouse_button("Play together", "together_opened", "shelf_together"), mouse_button("Source", "source_opened"),
      mouse_button("Quit", "back_chosen")),
  }),
  examples = page("EXAMPLES", {
    { panel = { layout = "row", gap = 18, padding = 0 }, widget = { grow = 1 }, children = {
      { name = "example_list", list = { rows = 17, emits = "game_chosen" }, widget = { width = 440, grow = 0 } },
      { panel = { style = "box", gap = 12, align = "start" }, widget = { grow = 1 }, children = {
        { name = "example_picture", label = {}, widget = { width = 560, height = 315 } },
        heading_row("example"),
        { name = "example_about", label = { wrap = true }, widget = { width = 690 } },
      } },
    } },
    footer("Arrows and Enter, pad or mouse: run     T, X: play together     Tab, Y: source     Escape, B: back",
      mouse_button("Play together", "together_opened", "examples_together"), mouse_button("Source", "source_opened"),
      mouse_button("Back", "back_chosen")),
  }),
  source = page("SOURCE", {
    heading_row("source"),
    { name = "source_list", list = { rows = 21, style = "source", emits = "game_chosen" }, widget = { grow = 1 } },
    footer("Arrows, pad or mouse wheel: scroll     Enter, A: play     Escape, B: back",
      mouse_button("Back", "back_chosen")),
  }),
  together = page("PLAY TOGETHER", {
    { name = "together_message", label = { style = "message", wrap = true } },
    { name = "together_details", label = { style = "dim", wrap = true } },
    { panel = { layout = "row", gap = 18, padding = 0 }, widget = { grow = 1 }, children = {
      { panel = { style = "box", gap = 12 }, widget = { width = 440 }, children = {
        { name = "together_heading", label = { style = "heading" } },
        { name = "together_about", label = { wrap = true } },
        { name = "host_button", button = { text = "Host a match", emits = "host_chosen" } },
        { label = { text = "Join the address of a host", style = "heading" } },
        { name = "address_entry", entry = { placeholder = "192.168.1.5", max = 250 } },
        button("Join", "join_chosen"),
        { label = { text = "The host shows the address with “Address” in the lobby.", style = "dim", wrap = true } },
        { label = { text = "Password of the match", style = "heading" } },
        { name = "password_entry", entry = { placeholder = "none", max = 128 } },
        { name = "key_entry", entry = { placeholder = "Key of the host, to send the password", max = 19 } },
      } },
      { panel = { layout = "column", gap = 18, padding = 0 }, widget = { grow = 1 }, children = {
        { panel = { style = "box", gap = 12 }, widget = { grow = 1 }, children = {
          { label = { text = "Matches in the local network", style = "heading" } },
          { name = "match_list", list = { rows = 5, style = "matches", emits = "match_chosen" },
            widget = { grow = 1 } },
          { name = "match_hint", label = { style = "dim", wrap = true } },
        } },
        { panel = { style = "box", gap = 12 }, children = {
          { label = { text = "Join a served world", style = "heading" } },
          { panel = { layout = "row", gap = 12, padding = 0 }, children = {
            { name = "world_entry", entry = { placeholder = "play.example.org", max = 250 }, widget = { grow = 2 } },
            { name = "room_entry", entry = { placeholder = "Any room", max = 39 }, widget = { grow = 1 } },
          } },
          { name = "code_entry", entry = { placeholder = "Code of the operator, if you have one", max = 128 } },
          { name = "world_button", button = { text = "Join the world", emits = "world_chosen" } },
        } },
      } },
    } },
    footer("Arrows and Enter, pad or mouse     Escape, B: back", mouse_button("Back", "back_chosen")),
  }),
  question = {
    components = { panel = { modal = true, style = "box", gap = 14, padding = 30 }, widget = { layer = 5 } },
    children = {
      { label = { text = "Quit Shoal?", style = "heading", align = "centre" } },
      button("Stay", "quit_declined", { cancel = true }),
      button("Quit", "quit_chosen"),
    },
  },
}
