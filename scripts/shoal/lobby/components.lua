-- Components of the lobby. `player`: number of the player to whom the widgets belong.
local t = shoal.types
return {
  progress = t.single { is_complete = false }, -- is_complete: true if all players were ready in the previous tick
  seat = { player = 0 }, -- a player's row in the list
  chat_line = { player = 0 }, -- player: 0 for a message of the lobby
  chat_entry = { player = 0, allowance = 5.0 }, -- allowance: number of lines that the player may still send now
  leave_question = { player = 0 },
}
