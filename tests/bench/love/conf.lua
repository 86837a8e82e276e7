-- Opens no window: only LÖVE's LuaJIT is measured.
function love.conf(t)
  for name in pairs(t.modules) do t.modules[name] = false end
end
