-- Comes before what it observes: it hears of what the last tick did. What is too much it mends, and hears of that too.
return {
  query = { "folk", "aims" },
  phase = "pre_update",
  observe = {
    add = function(list) world.single.heard.added = world.single.heard.added + #list end,
    remove = function(list) world.single.heard.removed = world.single.heard.removed + #list end,
    set = function(list)
      local heard = world.single.heard
      heard.written = heard.written + #list
      for _, e in ipairs(list) do
        if e.folk.joy > 20 then
          e.folk.joy = e.folk.joy - 20
          heard.rounds = heard.rounds + 1
        end
      end
    end,
  },
}
