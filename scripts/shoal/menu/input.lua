-- Escape quits; all other keys are handled by the widgets.
return { quit = { "key:escape", "pad:b" } }
