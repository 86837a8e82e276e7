-- Escape and the gamepad's B button ask whether to leave. Space is a character of names and of the chat.
return {
  leave = { "key:escape", "pad:b" },
  ui_accept = { "key:return", "key:keypad enter", "key:space", "pad:a" },
}
