local FILES = { "physics", "nav", "data" }
local contacts = require "contacts"
local T = {}

function T.is(v, why) if not v then error(why or "condition is false", 2) end end
function T.equal(got, wanted)
  if got ~= wanted then error("got " .. tostring(got) .. ", expected " .. tostring(wanted), 2) end
end
function T.near(got, wanted, by)
  local off = math.abs(got - wanted)
  if off ~= off or off > (by or 1e-3) then
    error("got " .. tostring(got) .. ", expected about " .. tostring(wanted), 2)
  end
end
function T.fails(call, words)
  local good, problem = pcall(call)
  if good then error("expected an error", 2) end
  if not tostring(problem):find(words, 1, true) then
    error("'" .. tostring(problem) .. "' does not contain '" .. words .. "'", 2)
  end
end
function T.wait(ticks) for _ = 1, ticks or 1 do coroutine.yield() end end

local queue, current

local function load_queue()
  queue = {}
  for _, file in ipairs(FILES) do
    local cases, names = require("cases." .. file), {}
    for name in pairs(cases) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do queue[#queue + 1] = { name = file .. ": " .. name, run = cases[name] } end
  end
end

local function destroy_all()
  for e in world.each("transform") do e:destroy() end
  for e in world.each("data") do e:destroy() end
  for e in world.each("joint") do e:destroy() end
  local physics = world.single.physics
  physics.gravity_x, physics.gravity_y, physics.damping = 0, 600, 0
  contacts.begun, contacts.ended = {}, {}
end

return {
  update = function()
    if not queue then load_queue() end
    current = current or table.remove(queue, 1)
    if not current then
      world.quit()
      return
    end
    current.thread = current.thread or coroutine.create(current.run)
    local good, problem = coroutine.resume(current.thread, T)
    if not good or coroutine.status(current.thread) == "dead" then
      print(good and "ok " .. current.name or "not ok " .. current.name .. ": " .. tostring(problem))
      current = nil
      destroy_all()
    end
  end,
}
