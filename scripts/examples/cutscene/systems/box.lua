-- A box at the foot of the picture, with what is said. It types: how long the step has been on says how far it is.
local LEFT, TOP, WIDTH, HEIGHT = 140, 522, 1000, 178
local LETTERS = 40 -- a second

return {
  phase = "render",
  query = { "saying" },
  update = function(q)
    for i = 1, q.count do
      local e = q.entity[i]
      local said = e.saying
      local typed = math.floor(e.in_sequence[said.branch].elapsed * LETTERS)
      draw.space("screen")
      draw.layer(10)
      draw.colour(0.08, 0.09, 0.16, 0.95)
      draw.rect(LEFT, TOP, WIDTH, HEIGHT)
      draw.colour(0.5, 0.56, 0.75)
      draw.rect(LEFT, TOP, WIDTH, HEIGHT, false, 2)
      draw.colour(1, 0.85, 0.6)
      draw.text(said.who, LEFT + 28, TOP + 20, 20)
      draw.colour(0.92, 0.94, 1)
      draw.text(said.text:sub(1, typed), LEFT + 28, TOP + 50, 24)
      local line = 0
      for choice in said.choices:gmatch("[^\n]+") do
        line = line + 1
        local chosen = line == world.single.talk.chosen
        draw.colour(chosen and 1 or 0.55, chosen and 0.85 or 0.6, chosen and 0.6 or 0.75)
        draw.text((chosen and "> " or "  ") .. choice, LEFT + 28, TOP + 60 + line * 24, 18)
      end
      if line == 0 then
        draw.colour(0.55, 0.6, 0.75)
        draw.text("space", LEFT + WIDTH - 28, TOP + HEIGHT - 30, 14, "right")
      end
    end
  end,
}
