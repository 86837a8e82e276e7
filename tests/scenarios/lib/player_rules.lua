-- Writes a system that calls each function that the simulation of a game with players cannot call (PLAYER_RULES in
-- scripts/shoal/base/phases.lua) and prints its error, and prints the expected errors: luajit player_rules.lua ROOT
-- FILE PHASE [match]. With `match`, also for the functions that only matches refuse.
local root, file, phase, in_match = arg[1], arg[2], arg[3], arg[4] == "match"
local modules = { ["base/report"] = {}, ["base/vm_state"] = {} }
local phases = assert(loadfile(root .. "/scripts/shoal/base/phases.lua"))(function(name)
  return assert(modules[name], name)
end)

-- Calls of functions with arguments or several forms; the others are called without arguments.
local CALLS = {
  ["input.bind"] = 'input.bind("fire", "key:k")',
  ["input.bindings"] = 'input.bindings("fire")',
  ["input.conflicts"] = 'input.conflicts()',
  ["input.device"] = "input.device(1)",
  ["input.label"] = 'input.label("key:a")',
  ["input.listen(action)"] = 'input.listen("fire")',
  ["input.prompt"] = 'input.prompt("fire")',
  ["reload"] = "reload()",
  ["tr"] = 'tr("start")',
  ["window.pointer"] = "window.pointer {}",
  ["window.fullscreen(on)"] = "window.fullscreen(true)",
  ["window.scale(mode)"] = 'window.scale("fit")',
  ["window.vsync(on)"] = "window.vsync(true)",
  ["world.delete_save"] = 'world.delete_save("a")',
  ["world.export"] = 'world.export("a")',
  ["world.ghosts"] = "world.ghosts({}, 60)",
  ["world.load"] = 'world.load("a")',
  ["world.past"] = "world.past(1, function() end)",
  ["world.restore"] = "world.restore({})",
  ["world.save"] = 'world.save("a")',
  ["world.watch"] = 'world.watch("camera.x")',
}

local names, rules = {}, phases.list_player_rules()
for name, rule in pairs(rules) do
  if (in_match or not rule.in_match) and not name:find("^menu%.") then -- only the menu has `menu`
    names[#names + 1] = name
  end
end
table.sort(names)

local out = assert(io.open(file, "w"))
out:write(('return { phase = %q, update = function()\n  local _, message\n'):format(phase))
for _, name in ipairs(names) do
  local shown = name == "input.listen(action)" and "input.listen" or name -- input.listen checks the shorter form first
  out:write(("  _, message = pcall(function() local _ = %s end) print(message)\n"):format(CALLS[name] or name .. "()"))
  print(("%s cannot be called in phase \"update\" of %s: %s"):format(shown,
    rules[name].in_match and "a match" or "a game with players", rules[name].fix))
end
out:write("end }\n")
out:close()
