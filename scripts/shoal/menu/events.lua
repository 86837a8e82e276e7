-- Events of the menu's buttons. `entity`: the button that was pressed.
local t = shoal.types
return { tile_opened = { entity = t.entity }, source_opened = { entity = t.entity }, back_chosen = {}, quit_chosen = {},
  quit_declined = {}, game_chosen = {}, together_opened = {}, host_chosen = {}, join_chosen = {}, match_chosen = {},
  world_chosen = {} }
