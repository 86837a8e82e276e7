-- Parts: a monster fights a helpless villager, one against one, with the parts and values of the article
-- "Entities-Parts I: Game Objects". A part is a behaviour (behaviours/): it has data, is updated and draws itself. Once
-- a second the monster hits the villager (50 - 2 = 48) and heals itself (100 + 5 = 105). Keys 1 to 4 attach, detach and
-- replace its parts.
return {
  title = "Parts: a monster and a villager",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.emit("again")
  end,
}
