-- The moment of a blow: what is disabled is passed over by the engine and by queries alike, and keeps its values.
return {
  query = { "frozen" },
  enter = function(e)
    e:disable("mover")
    if e:has "animation" then e:disable("animation") end
  end,
  each = function(e, dt)
    e.frozen.left = e.frozen.left - dt
    if e.frozen.left <= 0 then
      e:remove("frozen")
      e:enable("mover")
      if e:has "animation" then e:enable("animation") end
    end
  end,
}
