-- Runs games of random systems and compares their worlds in several modes:
--
--   luajit tests/campaign.lua single|native PROGRAM [--games N] [--size N] [--state FILE] [--folder FOLDER]
--
-- single: --size systems a game, each in single and in double precision and as a plain Lua function (single_choices).
-- native: 320 small programs a game (tests/native with a negative seed), interpreted and native with wide and narrow
-- vectors. With --state, the totals of earlier runs are read from the file and written back, so that a campaign can be
-- split over several runs; otherwise it starts with the first game. Prints the totals, or the first difference with
-- its seed, and then exits with 1.
local kind, program = arg[1], arg[2]
local options = { games = "1", size = "100", folder = os.getenv("TMPDIR") or "/tmp/shoal-campaign" }
for i = 3, #arg, 2 do
  local name = arg[i]:match("^%-%-(%a+)$")
  assert(name == "games" or name == "size" or name == "state" or name == "folder", "unknown option " .. arg[i])
  options[name] = assert(arg[i + 1], arg[i] .. " needs a value")
end
local source = arg[0]:gsub("[^/]*$", "")
local game, size = options.folder .. "/" .. kind, tonumber(options.size)
local TIMEOUT_S = 300 * (tonumber(os.getenv("SLOW")) or 100) / 100

local function read(path)
  local file = io.open(path)
  local text = file and file:read("*a") or ""
  if file then file:close() end
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local function execute(fmt, ...)
  local status = os.execute(fmt:format(...))
  return status == 0 or status == true
end

local function fail(seed, mode, reason)
  print(("%s: seed %d, %s: %s"):format(kind, seed, mode, reason:sub(1, 3000)))
  os.exit(1)
end

-- Runs the game. Returns the lines with the hash of each tick.
local function run(seed, mode, ticks)
  local ok = execute("XDG_CACHE_HOME='%s/cache' timeout -k 2 %d '%s' run '%s' --headless --no-watch --seed 1 "
    .. "--budget 0 --ticks %d --hash every=1 %s >'%s/out' 2>'%s/err' </dev/null", options.folder, TIMEOUT_S, program,
    game, ticks, mode, options.folder, options.folder)
  local errors, hashes = {}, {}
  for line in read(options.folder .. "/err"):gmatch("[^\n]+") do
    if not line:find("(reported once)", 1, true) then errors[#errors + 1] = line end
  end
  for line in read(options.folder .. "/out"):gmatch("tick[^\n]+") do
    hashes[#hashes + 1] = line
  end
  local text = table.concat(errors, "\n")
  if not ok or #hashes ~= ticks or text:find("error") or text:find("Sanitizer") or text:find("LLVM") then
    fail(seed, mode, text)
  end
  return table.concat(hashes, "\n")
end

-- Runs the game in all modes. The hashes must equal `expected` or, if it is nil, the hashes of the first mode. Returns
-- the expected hashes.
local function compare(seed, ticks, modes, expected)
  for _, mode in ipairs(modes) do
    local actual = run(seed, mode, ticks)
    expected = expected or actual
    if actual ~= expected then
      fail(seed, mode, ("%s, and not %s"):format(actual, expected))
    end
  end
  return expected
end

local KINDS = {
  single = function(seed)
    local function generate(form)
      execute("rm -rf '%s'", game)
      assert(execute("luajit '%ssingle_choices/generate.lua' '%s' %d %d %s", source, game, size, seed, form))
    end
    generate("double")
    -- Each game is analysed and interpreted; LLVM, which takes three times as long, compiles some of them. LuaJIT's
    -- compiler is disabled, because it would take longer than it saves.
    local expected = compare(seed, 3, { "--no-jit", seed % 16 == 3 and "--native now" or nil })
    generate("single")
    local native = seed % 16 == 1 and "--native now" or seed % 64 == 2 and "--native sse2,now" or nil
    compare(seed, 3, { "--no-jit", native }, expected)
    if seed % 100 == 1 then -- compares with plain Lua, too
      generate("both")
      compare(seed, 2, { "--native off" })
    end
    return size
  end,
  native = function(seed)
    assert(execute("cp -r '%snative' '%s'", source, game))
    write(game .. "/seed.lua", ("return -%d\n"):format(seed))
    compare(seed, 2, { "--no-jit", "--native now", "--native sse2,now,split --workers 3" })
    return 320
  end,
}

local run_game = assert(KINDS[kind], "the first argument must be single or native")
local done, programs = 0, 0
if options.state then
  local games, count = read(options.state):match("(%d+) games, (%d+) programs")
  done, programs = tonumber(games) or 0, tonumber(count) or 0
end
for seed = done + 1, done + tonumber(options.games) do
  execute("rm -rf '%s' '%s/cache' && mkdir -p '%s'", game, options.folder, options.folder)
  done, programs = seed, programs + run_game(seed)
  if options.state then
    write(options.state, ("%d games, %d programs\n"):format(done, programs))
  end
end
print(("%s: %d games, %d programs without a difference"):format(kind, done, programs))
