-- Runs a plain Lua benchmark in LÖVE: love tests/bench/love tests/bench/plain_lua.lua WORKLOAD COUNT TICKS
local found = 0
for i, word in ipairs(arg) do
  if word:match("plain_lua%.lua$") then found = i end
end
local words = { arg[found + 1], arg[found + 2], arg[found + 3] }
assert(loadfile(arg[found]))(words)
os.exit(0)
