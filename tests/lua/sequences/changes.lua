-- The first step, depending on hp, destroys its entity, starts another sequence, ends its own, or does nothing.
return {
  { call = function(e)
    if e.health.hp == 1 then
      e:destroy()
    elseif e.health.hp == 2 then
      e:sequence("intro")
    elseif e.health.hp == 3 then
      e:sequence(nil)
    end
  end },
  { call = function(e) e.health.hp = 1000 end },
  { wait = 1 },
}
