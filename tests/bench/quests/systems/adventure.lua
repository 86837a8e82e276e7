local subjects = require "lib.subjects"
local VERBS = { "kill", "collect", "visit" }

return {
  update = function() -- 16 deeds of the hero
    local story = world.single.story
    for _ = 1, 16 do
      local deed = story.deed * 75 % 65537
      story.deed = deed
      world.emit("happened", { verb = VERBS[deed % 3 + 1], subject = subjects[deed % 16 + 1] })
    end
  end,
}
