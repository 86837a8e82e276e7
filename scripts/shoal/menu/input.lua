-- Escape and the gamepad's B button leave the source or quit. Enter, Space and the A button open the shown game, also
-- from its source; the widgets handle all other input.
return {
  leave = { "key:escape", "pad:b" },
  ui_accept = { "key:return", "key:keypad enter", "key:space", "pad:a" },
}
