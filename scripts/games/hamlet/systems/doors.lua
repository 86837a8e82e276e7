-- Moves heroes who step into a door to the door's room. Outside of a served world, all players move together.
local WIDE = 9 -- half the size of a door, in pixels

return {
  phase = "post_update",
  query = { "hero", "transform" },
  each = function(e)
    if e.hero.leaving then return end
    for door in world.each { "door", "transform" } do
      local dx, dy = door.transform.x - e.transform.x, door.transform.y - e.transform.y
      if math.abs(dx) < WIDE and math.abs(dy) < WIDE then
        e.hero.leaving = true
        audio.play("door.wav", { volume = 0.5 })
        if world.room then players.move(e.hero.player, door.door.to) else world.scene(door.door.to) end
        return
      end
    end
  end,
}
