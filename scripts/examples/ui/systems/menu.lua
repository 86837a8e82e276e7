-- Handles the events of the buttons.
return {
  on = {
    talk = function()
      world.spawn(nil, { dialogue = { speaker = "Anna", choices = "I am\nI am not",
        text = "These words come one by one, and are all there at once when you press Enter. Are you in a hurry?" } })
    end,
    dialogue_ended = function(ev)
      ev.entity[1]:destroy()
    end,
    open = function()
      world.spawn("ask")
    end,
    close = function(ev)
      world.find("ask"):destroy()
    end,
    damage = function()
      world.single.options.health = (world.single.options.health + 90) % 100
    end,
  },
}
