-- Checks of README.md and engine/docs for tests/scenarios/pages.sh: luajit pages.lua CHECK PAGE…. Prints what is wrong
-- and exits with 1. `snippets` runs what stands in fenced blocks. The words behind a fence's language say how:
--
--   lua game                 files of a game, each begun by a line `-- GAME/path.lua`; the game runs 60 ticks, --strict
--   lua refused              the same, but the game must not start (exit 1), and goes on without these files
--   lua reload               saved into the game while it runs
--   lua exec                 a chunk of --exec;  lua exec at=N: run by a system in tick N
--   json game FILE, text game FILE, json reload FILE     another file of the game
--   c plugin NAME            built into the game's plugins/;  c reload NAME: while the game runs
--   c++ plugin NAME          the same in C++17
--   c program NAME           linked with the installed library and run
--   sql GAME [OPTIONS]       asked of a game
--   sh                       run line by line, `./shoal play` and `run` without a window and for a few ticks
--   console                  `$ COMMAND` lines (continued by `> `) are run, and must print the lines below them
--   text output              lines that what stands before it has printed, in this order; … stands for anything
--   console like, text like  the same, with other numbers
--   text format              lines that --hash and --stats print, see `formats`
--   lua step, diff step      made of folders that run, by engine/docs/site/steps.lua (learn.sh)
--   LANGUAGE parsed, WHY     is not run, for this reason, but it parses;  LANGUAGE shown, WHY: neither
--
-- An HTML comment that begins with such words, `<!-- lua game`, is a block that readers do not see.

local root, tmp, shoal = os.getenv("root"), os.getenv("tmp"), os.getenv("release")
local page_path -- of the one that is looked at
local problems = 0

local function wrong(line, format, ...)
  problems = problems + 1
  print(("%s:%d: "):format(page_path or "pages", line) .. format:format(...))
end

-- ---- files and commands

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local function write(path, text)
  os.execute(("mkdir -p '%s'"):format(path:match("^(.*)/")))
  local file = assert(io.open(path .. ".new", "wb"))
  file:write(text)
  file:close()
  assert(os.rename(path .. ".new", path)) -- as editors save
end

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- → what it printed on both streams, in order, and its exit status
local function output(command)
  local pipe = assert(io.popen(("{ %s\n} </dev/null 2>&1; echo \"exit $?\""):format(command)))
  local text = pipe:read("*a")
  pipe:close()
  local said, status = text:match("^(.*)exit (%d+)%s*$")
  return said, tonumber(status)
end

