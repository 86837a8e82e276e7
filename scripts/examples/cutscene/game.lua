-- Two who meet, and talk: a cutscene as steps. What happens is sequences/meeting.lua; the dialogue, which is spawned in
-- one line, shows what is said. Space goes on, up and down choose.
return {
  title = "Cutscene: a sequence",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    world.spawn(nil, { dialogue = {} })
    world.spawn("floor")
    local anna = world.spawn("figure", { name = "Anna", transform = { x = -60 }, shape = { colour = "#ff9a5c" } })
    world.spawn("figure", { name = "Ben", transform = { x = 1340 }, shape = { colour = "#6cc7ff" } })
    world.spawn("lamp", { name = "lamp" }):sequence("flicker")
    anna:sequence("meeting")
  end,
}
