-- On the title screen, plays a recording that controls the hero: emits its list of intents, each at its time in
-- seconds, as `packet` events.
local stroll = assets.json "stroll.json"

return {
  phase = "input",
  when = { play = { phase = "title" } },
  update = function(dt)
    local clock = world.single.play.clock
    for _, packet in ipairs(stroll) do
      if packet.at <= clock and packet.at > clock - dt then
        world.emit("packet", { x = packet.x or 0, y = packet.y or 0, strike = packet.strike or false })
      end
    end
  end,
}
