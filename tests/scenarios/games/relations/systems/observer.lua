-- Runs before the systems whose changes it observes, so it receives the changes of the previous tick. Its own changes
-- are reported in the same tick.
local function count_changes(field)
  world.single.heard[field] = world.single.heard[field] + 1
end

return {
  query = { "folk", "aims" },
  phase = "pre_update",
  enter = function() count_changes "added" end,
  leave = function() count_changes "removed" end,
  changed = function(e)
    count_changes "written"
    if e.folk.joy > 20 then
      e.folk.joy = e.folk.joy - 20
      count_changes "rounds"
    end
  end,
}
