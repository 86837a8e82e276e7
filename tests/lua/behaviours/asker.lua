-- A behaviour that runs a system on demand when it is created and when it receives `poke`.
return {
  fields = { asks = 0 },
  create = function(self) world.run("demand_each", { more = 10 }) self.asks = 1 end,
  on = { poke = function() world.run("demand_each", { more = 100 }) end },
}
