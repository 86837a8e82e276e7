-- Random expressions over special numbers (scenarios/numbers.sh): a thousand a tick, each over the same rows twice. The
-- first half is mostly interpreted, the second compiled; a line for each expression says what came out, and processes
-- are compared by their lines.
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
