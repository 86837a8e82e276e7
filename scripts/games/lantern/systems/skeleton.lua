-- Skeletons patrol lines that are drawn in the map (component `path`). A skeleton that is near the hero and has a clear
-- line of sight (world.ray) chases him. The skeleton gives up if it has not seen him for 1.2 seconds.
return {
  query = { "skeleton", "intent", "transform", "path" },
  each = function(e, dt)
    local transform, hero, skeleton = e.transform, world.single.play.hero.transform, e.skeleton
    local dx, dy = hero.x - transform.x, hero.y - transform.y
    local distance = math.sqrt(dx * dx + dy * dy) + 0.01
    local sees_hero = distance < skeleton.sight and not world.ray(transform.x, transform.y - 4, hero.x, hero.y - 4, 0,
      true)
    skeleton.seen = sees_hero and 1.2 or math.max(0, skeleton.seen - dt)
    e.intent.x, e.intent.y, e.walk.speed = e.path.dir_x, e.path.dir_y, 30
    if skeleton.seen > 0 then e.intent.x, e.intent.y, e.walk.speed = dx / distance, dy / distance, 46 end
    if math.abs(e.intent.x) > 0.2 then e.sprite.flip = e.intent.x < 0 end
  end,
}
