return {
  phase = "post_update",
  query = { "quest", "caption" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local times, done, hash = 0, 0, 0
    for i = 1, q.count do
      times, done = times + q.quest.times[i] * (i % 13), done + q.quest.done[i] * (i % 7)
      for _, byte in ipairs { q.caption.text[i]:byte(1, -1) } do hash = (hash * 31 + byte) % 2147483647 end
    end
    print(("check gold %.17g"):format(world.single.hero.gold))
    print(("check times %.17g"):format(times))
    print(("check done %.17g"):format(done))
    print(("check captions %.17g"):format(hash))
    print(("check title %.17g"):format(#world.single.hero.title))
  end,
}
