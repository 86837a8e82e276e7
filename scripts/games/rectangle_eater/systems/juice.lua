-- Feedback when an eater eats or is bitten: crumbs, points, sounds, camera shake and rumble.
local looks = assets.json "looks.json"

local function is_near(a, b) return math.abs(a.x - b.x) < 110 and math.abs(a.y - b.y) < 90 end

-- Adds up the points of bites of one tick that are close together.
local function group_bites(ev)
  local groups = {}
  for i = 1, ev.count do
    local bite = { x = ev.x[i], y = ev.y[i], points = ev.points[i] }
    for k = #groups, 1, -1 do
      if is_near(groups[k], bite) then bite.points = bite.points + table.remove(groups, k).points end
    end
    groups[#groups + 1] = bite
  end
  return groups
end

-- Shows the points of a bite. Adds the points still shown nearby, so that the numbers do not cover each other.
local function show_points(bite, chain)
  local points = bite.points
  for e in world.each("popup", "transform", "lifetime") do
    if is_near(e.transform, bite) and e.lifetime.seconds > 0.3 then
      points = points + e.popup.points
      e:destroy()
    end
  end
  local message = points .. (chain > 1 and "  ×" .. chain or "")
  local e = world.spawn("popup", { transform = { x = bite.x, y = bite.y - 60 }, popup = { points = points },
    text = { value = message, size = 20 + 2 * chain } })
  world.tween(e, "transform.y", bite.y - 110, 0.9, "quad_out")
  world.tween(e, "text.colour.a", 0, 0.9, "quad_in")
end

return {
  phase = "post_update",
  on = {
    eaten = function(ev)
      local match = world.single.match
      local chain = math.min(5, match.chain.bites)
      for _, bite in ipairs(group_bites(ev)) do show_points(bite, chain) end
      for i = 1, ev.count do
        local x, y = ev.x[i], ev.y[i]
        local colour = { ev.r[i] / 255, ev.g[i] / 255, ev.b[i] / 255, 1 }
        world.spawn("crumbs", { transform = { x = x, y = y }, emitter = { colour = colour } })
        audio.play("bite", { volume = 0.6, pitch = 2 ^ ((match.chain.bites - 1) % 13 / 12), x = x, y = 360,
          range = 2200, within = 700 })
        if not match.demo then input.rumble(0.15 + 0.04 * chain, 0.06) end
      end
    end,
    bitten = function(ev)
      world.find("eye").shaken.trauma = 0.6
      local emitter = { colour = looks.tones[1], burst = 24 }
      world.spawn("crumbs", { transform = { x = ev.x[1], y = ev.y[1] }, emitter = emitter })
      audio.play("bitten.wav", { volume = 0.8 })
      if not world.single.match.demo then input.rumble(0.8, 0.25) end
    end,
  },
}
