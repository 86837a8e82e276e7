return {
  after = "adventure",
  on = {
    happened = function(ev)
      local q = world.query { "quest", "caption" }
      local quest, caption = q.quest, q.caption
      for k = 1, ev.count do
        local verb, subject = ev.verb[k], ev.subject[k]
        for i = 1, q.count do
          if quest.state[i] == "open" and quest.verb[i] == verb and quest.subject[i] == subject then
            quest.done[i] = quest.done[i] + 1
            caption.text[i] = subject .. " " .. quest.done[i] .. "/" .. quest.need[i]
            if quest.done[i] >= quest.need[i] then
              quest.state[i] = "complete"
              world.emit("quest_completed", { quest = q.entity[i], subject = subject })
            end
          end
        end
      end
    end,
  },
}
