return { build = { "mouse:left" } }
