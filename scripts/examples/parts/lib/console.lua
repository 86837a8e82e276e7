-- The lines that parts print. The picture shows the latest lines.
local M = {}
local MAX = 5
M.LINES = { "I am alive!", "Nooo I am dead!", "Whomp! Target's health is %g", "Healed myself! Now my health is %g",
  "Goin up! Current height is %.0f" }
local KINDS = { lives = 1, dies = 2, hits = 3, heals = 4, flies = 5 }

function M.say(kind, value)
  local console = world.single.console
  print(M.LINES[KINDS[kind]]:format(value))
  if #console.lines == MAX then
    console.lines:remove(1)
    console.values:remove(1)
  end
  console.lines:add(KINDS[kind])
  console.values:add(value)
end

-- Counts the time in self.clock. Returns true once a second.
function M.second_passes(self, dt)
  self.clock = self.clock + dt
  if self.clock < 1 - dt / 2 then return false end
  self.clock = self.clock - 1
  return true
end

return M
