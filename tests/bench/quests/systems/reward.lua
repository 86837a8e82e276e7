return {
  after = "progress",
  on = {
    quest_completed = function(ev)
      local hero = world.single.hero
      for i = 1, ev.count do
        local e, subject = ev.quest[i], ev.subject[i]
        hero.gold = hero.gold + 10
        if subject == "bridge" then hero.has_rope = true end
        if subject == "shrine" and hero.has_rope then hero.has_met_king = true end
        if hero.has_met_king and hero.gold > 1000 then hero.title = "knight" end
        e.quest.state, e.quest.done, e.quest.times = "open", 0, e.quest.times + 1
        e.caption.text = ("%s: done %d times"):format(subject, e.quest.times)
      end
    end,
  },
}
