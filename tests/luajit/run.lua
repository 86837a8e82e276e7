-- Runs programs interpreted and compiled and compares their results (scenarios/luajit.sh). This file replaces boot.lua,
-- so that it runs in Shoal's own LuaJIT. Prints a line for each program that differs, and the number of programs at the
-- end. Writes the current program to $CURRENT, so that it can be found after a crash, and all results to $RESULTS, if
-- set.
local folder, first, count = os.getenv("FOLDER"), tonumber(os.getenv("FIRST")), tonumber(os.getenv("COUNT"))
local progress = assert(io.open(os.getenv("CURRENT"), "w"))
local record = os.getenv("RESULTS") and assert(io.open(os.getenv("RESULTS"), "wb"))

---@param name string
local function begin(name)
  progress:seek("set", 0)
  progress:write(name, (" "):rep(60), "\n")
  progress:flush()
end

---@param v any
---@return string
local function show(v)
  return type(v) == "number" and (v ~= v and "nan" or ("%.17g"):format(v)) or tostring(v)
end

-- Returns all results of f, or its error, as a string.
---@param f function
local function call(f, ...)
  local results = { pcall(f, ...) }
  for i = 1, table.maxn(results) do
    results[i] = show(results[i])
  end
  return table.concat(results, " ")
end

-- Calls f interpreted and compiled, and prints the results if they differ.
---@param name string
---@param options string arguments of jit.opt.start, separated by spaces
---@param f fun(): string
local function compare(name, options, f)
  begin(name)
  jit.off()
  local expected = f()
  jit.opt.start("+fuse", "recunroll=2")
  for option in options:gmatch("%S+") do
    jit.opt.start(option)
  end
  jit.on()
  local actual = f()
  if record then record:write(name, " ", actual, "\n") end
  jit.off()
  jit.flush()
  if actual ~= expected then
    print(("%s (%s): compiled %s, interpreted %s"):format(name, options, actual:sub(1, 300), expected:sub(1, 300)))
  end
end

if first then
  local random, clear = dofile(folder .. "/random.lua"), require("table.clear")
  for number = first, first + count - 1 do
    local text = random.write(number)
    compare("program " .. number, ("hotloop=%d hotexit=%d"):format(number % 4 + 1, number % 3 + 1), function()
      local results = {}
      local ok, message = pcall(assert(loadstring(text, "=program")), clear, results)
      for i = 1, #results do
        results[i] = show(results[i])
      end
      return table.concat(results, " ") .. (ok and "" or " " .. tostring(message))
    end)
  end
  print(count .. " programs")
else
  local cases = dofile(folder .. "/cases.lua")
  for _, case in ipairs(cases) do
    assert(io.open(("%s/../../engine/script/luajit/changes/%s.patch"):format(folder, case.change))):close()
    for n = 1, 2 do
      local options = ("hotloop=%d hotexit=%d %s"):format(n, n, case.options or "")
      compare(case.change, options, function()
        return call(case.run, 42, 0)
      end)
    end
  end
  print(#cases .. " programs")
end
if record then record:close() end
os.exit(0)
