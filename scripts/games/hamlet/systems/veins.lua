-- Heroes dig for ore and gold. A vein is full again some time after the last dig, also while its room sleeps.
local people = require "lib.people"
local GROWS = 25 -- seconds from the last dig until a vein is full again
local SECONDS = { 0.55, 0.4, 0.25 } -- time to dig one piece, by the level of the pick

local function dig(hero, e)
  local vein, bag = e.vein, hero.hero.bag
  vein.left, vein.rest = vein.left - 1, GROWS
  bag.bag[vein.good] = bag.bag[vein.good] + 1
  hero.hero.wait = SECONDS[bag:child("pick").pick.level]
  people.show_popup(e, "+1")
  world.spawn("sparkle", { transform = { x = e.transform.x, y = e.transform.y - 8 },
    emitter = { colour = vein.good == "gold" and "#ffe186" or "#62bbd6" } })
  audio.play(vein.left > 0 and "dig.wav" or "crumble.wav", { volume = 0.5, pitch_variation = 0.1 })
end

local function grow(vein, seconds)
  vein.rest = vein.rest - seconds
  if vein.rest <= 0 and vein.left < vein.full then vein.left = vein.full end
end

return {
  after = { "uses" },
  query = { "vein", "sprite" },
  each = function(e, dt)
    grow(e.vein, dt)
    e.sprite.frame = e.vein.left == 0 and 3 or e.vein.left < e.vein.full and 2 or 1
  end,
  on = {
    used = function(ev)
      for i = 1, ev.count do
        local hero, e = ev.hero[i], ev.object[i]
        if hero:alive() and e:has "vein" and e.vein.left > 0 then dig(hero, e) end
      end
    end,
    woken = function(ev)
      for e in world.each "vein" do grow(e.vein, ev.seconds[ev.count]) end
    end,
  },
}
