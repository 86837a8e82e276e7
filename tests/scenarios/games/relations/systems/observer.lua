-- Runs before the systems whose changes it observes, so it receives the changes of the previous tick. Its own changes
-- are reported in the same tick.
local function count(field)
  world.single.heard[field] = world.single.heard[field] + 1
end

return {
  query = { "folk", "aims" },
  phase = "pre_update",
  enter = function() count "added" end,
  leave = function() count "removed" end,
  changed = function(e)
    count "written"
    if e.folk.joy > 20 then
      e.folk.joy = e.folk.joy - 20
      count "rounds"
    end
  end,
}
