-- Changes which dishes guests like and whom they follow, and lets guests eat dishes.
local function pick_random(name)
  local list = {}
  for e in world.each(name) do
    list[#list + 1] = e
  end
  return list[world.random(#list)], #list
end

local function find_free_seat(name, max_count)
  local taken = {}
  for e in world.each(name) do
    taken[e[name].place] = true
  end
  for place = 1, max_count do
    if not taken[place] then
      return place
    end
  end
end

return {
  update = function()
    if world.tick % 8 == 0 then
      local guest = pick_random "guest"
      local liked = world.targets(guest, "likes")
      if #liked > 1 then
        guest:remove("likes", liked[1])
      end
      guest:add("likes", (pick_random "dish"), { strength = 1 + world.random(3) })
    end
    if world.tick % 45 == 0 then
      local guest, leader = pick_random "guest", pick_random "guest"
      if guest ~= leader then
        guest:add("follows", leader)
      end
    end
    if world.tick % 240 == 0 then
      pick_random("guest"):destroy() -- also destroys the guest's followers, and their followers
    end
    for dish in world.each "dish" do
      dish.dish.left = dish.dish.left - #world.who_targets(dish, "likes") * 0.012
      if dish.dish.left <= 0 then
        dish:destroy() -- also removes the pairs that target the dish
      end
    end
    if world.tick % 20 == 0 then
      local dish, guest = find_free_seat("dish", 7), find_free_seat("guest", 42)
      if dish then
        world.spawn("dish", { dish = { place = dish } })
      elseif guest then
        world.spawn("guest", { guest = { place = guest } })
      end
    end
  end,
}
