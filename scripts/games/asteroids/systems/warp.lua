-- Hyperspace: the ship jumps to a random position, where it stops and is invulnerable for a moment.
local sounds = require "lib.sounds"

local COOLDOWN = 5

local function spawn_ripple(x, y, growth)
  world.spawn("ring", {
    transform = { x = x, y = y },
    ring = { growth = growth, life = 0.45, peak = 0.9 },
    lifetime = { seconds = 0.45 },
    shape = { radius = growth > 0 and 6 or -growth * 0.4, colour = { 0.6, 0.8, 1, 1 } },
  })
end

return {
  after = { "guns" },
  query = { "ship", "transform", "motion", "intent", "warp_drive" },
  each = function(e, dt)
    local drive, transform = e.warp_drive, e.transform
    drive.wait = math.max(0, drive.wait - dt)
    if not e.intent.warp or drive.wait > 0 or e:state() ~= "playing" then return end
    drive.wait = COOLDOWN
    sounds.play("warp.wav", 0.6, transform.x)
    spawn_ripple(transform.x, transform.y, 260)
    e:enter("warping")
  end,
}
