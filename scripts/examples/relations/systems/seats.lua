-- Sets the position and the colour of new guests and dishes.
local COLOURS = {
  { 1, 0.45, 0.4 }, { 1, 0.72, 0.3 }, { 0.95, 0.92, 0.4 }, { 0.5, 0.9, 0.45 }, { 0.35, 0.85, 0.9 }, { 0.5, 0.6, 1 },
  { 0.9, 0.55, 1 },
}

return {
  query = { "transform", "shape" },
  phase = "pre_update",
  enter = function(e)
    local is_dish = e:has("dish")
    local place = is_dish and e.dish.place or e.guest.place
    local angle = is_dish and place / 7 * 2 * math.pi or place / 42 * 2 * math.pi
    local radius = is_dish and 150 or 315
    e.transform.x, e.transform.y = 640 + radius * math.cos(angle), 360 + radius * math.sin(angle)
    local colour = is_dish and COLOURS[place] or { 0.75, 0.78, 0.85 }
    e.shape.colour = { colour[1], colour[2], colour[3], 1 }
  end,
}
