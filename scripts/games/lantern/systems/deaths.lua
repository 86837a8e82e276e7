-- Handles deaths. The hero's death leads to the screen `dead`, the Snuffer's death to the ending. Foes and pots leave a
-- puff, specks and sometimes a heart.
local COLOURS = { slime = "#98c85c", bat = "#575a84", skeleton = "#f3ead2", pot = "#b8683f" }

return {
  phase = "post_update",
  after = { "struck" },
  on = {
    died = function(ev)
      for i = 1, ev.count do
        local e, kind, x, y = ev.entity[i], ev.kind[i], ev.x[i], ev.y[i]
        if kind == "hero" then
          world.emit("go", { to = "dead" })
        elseif kind == "snuffer" then
          e:enter("dying")
          world.single.play.hero:sequence("ending")
        else
          world.emit("burst", { x = x, y = y - 6, specks = 10, speed = 80, colour = COLOURS[kind] or "#f3ead2" })
          world.spawn("puff", { transform = { x = x, y = y - 6 } })
          world.emit("noise", { file = kind == "pot" and "pot.wav" or "die.wav", x = x })
          local drops_heart = world.random() < (e:has "foe" and e.foe.drops or 0.3)
          if drops_heart then world.spawn("heart", { transform = { x = x, y = y } }) end
          e:destroy()
        end
      end
    end,
  },
}
