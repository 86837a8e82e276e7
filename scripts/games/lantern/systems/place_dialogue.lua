-- Moves the dialogue box to the edge of the screen that is farther from the hero, so that the box does not cover him.
local LOW = 122 -- y on the screen (pixels) below which the box at the bottom would cover the hero

return {
  phase = "post_update",
  query = { "dialogue", "widget" },
  each = function(e)
    local hero, eye = world.single.play.hero, world.find("eye") --[[@as shoal.Entity]]
    if not hero:alive() or world.count("saying") == 0 then return end
    local y = hero.transform.y - eye.transform.y + 90
    local anchor = y > LOW and "top" or "bottom"
    if e.widget.anchor ~= anchor then e.widget.anchor = anchor end
  end,
}
