-- No window: only its LuaJIT is asked.
function love.conf(t)
  for name in pairs(t.modules) do t.modules[name] = false end
end
