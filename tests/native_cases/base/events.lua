-- An event for rows that must fall back to Lua.
return { hit = { n = 0 } }
