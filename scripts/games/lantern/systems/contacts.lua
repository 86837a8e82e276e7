-- Responds to collisions. In an event, `a` is the body whose layer comes first in the list of game.lua, so there are
-- only two cases: `a` is the hero or one of the hero's weapons.
local function compute_direction(from, to, ev, i)
  local dx, dy = to.transform.x - from.transform.x, to.transform.y - from.transform.y
  local length = math.sqrt(dx * dx + dy * dy)
  if length < 1 then return ev.nx[i], ev.ny[i] end
  return dx / length, dy / length
end

local function strike_entity(target, attacker, ev, i)
  local x, y = compute_direction(attacker:has "flight" and attacker or attacker:parent() or attacker, target, ev, i)
  if attacker:has "flight" then x, y = attacker.flight.x / 160, attacker.flight.y / 160 end
  world.emit("struck", { entity = target, points = attacker.harm.points, push = attacker.harm.push, x = x, y = y })
end

local function destroy_spent(e)
  if e:has "spent" then
    world.emit("burst", { x = e.transform.x, y = e.transform.y, specks = 6, speed = 50,
      colour = e:assemblage() == "bolt" and "#62bbd6" or "#f0a456" })
    e:destroy()
  end
end

local function handle_hero_contact(hero, other, ev, i)
  if other:has "harm" then
    if hero.health.grace <= 0 then strike_entity(hero, other, ev, i) end
    destroy_spent(other)
  elseif other:has "exit" then
    world.emit("travel", { to = other.exit.to })
  elseif other:has "heart" then
    hero.health.hp = math.min(hero.health.max, hero.health.hp + 2)
    world.emit("noise", { file = "heart.wav", x = hero.transform.x })
    other:destroy()
  elseif other:has "cloak" then
    hero:add("ghost", { left = 7 })
    other:disable()
    world.after(14, "cloak_back", { cloak = other })
    world.emit("burst", { x = other.transform.x, y = other.transform.y - 6, specks = 12, colour = "#62bbd6" })
    world.emit("noise", { file = "ghost.wav", x = hero.transform.x })
  end
end

local function handle_blade_contact(blade, other, ev, i)
  if other:has "foe" then
    if other.health.grace <= 0 then strike_entity(other, blade, ev, i) end
  elseif other:has "snuffer" then
    if blade:has "spent" then world.emit("stung", { entity = other }) end
    world.emit("burst", { x = ev.x[i], y = ev.y[i], specks = 3, colour = "#62bbd6" })
  elseif other:has "pot" then
    world.emit("struck", { entity = other, push = 0 })
  elseif other:has "brazier" and blade:has "spent" and not other.brazier.lit then
    other.brazier.lit = true
  elseif other:has "spent" then
    destroy_spent(other) -- a slash destroys a bolt
  end
  destroy_spent(blade)
end

return {
  phase = "post_update",
  after = { "shoal.collision" },
  on = {
    collision = function(ev)
      for i = 1, ev.count do
        local a, b = ev.a[i], ev.b[i]
        if a:alive() and b:alive() then
          if a:has "caster" then
            handle_hero_contact(a, b, ev, i)
          elseif a:has "harm" then
            handle_blade_contact(a, b, ev, i)
          end
        end
      end
    end,
    cloak_back = function(ev)
      for i = 1, ev.count do if ev.cloak[i]:alive() then ev.cloak[i]:enable() end end
    end,
  },
}
