-- A cutscene as a sequence: two characters meet and talk (sequences/meeting.lua). The widget `dialogue`, spawned with
-- one line of code, shows the text. Press Space to continue, and up or down to select an answer.
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
