-- Applies hits: damage, flash, knockback, hit stop and camera shake. An entity without health left dies; a pot breaks
-- at the first hit.
local SOUNDS = { hero = "hurt.wav", pot = "pot.wav", snuffer = "clang.wav" }

local function die(e)
  world.emit("died", { entity = e, kind = e:assemblage(), x = e.transform.x, y = e.transform.y })
end

return {
  phase = "post_update",
  after = { "contacts" },
  on = {
    struck = function(ev)
      for i = 1, ev.count do
        local e = ev.entity[i]
        if e:alive() and e:has "pot" then
          die(e)
        elseif e:alive() and e:has "health" and e.health.grace <= 0 and e.health.hp > 0 and e:state() ~= "led" then
          local is_hero, kind, health, transform = e:has "caster", e:assemblage(), e.health, e.transform
          health.hp = math.max(0, health.hp - ev.points[i])
          health.grace = is_hero and 1.1 or 0.26
          local push = kind == "snuffer" and 30 or ev.push[i]
          e.knock.x, e.knock.y = ev.x[i] * push, ev.y[i] * push
          e.material.flash = is_hero and { 0.9, 0.2, 0.25, 1 } or { 1, 0.97, 0.9, 1 }
          world.tween(e, "material.flash.a", 0, 0.22)
          e:add("frozen")
          world.find("eye").shaken.trauma = is_hero and 0.75 or math.max(0.3, world.find("eye").shaken.trauma)
          world.emit("burst", { x = transform.x, y = transform.y - 6, specks = 5, speed = 70 })
          world.emit("noise", { file = SOUNDS[kind] or "hit.wav", x = transform.x })
          if health.hp <= 0 then die(e) end
        end
      end
    end,
  },
}
