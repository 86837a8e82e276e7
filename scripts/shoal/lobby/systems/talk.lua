-- Adds the lines that players enter to the chat: only valid lines, and at most five per second and player.
local chat = require "lib.chat"
local text = require "lib.text"
local LINES_PER_SECOND = 5

local function find_fault(entry, line)
  return text.find_fault(line) or entry.chat_entry.allowance < 1 and "chat_too_fast" or nil
end

local function show_hint(player, fault)
  local hint = world.find("chat_hint_" .. player)
  hint.label.text, hint.widget.visible = fault and "@shoal." .. fault or "", fault ~= nil
end

local function send(entry, line)
  local player = entry.chat_entry.player
  local fault = find_fault(entry, line)
  show_hint(player, fault)
  if fault then
    log.info("lobby: refused a line of player %d: %s", player, fault)
    return
  end
  entry.chat_entry.allowance = entry.chat_entry.allowance - 1
  for _, p in ipairs(players.list()) do
    if p.number == player then
      log.info("lobby: %s: %s", p.name, line)
      chat.add(p.name, p.colour, text.show(line), "chat_text", player)
    end
  end
  entry.entry.text = ""
end

return {
  phase = "input",
  query = { "chat_entry" },
  each = function(e, dt)
    e.chat_entry.allowance = math.min(LINES_PER_SECOND, e.chat_entry.allowance + LINES_PER_SECOND * dt)
  end,
  on = {
    entry_submitted = function(ev)
      for i = 1, ev.count do
        local entry, line = ev.entity[i], ev.text[i]
        if entry:has("chat_entry") and line:find("%S") then send(entry, line) end
      end
    end,
  },
}
