-- Random expressions over special numbers (scenarios/numbers.sh): a thousand per tick, each evaluated twice over the
-- same rows. The first half runs mostly interpreted, the second compiled. Prints the result of each expression; the
-- output of several processes is compared.
return {
  title = "Numbers",
  start = function()
    world.spawn_many("row", 2 * require("values").ROWS, function(q)
      local at = q.row.at
      for i = 1, q.count do
        at[i] = i
      end
    end)
  end,
}
