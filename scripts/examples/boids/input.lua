return { frighten = { "mouse:left" } }
