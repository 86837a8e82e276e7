local function note(n)
  local scene = world.single.scene
  scene.heard = (scene.heard * 31 + n) % 1000003
end

return {
  query = { "gun" },
  on = { shot = function(ev) note(ev.count) end },
  enter = function(e) note(e.transform.x) end,
  leave = function(e) note(e.transform.x + 100) end,
  update = function() note(7) end,
}
