-- Opens and closes menus, moves the focus, shows dialogue, and counts the events.
return {
  update = function()
    local tick, heard = world.tick, world.single.heard
    world.find("bar").bar.value = tick % 100
    if tick % 50 == 10 and not world.find("ask") then
      world.spawn("ask")
    elseif tick % 50 == 30 and world.find("ask") then
      world.find("ask"):destroy()
    elseif tick % 60 == 20 then
      world.focus(world.find("one"))
    elseif tick % 80 == 5 then
      world.spawn(nil, { dialogue = { text = "It is tick " .. tick, modal = false }, lifetime = { seconds = 0.7 } })
    end
    heard.sum = heard.sum + (input.down("shoot") and 1 or 0)
  end,
  on = {
    pressed = function(ev) world.single.heard.pressed = world.single.heard.pressed + ev.count end,
    changed = function(ev)
      for i = 1, ev.count do
        world.single.heard.changed = world.single.heard.changed + 1
        world.single.heard.sum = world.single.heard.sum + ev.value[i]
      end
    end,
    dialogue_ended = function(ev) world.single.heard.ended = world.single.heard.ended + ev.count end,
    close = function(ev)
      for i = 1, ev.count do
        local menu = ev.entity[i]:parent()
        if menu then menu:destroy() end
      end
    end,
  },
}
