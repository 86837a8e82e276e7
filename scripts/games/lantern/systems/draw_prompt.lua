-- Draws the key and the verb, such as "Space: talk", above the object that the hero can use.
local senses = require "lib.senses"
local HEIGHT = 31 -- height of the prompt above the object's foot, in pixels

return {
  phase = "render",
  when = { play = { phase = "playing" } },
  query = { "caster", "walk", "transform" },
  each = function(e)
    local object = e:state() == "played" and world.single.travel.stage == "none" and senses.find_usable(e)
    if not object then return end
    local text = tr(object:has "keeper" and "prompts.talk" or "prompts.open", { key = input.prompt "strike" })
    local x, y = object.transform.x, object.transform.y - HEIGHT
    draw.layer(12) -- a layer that the darkness does not cover
    draw.font("pixels.ttf")
    draw.colour("#0e0b16c0")
    local width = draw.text_size(text, 8)
    draw.rect(x - width / 2 - 3, y - 1, width + 6, 11, true)
    draw.colour("#ffe186")
    draw.text(text, x, y, 8, "center")
  end,
}
