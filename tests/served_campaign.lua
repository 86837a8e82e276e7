-- Kills processes of a served world, and checks that no acknowledged tick is lost:
--
--   luajit tests/served_campaign.lua PROGRAM [--rooms N] [--supervisors N] [--owners N] [--size N] [--db DB]
--                                    [--state FILE] [--folder FOLDER] [--port P]
--
-- Kills N processes of rooms, kills N supervisors, and starts N more supervisors with --take-over, in a world with
-- --size rooms (12) and as many bots. A room is killed after a random number of ticks, or while it recovers. After
-- three kills of each room, its next restart would be delayed by 4 s, so the supervisor is replaced while some rooms
-- have no process. Each room prints every committed tick with its hash, and repeats the ticks since its snapshot when
-- it recovers. A recovery must reach at least the room's last printed tick, and each tick must have the same hash each
-- time. With --state, adds the totals to the file, so that a campaign can be split over several runs. Prints the
-- totals, or the first failure, and then exits with 1.
local ffi = require("ffi")
ffi.cdef [[
  int fork(void); int execv(const char *path, const char *const *arguments); void _exit(int status);
  int kill(int process, int signal); int waitpid(int process, int *status, int options); int getpid(void);
  int open(const char *path, int flags, ...); int dup2(int from, int to); int usleep(unsigned microseconds);
  int prctl(int option, unsigned long value);
]]
local SIGKILL, SIGTERM, WNOHANG, PR_SET_PDEATHSIG = 9, 15, 1, 1
local O_WRONLY, O_APPEND = 1, ffi.os == "Linux" and 1024 or 8
local KILLS_OF_ROOM = 3 -- kills of a room by which the restarts of one supervisor are delayed by 0, 1 and 2 s

local program = arg[1] or error("the first argument must be the program")
local options = { rooms = "0", supervisors = "0", owners = "0", size = "12", folder = "/tmp/shoal-served-campaign" }
for i = 2, #arg, 2 do
  local name = arg[i]:match("^%-%-(%a+)$") or arg[i]
  assert(options[name] or name == "db" or name == "state" or name == "port", "unknown option " .. arg[i])
  options[name] = assert(arg[i + 1], arg[i] .. " needs a value")
end
local size, folder = tonumber(options.size), options.folder
local limit_s = 120 * (tonumber(os.getenv("SLOW")) or 100) / 100
local out_path, err_path = folder .. "/out", folder .. "/err"
math.randomseed(ffi.C.getpid())

local server -- process of the current supervisor
local rooms = {} -- room's name → process, is_open, ticks since the start, the plan of the next kill, last tick, hashes
local totals = { rooms = 0, supervisors = 0, owners = 0, ticks = 0, returns = 0, recoveries = 0 }

local function fail(...)
  if server then ffi.C.kill(server, SIGKILL) end
  print(("served_campaign: after %d kills of rooms, %d kills of supervisors and %d second owners: %s"):format(
    totals.rooms,
    totals.supervisors,
    totals.owners,
    select("#", ...) > 1 and string.format(...) or (...)
  ))
  os.execute(("tail -n 5 '%s'"):format(err_path))
  os.exit(1)
end

-- --- processes

