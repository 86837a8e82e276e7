-- `presses`: the key that opens the menu also closes it.
return { pause = { "key:esc", "key:p", "pad:start", presses = "resume" } }
