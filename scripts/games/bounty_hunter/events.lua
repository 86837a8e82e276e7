-- Events emitted by systems and buttons. Events for which systems/juice.lua shows an effect have a position.
local t = shoal.types
local function create_position_fields() return { x = 0, y = 0, player = t.i32(0), many = t.i32(0), worth = t.i32(0),
  number = t.i32(0) } end
return {
  go = { to = "title", begins = false }, -- begins: true if a new game begins
  play = {}, more_players = {}, again = {}, build = {}, wanted = {}, stash_full = {},
  picked = create_position_fields(), stashed = create_position_fields(), dashed = create_position_fields(),
  struck = create_position_fields(), caught = create_position_fields(),
}
