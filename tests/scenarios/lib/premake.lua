-- Evaluates premake5.lua with stubs of project() and filter(), which end the previous filter as in premake5. Checks
-- that every project has its own object folder in each configuration, because modules may have files of the same name.
-- Prints violations and exits with 1.
local current, term, folders = nil, nil, {}
local problems, count = {}, 0

local function lines(command)
  local out = {}
  for line in io.popen(command):lines() do
    out[#out + 1] = line
  end
  return out
end

local stubs = {
  workspace = function() current, term = nil, nil end,
  filter = function(of) term = type(of) == "string" and of or nil end,
  project = function(name)
    current, term = name or current, nil
    return { name = current }
  end,
  objdir = function(folder)
    count = count + 1
    if not term then
      problems[#problems + 1] = ("%s: objdir %s is not in a filter"):format(current, folder)
    elseif folders[folder] then
      problems[#problems + 1] = ("%s: %s is already the object folder of %s"):format(current, folder, folders[folder])
    end
    folders[folder] = current
  end,
  path = {
    getname = function(path) return path:match("[^/]*$") end,
    getdirectory = function(path) return path:match("^(.*)/") end,
    getbasename = function(path) return path:match("([^/]*)%.%w+$") end,
  },
  os = setmetatable({
    outputof = function() return "-lsomething" end,
    matchfiles = function(pattern)
      local folder, deep, ending = pattern:match("^(.-)/(%*+)(%..*)$")
      local depth = deep == "*" and "-maxdepth 1" or ""
      return lines(("find %s %s -name '*%s' | LC_ALL=C sort"):format(folder, depth, ending))
    end,
  }, { __index = os }),
}

local script = assert(loadfile("premake5.lua"))
setfenv(script, setmetatable(stubs, { __index = function(_, name)
  return _G[name] or function() end
end }))
script()
if count < 40 then
  problems[#problems + 1] = ("only %d object folders: premake5.lua was not evaluated"):format(count)
end
print(table.concat(problems, "\n"))
os.exit(#problems == 0 and 0 or 1)
