-- A bullet hell: 200 ships fire 2,000 bullets a tick, which fly for a while, hit ships, and emit events. The game has
-- three forms: per entity (`each`, world.spawn, world.emit), with loops over columns (`update`, spawn_many, emit_many),
-- and in plain Lua tables (plain_lua.lua). Uses ticks of 1/64 s and integer speeds so that all three forms compute
-- exactly the same sums. Run by tests/bench/run.
return {
  title = "Benchmark: bullets", tick_rate = 64,
  start = function()
    world.spawn_many("ship", 200, function(q)
      local x, y, vx, vy, turn = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy, q.gun.turn
      for i = 1, q.count do
        x[i], y[i] = i * i * 1237 % 4096, i * 2411 % 4096
        vx[i], vy[i] = i % 33 - 16, i % 65 - 32
        turn[i] = i % 16
      end
    end)
  end,
}
