-- Responds when the hero uses an object: a chest gives its contents, the great door opens with the key, the keeper
-- talks.
local function open_chest(chest)
  local hero, quest, holds = world.single.play.hero, world.single.quest, chest.chest.holds
  chest.sprite.frame = 2
  chest:remove("chest")
  quest[holds] = true
  local transform = chest.transform
  local prize = world.spawn("prize", { transform = { x = transform.x, y = transform.y - 8 },
    sprite = { image = holds .. ".png" } })
  world.tween(prize, "transform.y", transform.y - 24, 0.5, "back_out")
  world.emit("burst", { x = transform.x, y = transform.y - 10, specks = 14, speed = 70, colour = "#ffe186" })
  world.emit("noise", { file = "chest.wav", x = transform.x })
  hero:sequence("found")
end

return {
  after = { "strike" },
  when = { play = { phase = { "playing", "demo" } } },
  on = {
    used = function(ev)
      for i = 1, ev.count do
        local e, quest = ev.entity[i], world.single.quest
        if e:has "chest" then
          open_chest(e)
        elseif e:has "keeper" then
          world.single.play.hero:sequence("keeper")
        elseif e:name() == "great door" then
          if quest.key then
            quest.key = false
            world.emit("opens", { barrier = e })
          else
            world.single.play.hero:sequence("locked")
          end
        end
      end
    end,
  },
}
