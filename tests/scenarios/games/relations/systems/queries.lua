-- Queries relations in an order that must be deterministic, and changes values of the entities found, for the observer.
return {
  after = "random_changes",
  update = function()
    local heard = world.single.heard
    for e in world.each "folk" do
      for i, admirer in ipairs(world.who_targets(e, "likes")) do
        heard.sum = (heard.sum * 31 + i * world.tick + #world.targets(admirer, "likes")) % 1000003
      end
      heard.sum = (heard.sum * 31 + #world.who_targets(e)) % 1000003
    end
    if world.tick % 3 == 0 then
      local q = world.query { "folk", likes = world.each("folk")() }
      for i = 1, q.count do
        q.folk.joy[i] = q.folk.joy[i] + q.likes.strength[i]
      end
      heard.pairs = heard.pairs + q.count
    end
    heard.sum = (heard.sum + world.changes("likes")) % 1000003
  end,
}