-- serve [OPTIONS…]: starts a supervisor, which ends with this process.
local function serve(...)
  local words = { program, "serve", folder .. "/game", "--db", options.db, "--port", options.port, "--bots", size }
  for _, word in ipairs { "--hash", "every=1", ... } do
    words[#words + 1] = word
  end
  local list = ffi.new("const char *[?]", #words + 1)
  for i, word in ipairs(words) do
    words[i] = tostring(word)
    list[i - 1] = words[i]
  end
  local process = ffi.C.fork()
  if process == 0 then
    if ffi.os == "Linux" then ffi.C.prctl(PR_SET_PDEATHSIG, SIGKILL) end
    ffi.C.dup2(ffi.C.open("/dev/null", 0), 0)
    ffi.C.dup2(ffi.C.open(out_path, O_WRONLY + O_APPEND), 1)
    ffi.C.dup2(ffi.C.open(err_path, O_WRONLY + O_APPEND), 2)
    ffi.C.execv(program, list)
    ffi.C._exit(127)
  end
  return process
end
-- Returns the exit status of the process, minus the signal that ended it, or nil while it runs.
local function get_status(process)
  local status = ffi.new("int[1]")
  if ffi.C.waitpid(process, status, WNOHANG) ~= process then return nil end
  local signal = status[0] % 128
  return signal ~= 0 and -signal or math.floor(status[0] / 256)
end

-- --- lines of the rooms and of the supervisor

local function get_room(name)
  local room = rooms[name]
  if not room then
    room = { name = name, last = -1, hashes = {}, kills = 0, recoveries = 0 }
    rooms[name] = room
  end
  return room
end
-- A room that wakes changes its state between two ticks, so a recovery that runs no tick has a different hash after the
-- former room's last tick. `is_woken`: the hash may differ.
local function note_hash(room, tick, hash, is_woken)
  local known = room.hashes[tick]
  if known and known ~= hash and not is_woken then
    fail("%s tick %d has the hashes %s and %s", room.name, tick, known, hash)
  end
  if not known then totals.ticks = totals.ticks + 1 end
  room.hashes[tick] = hash
end
local function read_out(line)
  local name, tick, hash = line:match("^recovered: (%S+) tick (%d+) hash (%x+)")
  if name then
    local room = get_room(name)
    tick = tonumber(tick)
    if tick < room.last then fail("tick %d was committed, but: %s", room.last, line) end
    note_hash(room, tick, hash, room.ended == tick)
    room.ended = tick
    room.recoveries, totals.recoveries = room.recoveries + 1, totals.recoveries + 1
    return
  end
  name, tick, hash = line:match("^(%S+) tick (%d+) hash (%x+)")
  if not name then return end
  local room = get_room(name)
  tick = tonumber(tick)
  note_hash(room, tick, hash)
  room.ended = nil
  if tick > room.last then
    room.last, room.ticks = tick, (room.ticks or 0) + 1
  end
end
-- Plans the kill of a room that starts: after `kill_ticks` more ticks, or at a time while it may recover.
local function plan_kill(room)
  room.kill_ticks = math.random(1, 40)
  room.kill_polls = math.random(8) == 1 and math.random(1, 60) or nil
end
local PROBLEMS = { "recovery differs", "proof .* has failed", "cannot start", "does not respond", "stale", "dropped" }
local function read_err(line)
  for _, problem in ipairs(PROBLEMS) do
    if line:find(problem) then fail(line) end
  end
  local name, process = line:match("^room (%S+): starts %(process (%d+)%)")
  if name then
    local room = get_room(name)
    room.process, room.is_open, room.ticks = tonumber(process), false, 0
    plan_kill(room)
  end
  name = line:match("^room (%S+): open")
  if name then get_room(name).is_open = true end
  if line:find("is back") then totals.returns = totals.returns + 1 end
end
-- Returns a function that reads the lines that were appended to the file since its last call.
local function follow(path, read_line)
  local file, rest = assert(io.open(path)), ""
  return function()
    file:seek("cur", 0)
    local text = rest .. (file:read("*a") or "")
    local at = 1
    while true do
      local stop = text:find("\n", at, true)
      if not stop then break end
      read_line(text:sub(at, stop - 1))
      at = stop + 1
    end
    rest = text:sub(at)
  end
end
local follow_out, follow_err
-- poll: reads new lines, and waits for 5 ms.
local function poll()
  follow_err()
  follow_out()
  ffi.C.usleep(5000)
end
-- wait_until PROBLEM CONDITION: polls until the condition is true. Fails after the limit, or if the supervisor ends.
local function wait_until(problem, condition)
  local end_s = os.time() + limit_s
  while true do
    poll()
    if condition() then return end
    local status = server and get_status(server)
    if status then fail("the supervisor has ended with status %d: %s", status, problem) end
    if os.time() > end_s then fail(problem) end
  end
end

-- --- kills

local function count_rooms(condition)
  local count = 0
  for _, room in pairs(rooms) do
    count = count + (condition(room) and 1 or 0)
  end
  return count
end
local function is_open(room) return room.is_open and room.ticks > 0 end
local function all_are_open() return count_rooms(is_open) == size end
local function kill(room)
  if not room.process or ffi.C.kill(room.process, SIGKILL) ~= 0 then return end
  room.process, room.is_open = nil, false
  room.kills, totals.rooms = room.kills + 1, totals.rooms + 1
end
local function may_kill(room)
  return room.process and room.kills < KILLS_OF_ROOM and totals.rooms < tonumber(options.rooms)
end
local function kill_rooms()
  for _, room in pairs(rooms) do
    room.kills = 0
  end
  wait_until("not all rooms were killed", function()
    for _, room in pairs(rooms) do
      if room.kill_polls then room.kill_polls = room.kill_polls - 1 end
      local is_due = room.is_open and room.ticks >= room.kill_ticks or room.kill_polls == 0
      if is_due and may_kill(room) then kill(room) end
    end
    return totals.rooms >= tonumber(options.rooms)
      or count_rooms(function(room) return room.kills >= KILLS_OF_ROOM end) == size
  end)
end

-- Starts a second owner, and waits for the end of the former owner.
local function take_over(former)
  local status
  server = serve("--take-over")
  wait_until("the former owner does not end", function()
    status = get_status(former)
    local code = get_status(server)
    if code then fail("the second owner has ended with status %d", code) end
    return status
  end)
  if status ~= 4 then fail("the former owner has ended with status %s", tostring(status)) end
  totals.owners = totals.owners + 1
end
-- Replaces the supervisor after a kill, by --take-over, or after an orderly end, while some rooms have no process.
-- `kind`: "kill", "owner" or "end".
local function replace(kind)
  local former = server
  for _, room in pairs(rooms) do
    if math.random(4) == 1 and totals.rooms < tonumber(options.rooms) then kill(room) end
  end
  if kind ~= "owner" then ffi.C.kill(former, kind == "kill" and SIGKILL or SIGTERM) end
  if kind ~= "owner" then
    ffi.C.waitpid(former, ffi.new("int[1]"), 0)
    poll()
  end
  for _, room in pairs(rooms) do
    room.is_open, room.process = false, nil
  end
  if kind == "owner" then
    take_over(former)
  else
    server = serve("--take-over")
  end
  if kind == "kill" then totals.supervisors = totals.supervisors + 1 end
end

-- --- the campaign

local GAME = {
  ["game.lua"] = ([[
return { title = "Campaign", id = "served_campaign", tick_rate = 30, multiplayer = { players = { 1, 4 } },
  serve = { rooms = { cave = { sleeps = false, players = 3, count = %d } } } }
]]):format(size),
  ["input.lua"] = [[return { fire = { "key:f" }, move = { negative = { "key:a" }, positive = { "key:d" } } }]],
  ["components.lua"] = "return { score = shoal.types.single { shots = 0, x = 0.0 } }",
  ["systems/play.lua"] = [[
return {
  update = function()
    local score = world.single.score
    if world.tick % 20 == 0 then
      world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds = 2 } })
    end
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then score.shots = score.shots + player.number end
      score.x = score.x + input.axis("move", player.number) * world.random()
    end
  end,
}
]],
}
local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end
local function prepare()
  assert(os.execute(("rm -rf '%s' && mkdir -p '%s/game/systems'"):format(folder, folder)) == 0, folder)
  options.db = options.db or folder .. "/world.db"
  options.port = options.port or tostring(21000 + ffi.C.getpid() * 7 % 25000)
  for path, text in pairs(GAME) do
    write(folder .. "/game/" .. path, text)
  end
  write(out_path, "")
  write(err_path, "")
  follow_out, follow_err = follow(out_path, read_out), follow(err_path, read_err)
