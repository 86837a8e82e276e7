-- Ends screens on input or after some seconds: starts the demo after the title, respawns a dead hero, and returns to
-- the title after the ending. Input also ends the demo.
local menus = require "menus"

-- Respawns the hero at the entrance of the room with full health. In the throne room, also resets the Snuffer's health
-- and position.
local function respawn_hero()
  local play = world.single.play
  local hero, boss = play.hero, world.find("Snuffer")
  hero.health.hp, hero.health.grace = hero.health.max, 2
  play.phase = play.was
  hero:enter(play.was == "demo" and "demonstrated" or "played")
  if boss and play.room:name() == "throne" and boss:state() ~= "dying" then
    boss.health.hp = boss.health.max
    boss:enter("prowling")
    boss.transform.x, boss.transform.y = 192, 100
  end
  world.emit("travel", { to = play.room:name() == "yard" and "yard.start" or play.room:name() .. "."
    .. (play.room:name() == "ossuary" and "west" or "south") })
end

return {
  phase = "input",
  update = function(dt)
    local play = world.single.play
    -- On the title screen, the clock stops while another menu is open.
    if play.phase ~= "title" or world.count "panel" == 1 then play.clock = play.clock + 1 / 60 end
    if play.phase == "playing" or play.phase == "demo" then play.time = play.time + 1 / 60 end
    local start = input.pressed "start"
    if play.phase == "dead" and play.clock > 1.5 and (start or play.clock > 4) then respawn_hero() end
    local next_phase = play.phase == "title" and play.clock > menus.demo_after and "demo"
      or play.phase == "demo" and (start or input.pressed "pause.pause") and "title"
      or play.phase == "won" and play.clock > 2 and (start or play.clock > 30) and "title"
    if next_phase then world.emit("go", { to = next_phase }) end
  end,
}
