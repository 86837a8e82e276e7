-- The title: the hero stands by the lamp that has gone out.
return {
  { wait_for = function() return world.find("lamp") ~= nil end },
  { wait = 0.2 },
}
