-- What is said is answered by a key; in a choice, the one that is marked.
local function count(lines)
  local _, breaks = lines:gsub("\n", "")
  return lines ~= "" and breaks + 1 or 0
end

return {
  phase = "input",
  query = { "saying" },
  enter = function() world.single.talk.chosen = 1 end,
  each = function(e)
    local talk, choices = world.single.talk, count(e.saying.choices)
    if choices > 0 then
      local step = (input.pressed("down") and 1 or 0) - (input.pressed("up") and 1 or 0)
      talk.chosen = (talk.chosen - 1 + step) % choices + 1
    end
    if input.pressed("go_on") then
      e:answer(choices > 0 and talk.chosen or nil)
    end
  end,
}
