-- Responds to the hero's collisions: he collects coins, stomps on slimes or is sent back to the start by them, and ends
-- the level at the flag.
local function respawn(e)
  e.transform.x, e.transform.y = e.hero.home_x, e.hero.home_y
  e.mover.vx, e.mover.vy = 0, 0
end

local function hurt(e)
  if world.single.purse.won then
    return
  end
  world.find("eye").shaken.trauma = 0.8
  e.material.flash = { 1, 0.3, 0.3, 1 }
  world.tween(e, "material.flash.a", 0, 0.5)
  respawn(e)
end

local function stomp(hero, slime)
  hero.mover.vy = -180
  slime:remove("body")
  slime:remove("creep")
  slime.mover.vx = 0
  world.tween(slime, "transform.scale_y", 0.4, 0.12)
  world.tween(slime, "material.dissolve", 1, 0.5, "sine_in")
  slime:add("lifetime", { seconds = 0.6 })
end

local function take(coin)
  world.single.purse.coins = world.single.purse.coins + 1
  coin:remove("body")
  world.tween(coin, "transform.y", coin.transform.y - 18, 0.35, "quad_out")
  world.tween(coin, "sprite.tint.a", 0, 0.35)
  coin:add("lifetime", { seconds = 0.4 })
end

return {
  query = { "hero", "transform" },
  enter = function(e)
    e.hero.home_x, e.hero.home_y = e.transform.x, e.transform.y
    world.find("eye").follow.target = e
    world.single.purse.of = world.count("coin")
  end,
  each = function(e)
    if e.transform.y > 240 then
      hurt(e)
    end
  end,
  on = {
    collision_began = function(ev)
      for i = 1, ev.count do
        local hero, other = ev.a[i], ev.b[i]
        if not (hero:alive() and other:alive() and hero:has("hero")) then
          goto next
        elseif other:has("treasure") then
          take(other)
        elseif other:has("goal") and not world.single.purse.won then
          world.single.purse.won = true
          world.after(4, "again")
        elseif other:has("creep") then
          if hero.mover.vy > 30 and hero.transform.y < other.transform.y - 2 then
            stomp(hero, other)
          else
            hurt(hero)
          end
        end
        ::next::
      end
    end,
    again = function() -- destroying the map destroys its objects; a new map spawns new objects
      world.find("land"):destroy()
      world.spawn(nil, { name = "land", transform = {}, tilemap = { map = "hills.tmj" } })
      world.single.purse.coins, world.single.purse.won = 0, false
    end,
  },
}
