shoal.cockpit { title = "Motes", draw = function(panel)
  local count = 0
  for e in world.each("glow", "transform") do
    count = count + (e:has "arm" and 1 or 0)
  end
  panel:value("armed", count)
  panel:value("unknown", tostring(world.find("a name that no entity has")))
end }
