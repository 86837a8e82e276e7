-- Shows the number of apples. The column `label.text` stores only the key of the text and the number.
return { update = function()
  local label = world.find("count").label
  local text = tr.key("apples.basket", { n = world.single.basket.apples })
  if label.text ~= text then label.text = text end
end }
