local function use(i)
  if i % 10 == 0 then error("broken") end
  return i
end

return {
  update = function()
    local count = 0
    for i = 1, world.single.bench.count do
      local ok, result = pcall(use, i)
      if ok then count = count + result end
    end
    world.single.done.count = world.single.done.count + count
  end,
}
