-- Escape leaves; all other keys are those of the widgets.
return { quit = { "key:escape", "pad:b" } }
