-- Events emitted by systems and buttons. Events for which systems/juice.lua shows an effect have a position.
local t = shoal.types
local function at() return { x = 0, y = 0, player = t.i32(0), many = t.i32(0), worth = t.i32(0), number = t.i32(0) } end
return {
  go = { to = "title" }, one_player = {}, two_players = {}, again = {}, build = {}, wanted = {}, stash_full = {},
  picked = at(), stashed = at(), dashed = at(), struck = at(), caught = at(),
}
