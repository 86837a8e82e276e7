-- Texts of the lobby in English.
return {
  lobby = "Lobby", join_with = "A friend in the same network joins with", key = "Key: {code}",
  players = "Players", chat = "Chat", say = "Write a message",
  ready = "Ready", not_ready = "Not ready", offline = "offline",
  name = "Name", colour = "Next colour", begin = "Begin", leave = "Leave",
  missing = { one = "Waiting for {n} more player", other = "Waiting for {n} more players" },
  waiting = "The game begins when all are ready. The host can begin it without waiting.",
  joined = "{name} has joined", left = "{name} has left",
  ask_leave = "Leave the match?", ask_end = "End the match for all players?", stay = "Stay", finish = "End the match",
  too_fast = "Too fast: at most five messages per second", too_long = "Too long: at most 200 bytes",
  invalid = "The message contains characters that cannot be shown",
  keys = "Arrows or Tab, Enter, pad or mouse     Escape, B: leave",
  actions = { leave = "Leave" },
}