local function lines_of(text)
  local out = {}
  for line in (text:find("\n$") and text or text .. "\n"):gmatch("(.-)\n") do out[#out + 1] = line end
  return out
end

-- The lines that a command prints, at the root of the tree.
local function list(command)
  local out = {}
  for line in output("cd " .. quoted(root) .. " && " .. command):gmatch("[^\n]+") do out[#out + 1] = line end
  return out
end

-- ---- a page: its blocks, and its text without them

local function blocks_of(text)
  local blocks, prose, open = {}, {}, nil
  for number, line in ipairs(lines_of(text)) do
    local fence, info = line:match("^(```+)%s*(.-)%s*$")
    local hidden = line:match("^<!%-%- (%l+.*)$")
    if open and (open.hidden and line == "-->" or not open.hidden and fence and info == "") then
      blocks[#blocks + 1] = open
      open = nil
    elseif open then
      table.insert(open.lines, line)
    elseif fence or hidden then
      local language, words = (info or hidden):match("^(%S*)%s*(.*)$")
      open = { line = number, language = language, words = words, hidden = hidden ~= nil, lines = {} }
    else
      prose[number] = line
    end
    prose[number] = prose[number] or ""
  end
  if open then wrong(open.line, "this block is not closed") end
  return blocks, prose
end

-- The prose without `code`, so that what looks like a link in it is none.
local function without_code(line)
  return (line:gsub("`[^`]*`", ""))
end

-- ---- links

local function slug(heading)
  heading = heading:gsub("%[([^%]]*)%]%b()", "%1"):gsub("[`*]", ""):lower()
  return (heading:gsub("[^%w%s_%-\128-\255]", ""):gsub("%s", "-"))
end

local anchors = {} -- by page: slug → true

local function anchors_of(path)
  if not anchors[path] then
    local text, seen = read(path), {}
    anchors[path] = seen
    local _, prose = blocks_of(text or "")
    for _, line in ipairs(prose) do
      local heading = line:match("^#+%s+(.*)$")
      if heading then seen[slug(heading)] = true end
    end
  end
  return anchors[path]
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

local function check_link(here, number, target)
  if target:find("^%a+://") or target:find("^mailto:") then return end
  local path, anchor = target:match("^([^#]*)#?(.*)$")
  local folder = here:match("^(.*)/[^/]*$")
  local full = path == "" and here or folder .. "/" .. path
  if not exists(full) then
    wrong(number, "the link %s leads nowhere", target)
  elseif anchor ~= "" and not anchors_of(full)[anchor] then
    wrong(number, "%s has no heading #%s", path == "" and "this page" or path, anchor)
  end
end

local function links()
  local here = root .. "/" .. page_path
  local _, prose = blocks_of(read(here))
  for number, line in ipairs(prose) do
    for target in without_code(line):gmatch("%]%(([^)%s]+)%)") do check_link(here, number, target) end
  end
end

-- Paths of the tree in `code`: those that name a folder of it, and hold no words to fill in.
local function paths()
  local _, prose = blocks_of(read(root .. "/" .. page_path))
  for number, line in ipairs(prose) do
    for span in line:gmatch("`([^`]+)`") do
      local path = span:match("^([%l_]+/[%w_./%-]+)$") or span:match("^([%l_]+/[%w_./%-]+):[%w_.:]+$")
      if path and path:find("^engine/") or path and path:find("^scripts/") or path and path:find("^tests/")
        or path and path:find("^assets/%l+/") then
        if not path:find("%u%u") and not exists(root .. "/" .. path) then wrong(number, "there is no %s", path) end
      end
    end
  end
end

-- ---- how a page begins, and how long the README is

local function opening()
  local lines = lines_of(read(root .. "/" .. page_path))
  local first, number = {}, 3
  while lines[number] and lines[number] ~= "" do
    first[#first + 1] = lines[number]
    number = number + 1
  end
  local sentence = table.concat(first, " ")
  if not (lines[1] or ""):find("^# %S") or lines[2] ~= "" then
    wrong(1, "a page begins with its title and an empty line")
  elseif not sentence:find("%.$") or select(2, sentence:gsub("[.?!] %u", "")) > 0 then
    wrong(3, "a page's first paragraph is one sentence, which says what the page is for")
  end
end

local function length()
  local _, words = read(root .. "/README.md"):gsub("<!%-%-.-%-%->", ""):gsub("%S*%w%S*", "")
  if words < 600 or words > 800 then wrong(1, "%d words: the README must have 600 to 800", words) end
end

-- ---- snippets

local page -- { folder, game, files, changed, said, … } of the page that is being run

local MAX_LINES = 12 -- of what is shown of what a program said

local function fails(block, what, said)
  local lines = lines_of(said)
  while #lines > MAX_LINES do table.remove(lines, 1) end
  wrong(block.line, "%s; it said:\n    %s", what, (table.concat(lines, "\n    ")))
end

local function shown(text)
  return (text:gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0"):gsub("…", ".*"))
end

-- For a whole line; `like`: numbers are others.
local function pattern_of(line, like)
  if like then line = line:gsub("%-?%d+%.?%d*", "\1") end
  return "^" .. shown(line):gsub("\1", "%%-?[%%d.]+") .. "$"
end

local function trimmed(line)
  return (line:gsub("^%s+", ""):gsub("%s+$", ""))
end

-- The `expected` lines are among those of `said`, in this order.
local function is_among(expected, said, like)
  local at, all = 1, lines_of(said)
  for _, line in ipairs(expected) do
    local pattern = pattern_of(trimmed(line), like)
    while all[at] and not trimmed(all[at]):find(pattern) do at = at + 1 end
    if not all[at] and trimmed(line) ~= "…" then return false, line end
    at = at + 1
  end
  return true
end

-- All lines, in order, and no others; a line … is any number of them.
local function is_exactly(expected, said, like)
  local function match(i, j)
    if i > #expected then return j > #said end
    if trimmed(expected[i]) == "…" then
      for k = j, #said + 1 do
        if match(i + 1, k) then return true end
      end
      return false
    end
    local pattern = pattern_of(trimmed(expected[i]), like)
    return said[j] ~= nil and trimmed(said[j]):find(pattern) ~= nil and match(i + 1, j + 1)
  end
  return match(1, 1)
end

local function in_page(command)
  local command_in = "cd DIR && PATH=DIR:$PATH SHOAL=DIR XDG_DATA_HOME=DIR/data timeout -k 2 600 "
  return command_in:gsub("DIR", quoted(page.folder)) .. command
end

local function run_game(options)
  return output(in_page(("%s run %s --headless --no-watch %s"):format(quoted(shoal), page.game, options)))
end

-- The files of a block: each begins with a line `-- path.lua`.
local function files_of(block)
  local files, current = {}, nil
  for _, line in ipairs(block.lines) do
    local path = line:match("^%-%- ([%w_/%-]+%.lua)%f[^%w]") or line:match("^%-%- ([%w_/%-]+%.lua)$")
    if path then
      current = { lines = {} }
      files[#files + 1] = current
      local game, rest = path:match("^(%l[%w_]*)/(.+)$")
      local is_part = game and (rest == "game.lua" or game == page.game or game == block.game)
      if is_part then page.game, current.path = game, rest else current.path = path end
      if is_part then block.game = game end
    end
    if current then table.insert(current.lines, line) end
  end
  if #files == 0 then wrong(block.line, "no line `-- path.lua` says which file this is") end
  return files
end

local function game_folder(game)
  return page.folder .. "/" .. (game or page.game)
end

-- The game of a page that has shown no game.lua.
local function need_game()
  local path = game_folder() .. "/game.lua"
  if not exists(path) then write(path, 'return { title = "page" }\n') end
end

local function save(path, lines)
  write(game_folder() .. "/" .. path, table.concat(lines, "\n") .. "\n")
  need_game()
end

-- Runs the game that has changed since it was last run.
local function settle()
  if page.changed then
    local block = page.changed
    page.changed = nil
    local said, status = run_game("--strict --ticks 60")
    page.said = said
    if status ~= 0 then fails(block, "the game does not run", said) end
  end
end

-- Chunks of --exec that stand in a row run in one process.
local function run_chunks()
  local chunks = page.chunks
  page.chunks = nil
  if not chunks then return end
  need_game()
  local options = {}
  for i, block in ipairs(chunks) do
    options[#options + 1] = "--exec " .. quoted(table.concat(block.lines, "\n"))
    options[#options + 1] = "--exec " .. quoted(("print('\\30 %d')"):format(i))
  end
  local said, status = run_game("--strict --history 16 --ticks 60 " .. table.concat(options, " "))
  if status ~= 0 then fails(chunks[1], "a chunk fails", said) end
  for i, block in ipairs(chunks) do
    block.said, said = said:match("^(.-)\30 " .. i .. "\n(.*)$")
    block.said, said = block.said or "", said or ""
  end
  chunks[#chunks].said = chunks[#chunks].said .. said
  for _, expected in ipairs(page.expected or {}) do
    local good, line = is_among(expected.lines, expected.of.said)
    if not good then fails(expected, ("'%s' is not what it says"):format(line), expected.of.said) end
  end
  page.expected = {}
end

local function stop_running()
  if page.running then
    os.execute(("kill %s 2>/dev/null"):format(page.running))
    page.running = nil
  end
end

local function wait_for(log, from, pattern, other)
  for _ = 1, 4800 do
    local text = read(log) or ""
    if text:find(pattern, from) or other and text:find(other, from) then return text end
    os.execute("sleep 0.05")
  end
  return read(log) or ""
end

-- A copy of the game that runs and watches its files.
local function start_running(block)
  local copy = page.folder .. "/running"
  page.log = page.folder .. "/log"
  os.execute(("rm -rf %s && cp -R %s %s"):format(quoted(copy), quoted(game_folder()), quoted(copy)))
  write(page.log, "")
  local command = ("cd %s && timeout -k 2 1200 %s run running --headless --watch --history 16 --ticks 1000000000000"
    .. " --exec 'print(\"runs\")' >log 2>&1 </dev/null & echo $!"):format(quoted(page.folder), quoted(shoal))
  local pipe = io.popen(command)
  page.running = pipe:read("*l")
  pipe:close()
  local text = wait_for(page.log, 1, "runs\n")
  if not text:find("runs\n") then fails(block, "the game does not start", text) end
  page.heard = #text + 1
end

local run = {}

run["lua game"] = function(block)
  local files = files_of(block)
  for _, file in ipairs(files) do
    if page.files[file.path] then settle() end -- another version comes
  end
  for _, file in ipairs(files) do
    page.files[file.path] = true
    save(file.path, file.lines)
  end
  page.changed = block
end

local function other_file(block, path)
  save(path, block.lines)
  page.changed = block
end
run["json game"], run["text game"] = other_file, other_file

run["lua refused"] = function(block)
  settle()
  local kept = {}
  for i, file in ipairs(files_of(block)) do
    local path = game_folder() .. "/" .. file.path
    kept[i] = { path, read(path) }
    save(file.path, file.lines)
  end
  local said, status = run_game("--ticks 60")
  page.said = said
  if status ~= 1 then fails(block, "this is not refused", said) end
  for _, file in ipairs(kept) do
    if file[2] then write(file[1], file[2]) else os.remove(file[1]) end
  end
end

-- save() changes the copy of the game that runs.
local function reload(block, save_files)
  settle()
  if not page.running then start_running(block) end
  save_files(page.folder .. "/running/")
  local text = wait_for(page.log, page.heard, "reloaded [^\n]*\n", "reload refused[^\n]*\n")
  page.said, page.since = text:sub(page.heard), page.heard
  page.heard = #text + 1
  block.reloads = true
end

run["lua reload"] = function(block)
  reload(block, function(folder)
    for _, file in ipairs(files_of(block)) do write(folder .. file.path, table.concat(file.lines, "\n") .. "\n") end
  end)
end

run["json reload"] = function(block, path)
  reload(block, function(folder) write(folder .. path, table.concat(block.lines, "\n") .. "\n") end)
end

run["lua exec"] = function(block, words)
  settle()
  local tick = words:match("at=(%d+)")
  if not tick then
    page.chunks = page.chunks or {}
    table.insert(page.chunks, block)
    page.chunk = block
    return true
  end
  -- Once, also when it goes back in time: only a game of tests may remember that.
  local game = read(game_folder() .. "/game.lua")
  write(game_folder() .. "/game.lua", (game:gsub("return {", "return { tests = true,", 1)))
  save("systems/of_the_page.lua", { "local done", "return { phase = 'post_update', update = function()",
    ("if world.tick == %s and not done then done = true"):format(tick), table.concat(block.lines, "\n"), "end end }" })
  local said, status = run_game(("--strict --history 16 --ticks %d"):format(tick + 30))
  page.said = said
  if status ~= 0 then fails(block, "it fails", said) end
  write(game_folder() .. "/game.lua", game)
  os.remove(game_folder() .. "/systems/of_the_page.lua")
end

local function build_plugin(block, name, folder, cpp)
  local source, library = page.folder .. "/" .. name .. (cpp and ".cpp" or ".c"), folder .. "/plugins/" .. name .. ".so"
  write(source, table.concat(block.lines, "\n") .. "\n")
  local warnings = "-Wall -Wextra -Wshadow -Wconversion -Werror -Wno-unused-parameter"
  if cpp then warnings = warnings .. " -Wno-missing-field-initializers" end
  local build = "mkdir -p {folder}/plugins && {compiler} {warnings} -ffp-contract=off -fPIC -shared "
    .. "-I{root}/engine/include -O1 -o {library}.new {source} && mv {library}.new {library}"
  local said, status = output((build:gsub("{(%l+)}", { root = quoted(root), folder = quoted(folder),
    compiler = cpp and "${CXX:-c++} -std=c++17" or "${CC:-cc} -std=c11",
    warnings = warnings, library = quoted(library), source = quoted(source) })))
  if status ~= 0 then fails(block, "it does not compile", said) end
end

run["c plugin"] = function(block, name) build_plugin(block, name, game_folder()) end
run["c++ plugin"] = function(block, name) build_plugin(block, name, game_folder(), true) end
run["c reload"] = function(block, name)
  reload(block, function(folder) build_plugin(block, name, folder) end)
end

run["lua step"] = function() end
run["diff step"] = run["lua step"]

run["c program"] = function(block, name)
  local source = page.folder .. "/" .. name .. ".c"
  write(source, table.concat(block.lines, "\n") .. "\n")
  local package = table.concat(block.lines, "\n"):find("shoal/host.h", 1, true) and "shoal" or "shoal-ecs"
  if not page.installed then
    page.installed = page.folder .. "/installed"
    local said, status = output(("sh %s/engine/start/install.sh --prefix %s"):format(quoted(root),
      quoted(page.installed)))
    if status ~= 0 then fails(block, "the library is not installed", said) end
  end
  local build = "export PKG_CONFIG_PATH={at}/lib/pkgconfig LD_LIBRARY_PATH={at}/lib\n"
    .. "${CC:-cc} -std=c11 -Wall -Wextra "
    .. "-Werror {source} -o {name} $(pkg-config --cflags --libs {package}) && ./{name}"
  local said, status = output(in_page("sh -euc " .. quoted((build:gsub("{(%l+)}", { source = quoted(source),
    name = name, package = package, at = quoted(page.installed) })))))
  page.said = said
  if status ~= 0 then fails(block, "it does not build or run", said) end
end

run["sql"] = function(block, words)
  settle()
  local said, status = output(in_page(("%s sql %s %s"):format(quoted(shoal), words:gsub("^%S+", function(game)
    return exists(game_folder(game)) and "./" .. game or game
  end), quoted("\n" .. table.concat(block.lines, "\n")))))
  page.said = said
  if status ~= 0 then fails(block, "it cannot be asked", said) end
end

run["sh"] = function(block)
  settle()
  local said, status = output(in_page("sh -euc " .. quoted(table.concat(block.lines, "\n"))))
  page.said = said
  if status ~= 0 then fails(block, "it fails", said) end
end

run["console like"] = function(block) run["console"](block) end
run["console"] = function(block)
  settle()
  local steps = {}
  for _, line in ipairs(block.lines) do
    local first, more = line:match("^%$ (.*)$"), line:match("^> (.*)$")
    if first then
      steps[#steps + 1] = { command = first, lines = {} }
    elseif more and #steps[#steps].lines == 0 then
      steps[#steps].command = steps[#steps].command .. "\n" .. more
    else
      table.insert(steps[#steps].lines, line)
    end
  end
  for _, step in ipairs(steps) do
    local said = output(in_page("sh -c " .. quoted(step.command)))
    if not is_exactly(step.lines, said == "" and {} or lines_of(said), block.words == "like") then
      fails(block, ("`%s` says something else"):format(step.command), said)
    end
  end
end

run["text output"] = function(block)
  if page.chunks then
    page.expected = page.expected or {}
    block.of = page.chunk
    table.insert(page.expected, block)
    return true
  end
  settle()
  local good, line = is_among(block.lines, page.said or "", block.words == "like")
  for _ = 1, page.running and 2400 or 0 do -- what runs may have more to say
    if good then break end
    os.execute("sleep 0.05")
    page.said = read(page.log):sub(page.since)
    page.heard = page.since + #page.said
    good, line = is_among(block.lines, page.said, block.words == "like")
  end
  if not good then fails(block, ("'%s' is not what it says"):format(line), page.said or "") end
end
run["text like"] = run["text output"]

local PARSERS = { lua = "luajit -bl - /dev/null", sh = "sh -n", console = "true", json = "true", c = "true" }

-- Not run: the reason stands behind it.
local function not_run(block, how, why)
  if select(2, why:gsub("%S+", "")) < 3 then
    wrong(block.line, "`%s` says why: `%s %s, it opens a window`", how, block.language, how)
  end
  local parser = how == "parsed" and PARSERS[block.language]
  if how == "parsed" and not parser then
    wrong(block.line, "%s cannot be parsed here", block.language)
  elseif parser then
    write(page.folder .. "/parsed", table.concat(block.lines, "\n") .. "\n")
    local said, status = output(parser:gsub("%-$", "") .. " < " .. quoted(page.folder .. "/parsed") .. " >/dev/null")
    if status ~= 0 then fails(block, "it does not parse", said) end
  end
end

local function runner_of(block)
  local mode, rest = block.words:match("^(%l+)%s*(.*)$")
  local how, why = block.words:match("^(%l+),%s*(.*)$")
  if how == "parsed" or how == "shown" then
    return function() return not_run(block, how, why) end
  elseif mode and run[block.language .. " " .. mode] then
    return function() return run[block.language .. " " .. mode](block, rest) end
  elseif run[block.language] and (block.language == "sql" or block.words == "") then
    return function() return run[block.language](block, block.words) end
  elseif block.language == "text" and mode == "format" then
    return function() end
  end
end

-- What `./shoal` is for a page: the program, without a window and for a few ticks; what builds and tests is only looked
-- at: is there such a command, and such an option?
local WRAPPER = [[
#!/bin/sh
word=${1-help}
case $word in
  play | run)
    shift
    case " $* " in *" --headless "*) ;; *) set -- "$@" --headless ;; esac
    case " $* " in *" --ticks "* | *" --replay "*) ;; *) set -- "$@" --ticks 30 ;; esac
    exec SHOAL "$word" "$@" --no-watch ;;
  sql | version | --version) exec SHOAL "$@" ;;
  new | new-plugin | help) exec ROOT/shoal "$@" ;;
esac
ROOT/shoal help | grep -q "^\./shoal $word\( \|$\)" || { echo "there is no command $word"; exit 2; }
shift
for option; do
  case $option in
    -*)
      grep -qe "$option" ROOT/shoal ROOT/tests/run ROOT/tests/bench/run && continue
      echo "there is no option $option"
      exit 2
      ;;
  esac
done
]]

local function snippets()
  page = { folder = tmp .. "/" .. page_path:gsub("/", "_"), game = "mygame", files = {} }
  os.execute(("rm -rf %s && mkdir -p %s"):format(quoted(page.folder), quoted(page.folder)))
  write(page.folder .. "/shoal", (WRAPPER:gsub("ROOT", root):gsub("SHOAL", shoal)))
  os.execute(("cd %s && chmod +x shoal && ln -s ROOT/engine ROOT/scripts ROOT/assets ."):gsub("ROOT", quoted(root))
    :format(quoted(page.folder)))
  local blocks = blocks_of(read(root .. "/" .. page_path))
  for i, block in ipairs(blocks) do
    local runner = runner_of(block)
    if not runner then
      wrong(block.line, "`%s %s` does not say how this block is run, or why it is not", block.language, block.words)
    else
      local is_output = block.language == "text" and (block.words == "output" or block.words == "like")
      local is_chunk = block.words == "exec" or is_output
      if not is_chunk then run_chunks() end
      if not (block.words:find("^reload") or is_output) then stop_running() end
      runner()
      local next_one = blocks[i + 1] and blocks[i + 1].language
      if block.reloads and next_one ~= "text" and not page.said:find("reloaded ", 1, true) then
        fails(block, "it is not taken in", page.said)
      end
    end
  end
  run_chunks()
  stop_running()
  settle()
end

-- ---- the tour: every FILE:FUNCTION in `code` is there

local function escaped(name)
  return (name:gsub("%p", "%%%0"))
end

-- A definition in C begins its line, and its line is no declaration; in Lua it is assigned or declared.
local function defines(text, path, name)
  local last = escaped(name:match("[^.:]+$"))
  if path:find("%.lua$") then
    return text:find("function [%w_.:]-" .. last .. "%s*%(") or text:find("%f[%w_]" .. last .. "%s*=")
  elseif path:find("%.[ch]$") then
    for line in text:gmatch("[^\n]+") do
      if line:find("^[%a][%w_%s*]-%f[%w_]" .. last .. "%(") and not line:find(";%s*$") then return true end
      if line:find("^#define " .. last .. "%f[^%w_]") or line:find("^} " .. last .. ";") then return true end
    end
    return false
  end
  return text:find("%f[%w_]" .. last .. "%f[^%w_]")
end

-- Where else a function of that name is, for a file that has moved.
local function where_else(name)
  for _, path in ipairs(list("find engine scripts -name '*.c' -o -name '*.lua'")) do
    if defines(read(root .. "/" .. path) or "", path, name) then return ("; there is one in %s"):format(path) end
  end
  return ""
end

local function tour()
  local _, prose = blocks_of(read(root .. "/" .. page_path))
  local count = 0
  for number, line in ipairs(prose) do
    for path, name in line:gmatch("`([%l_][%w_/.%-]*%.%l+):([%a_][%w_.:]*)`") do
      count = count + 1
      local text = read(root .. "/" .. path)
      if not text then
        wrong(number, "there is no %s%s", path, where_else(name))
      elseif not defines(text, path, name) then
        wrong(number, "%s has no %s%s", path, name, where_else(name))
      end
    end
  end
  if count < 60 then wrong(1, "only %d functions are named", count) end
end

-- ---- options and messages

local function set_of(text, pattern)
  local out = {}
  for word in text:gmatch(pattern) do out[word] = true end
  return out
end

local function compare(a, b, format)
  local names = {}
  for name in pairs(a) do
    if not b[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do wrong(1, format, name) end
end

-- The rows of a page's table of keys, with the words of the help.
local function host_keys()
  local help, count = output(quoted(shoal) .. " --help"), 0
  local rows = read(root .. "/" .. page_path):match("\n| key | does |\n|[-|]*(.-)\n\n") or ""
  for row in rows:gmatch("\n([^\n]*)") do
    local key, does = row:match("^| (%S+) | ([^|]+) |$")
    if not key or not help:find(("\n  %s: %s\n"):format(key, does), 1, true) then
      wrong(1, "the help has no line for the row %s", row)
    end
    count = count + 1
  end
  if count < 4 then wrong(1, "only %d keys are listed", count) end
end

local function options()
  local text = read(root .. "/" .. page_path)
  local help = output(quoted(shoal) .. " --help") .. output(quoted(root .. "/shoal") .. " help")
  local known = set_of(output("cat " .. root .. "/engine/*/options.c"), '%f[%S]{"(%-%-[%l-]+)", VALUE')
  known["--hash"] = true -- it has a parser of its own
  local listed, helped = {}, set_of(help, "%-%-%l[%l-]*")
  for line in text:gmatch("\n| ([^\n]*)") do
    for option in line:match("^[^|]*"):gmatch("%-%-%l[%l-]*") do listed[option] = true end
  end
  compare(helped, listed, "the help has an option %s, and no table of this page")
  compare(listed, helped, "a table has an option %s, and the help has not")
  compare(known, helped, "the program takes %s, and the help does not say so")
  local words = set_of("\n" .. output(quoted(root .. "/shoal") .. " help"), "\n%./shoal ([%l-]+)")
  local said = set_of(text, "`%./shoal ([%l-]+)")
  compare(words, said, "the help has a command %s, and this page has not")
  compare(said, words, "this page has a command %s, and the help has not")
  local keys = set_of(help:match("keys in a window:(.-)\nexit") or "", "%f[%w](%u?%l*%+?F%d+)%f[^%w]")
  local keys_here = set_of(text, "| `([%w+]*F%d+)`")
  compare(keys, keys_here, "the help has a key %s, and this page has not")
  compare(keys_here, keys, "this page has a key %s, and the help has not")
end

-- The text of every message: C's and Lua's literals, put together where they are cut.
local function literals()
  local parts = {}
  for _, path in ipairs(list("find engine scripts/shoal -name '*.c' -o -name '*.h' -o -name '*.lua'")) do
    parts[#parts + 1] = read(root .. "/" .. path)
  end
  local text = table.concat(parts, "\n")
  text = text:gsub('"%s*\n%s*"', ""):gsub('"%s*%.%.%s*"', ""):gsub('\\"', '"')
  return text
end

-- What is in the first column of its tables is said by the program, piece by piece between the …
local function messages()
  local said, count = literals(), 0
  for number, line in ipairs(lines_of(read(root .. "/" .. page_path))) do
    local message = line:match("^| `([^`]+)`")
    if message then
      count = count + 1
      local looked
      for piece in (message .. "…"):gmatch("(.-)…") do
        piece = trimmed(piece)
        if #piece >= 6 then
          looked = true
          if not said:find(piece, 1, true) then wrong(number, "no message has '%s' in it", piece) end
        end
      end
      if not looked then wrong(number, "'%s' says too little to be found", message) end
    end
  end
  if count < 20 then wrong(1, "only %d messages", count) end
end

-- Every name of the definitions for editors stands on the page or on the page of rare words, and each `world.x` of
-- these pages is one of them.
local function names()
  local text = read(root .. "/" .. page_path) .. read(root .. "/engine/docs/advanced.md")
  local types = read(root .. "/scripts/types/shoal.lua")
  for table_name, name in types:gmatch("\nfunction (%l+)%.([%l_]+)%(") do
    if not text:find(table_name .. "%." .. name .. "%f[^%w_]") then
      wrong(1, "%s.%s is neither on this page nor on advanced.md", table_name, name)
    end
  end
  for name in types:gmatch("\nfunction Entity:([%l_]+)%(") do
    if not text:find("e:" .. name .. "%f[^%w_]") then
      wrong(1, "e:%s is neither on this page nor on advanced.md", name)
    end
  end
  for table_name, name in text:gmatch("%f[%w](%l+)%.([%l_]+)%f[^%w_]") do
    local is_ours = ("world draw audio input assets log"):find("%f[%w]" .. table_name .. "%f[^%w]")
      and name ~= "lua" and name ~= "md"
    local is_known = types:find(("\nfunction %s%%.%s%%("):format(table_name, name))
      or types:find("\n%-%-%-@field " .. name .. " ") or types:find(("\n%s%%.%s ="):format(table_name, name))
    if is_ours and not is_known then wrong(1, "%s.%s is in no definition", table_name, name) end
  end
end

-- The last column of its table names what is there: in the code, or as a file.
local function glossary()
  local text, count = literals(), 0
  for number, line in ipairs(lines_of(read(root .. "/" .. page_path))) do
    for span in (line:match("^| [^|]+|[^|]+|([^|]+)|") or ""):gmatch("`([^`]+)`") do
      local name = span:match("^[%w_]+%.lua$") or span:match("^[%w_]+%.c$")
      count = count + 1
      if name and #list("find engine scripts tests -name " .. name) == 0 then
        wrong(number, "there is no file %s", name)
      elseif span:find("^[%w_]+$") and not text:find("%f[%w_]" .. span .. "%f[^%w_]") then
        wrong(number, "there is no %s in the code", span)
      end
    end
  end
  if count < 40 then wrong(1, "only %d names", count) end
end

-- Every package that ./shoal installs is named.
local function packages()
  local text, script = read(root .. "/" .. page_path), read(root .. "/shoal")
  for list_name in ("player developer"):gmatch("%l+") do
    for name in script:match("\n" .. list_name .. '_packages="(.-)"'):gmatch("%S+") do
      if not text:find("[%s`]" .. escaped(name) .. "[%s`]") then wrong(1, "the package %s is not named", name) end
    end
  end
end

-- ---- the lines that tools read: N a whole number, X one with a point, H sixteen hex digits, NAME a word, TEXT the
-- rest

local FORMS = { N = "%d+", X = "%d+%.%d+", H = ("[0-9a-f]"):rep(16), NAME = "[%w_.-]+", TEXT = ".+" }

local function formats()
  local patterns = {}
  for _, block in ipairs((blocks_of(read(root .. "/" .. page_path)))) do
    if block.language == "text" and block.words:find("^format") then
      for _, line in ipairs(block.lines) do
        patterns[#patterns + 1] = { "^" .. shown(line):gsub("%f[%w]%u+%f[%W]", FORMS) .. "$", block.line, line }
      end
    end
  end
  local said = output(quoted(shoal)
    .. " play asteroids --headless --no-watch --log none --ticks 60 --native now --hash every=30 --history 8 --stats")
    .. output(quoted(shoal) .. " run " .. quoted(root .. "/tests/scenarios/games/parked")
      .. " --headless --no-watch --log none --ticks 30 --stats | grep ^stats:")
    .. output(quoted(shoal) .. " run " .. quoted(root .. "/tests/scenarios/games/workers")
      .. " --headless --no-watch --log none --ticks 10 --workers 2 --stats | grep '^stats: together'")
  for _, line in ipairs(lines_of(said)) do
    local found
    for _, pattern in ipairs(patterns) do
      if line:find(pattern[1]) then
        found, pattern.used = true, true
      end
    end
    if not found then wrong(1, "no format has the line '%s'", line) end
  end
  for _, pattern in ipairs(patterns) do
    if not pattern.used then wrong(pattern[2], "nothing prints '%s'", pattern[3]) end
  end
end

local CHECKS = {
  links = links, paths = paths, opening = opening, length = length, snippets = snippets, tour = tour, options = options,
  messages = messages, names = names, glossary = glossary, formats = formats, packages = packages, keys = host_keys,
}
for i = 2, #arg do
  page_path = arg[i]
  CHECKS[arg[1]]()
end
os.exit(problems == 0 and 0 or 1)
