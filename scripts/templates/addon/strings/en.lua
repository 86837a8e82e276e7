-- The strings of the add-on. A game replaces a string by declaring thing = { title = "…" } in its own strings/en.lua.
return { title = "thing" }
