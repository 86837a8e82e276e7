-- What to press, on the device that was used last.
local function prompt(x, action, words)
  local key = input.prompt(action)
  local width = draw.text_size(key, 18) + 24
  draw.colour(1, 1, 1, 0.12)
  draw.rect(x, 24, width, 34)
  draw.colour(1, 1, 1, 0.5)
  draw.rect(x, 24, width, 34, false, 1.5)
  draw.colour(1, 1, 1)
  draw.text(key, x + 12, 30, 18)
  draw.colour(1, 1, 1, 0.55)
  draw.text(words, x + width + 10, 31, 16)
  return x + width + draw.text_size(words, 16) + 44
end

return {
  phase = "render",
  update = function()
    draw.space("screen")
    local x = prompt(28, "run", "run")
    x = prompt(x, "jump", "jump")
    x = prompt(x, "dash", "dash")
    prompt(x, "menu", "options")
  end,
}
