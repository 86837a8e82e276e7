-- Escape and the gamepad's B button go back, or ask whether to quit. Tab and the Y button show the source of the
-- selected game, T and the X button the matches. Enter, Space and the A button open a game, also from its source; the
-- widgets handle all other input.
return {
  back = { "key:escape", "pad:b" },
  source = { "key:tab", "pad:y" },
  together = { "key:t", "pad:x" },
  ui_accept = { "key:return", "key:keypad enter", "key:space", "pad:a" },
  ui_next = { "pad:rb" }, -- Tab is not included, because it shows the source
  ui_previous = { "pad:lb" },
}