end
local function needs(name) return totals[name] < tonumber(options[name]) end
local function choose_replacement()
  if needs("supervisors") and (totals.supervisors <= totals.owners or not needs("owners")) then return "kill" end
  return needs("owners") and "owner" or "end"
end
local earlier = {} -- totals of earlier runs
local function read_state()
  local file = options.state and io.open(options.state)
  for line in file and file:lines() or function() end do
    local name, value = line:match("^(%S+) %+ (%d+)")
    if name then earlier[name] = tonumber(value) end
  end
end
-- Called after each check, so that an interrupted run keeps its totals.
local function write_state()
  local lines = {}
  for name, value in pairs(totals) do
    lines[#lines + 1] = ("%s + %d\n"):format(name, value + (earlier[name] or 0))
  end
  table.sort(lines)
  if options.state then write(options.state, table.concat(lines)) end
end

local function print_totals()
  local sums = setmetatable({}, {
    __index = function(_, name) return totals[name] + (earlier[name] or 0) end,
  })
  local kills = "%d kills of rooms, %d kills of supervisors, %d second owners, "
  print(kills:format(sums.rooms, sums.supervisors, sums.owners)
    .. ("%d recoveries, %d committed ticks, %d returns of players: "):format(sums.recoveries, sums.ticks, sums.returns)
    .. "no tick lost, all hashes equal")
end

prepare()
read_state()
server = serve()
while needs("rooms") or needs("supervisors") or needs("owners") do
  wait_until("not all rooms open", all_are_open)
  write_state()
  if needs("rooms") then kill_rooms() end
  if needs("rooms") or needs("supervisors") or needs("owners") then replace(choose_replacement()) end
end
wait_until("not all rooms open", all_are_open)
local process, status = server, nil
server = nil
ffi.C.kill(process, SIGTERM)
wait_until("the supervisor does not end", function()
  status = get_status(process)
  return status ~= nil
end)
poll()
if status ~= 0 then fail("the supervisor has ended with status %d", status) end
write_state()
print_totals()
