-- Adds and removes pairs and destroys entities at random.
local function pick(list)
  return list[world.random(#list)]
end

return {
  update = function()
    local all = {}
    for e in world.each "folk" do
      all[#all + 1] = e
    end
    for _ = 1, 6 do
      local a, b = pick(all), pick(all)
      a:add("likes", b, { strength = world.random(9) })
      pick(all):remove("likes", b)
      a.aims.at = b
      if world.random(4) == 1 then
        a:add("follows", b)
      end
    end
    if world.tick % 5 == 0 then
      pick(all):destroy() -- also destroys the entity's followers
    end
    if world.tick % 7 == 0 then
      pick(all):remove("follows")
    end
    for _ = #all, 40 do
      world.spawn("folk", { folk = { age = world.tick } })
    end
  end,
}
