-- Events of the lobby's widgets. player: number of the player who used the widget.
local t = shoal.types
return {
  name_edited = { entity = t.entity, player = 0 }, colour_chosen = { player = 0 }, begin_chosen = { player = 0 },
  players_asked = { player = 0 },
  leave_asked = { player = 0 }, leave_chosen = { player = 0 }, leave_declined = { player = 0 },
}
