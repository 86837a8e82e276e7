-- Checks README.md and engine/docs for tests/scenarios/pages.sh: luajit pages.lua CHECK PAGE…. Prints errors and
-- exits with 1. `snippets` runs the fenced blocks; the text after a fence's language says how:
--
--   lua game                 files of a game, each after a line `-- GAME/path.lua`; the game runs 60 ticks, --strict
--   lua refused              the same, but the game must fail to start (exit 1); later blocks do not have these files
--   lua reload               files saved into the game while it runs
--   lua exec                 a chunk of --exec;  lua exec at=N: run by a system in tick N
--   json game FILE, text game FILE, json reload FILE     another file of the game
--   c plugin NAME            built in the plugins/ folder of the game;  c reload NAME: while the game runs
--   c++ plugin NAME          the same in C++17
--   c part                   declarations of a plugin, compiled with all headers for plugins, but not run
--   c program NAME           linked with the installed library and run
--   sql GAME [OPTIONS]       run against the world of a game
--   sh                       run line by line, `./shoal play` and `run` without a window and for a few ticks
--   console                  `$ COMMAND` lines (continued by `> `) are run, and must print the lines below them
--   text output              lines that the preceding block has printed, in this order; … matches anything
--   console like, text like  the same, but numbers may differ
--   text format              lines printed by --hash and --stats, see `formats`
--   lua step, diff step      generated from the steps' folders by engine/docs/site/steps.lua (tutorial.sh)
--   LANGUAGE parsed, WHY     not run, for this reason, but must parse;  LANGUAGE shown, WHY: neither
--
-- An HTML comment that begins with such a text, `<!-- lua game`, is a hidden block.

local root, tmp, shoal = os.getenv("root"), os.getenv("tmp"), os.getenv("release")
local SLOW = tonumber(os.getenv "SLOW") or 100 -- see tests/run
local page_path -- the page being checked
local problems = 0

local function report(line, format, ...)
  problems = problems + 1
  print(("%s:%d: "):format(page_path or "pages", line) .. format:format(...))
end

-- --- files and commands

local function read_file(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local function write_file(path, text)
  os.execute(("mkdir -p '%s'"):format(path:match("^(.*)/")))
  local file = assert(io.open(path .. ".new", "wb"))
  file:write(text)
  file:close()
  assert(os.rename(path .. ".new", path)) -- atomically, like editors
end

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Returns the command's output on stdout and stderr, and its exit status.
local function run_command(command)
  local pipe = assert(io.popen(("{ %s\n} </dev/null 2>&1; echo \"exit $?\""):format(command)))
  local text = pipe:read("*a")
  pipe:close()
  local printed, status = text:match("^(.*)exit (%d+)%s*$")
  return printed, tonumber(status)
end

local function lines_of(text)
  local out = {}
  for line in (text:find("\n$") and text or text .. "\n"):gmatch("(.-)\n") do out[#out + 1] = line end
  return out
end

-- Returns the lines that a command prints in the root folder.
local function list_output(command)
  local out = {}
  for line in run_command("cd " .. quote(root) .. " && " .. command):gmatch("[^\n]+") do out[#out + 1] = line end
  return out
end

-- --- a page: its blocks and its prose

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
      local language, attributes = (info or hidden):match("^(%S*)%s*(.*)$")
      open = { line = number, language = language, attributes = attributes, hidden = hidden ~= nil, lines = {} }
    else
      prose[number] = line
    end
    prose[number] = prose[number] or ""
  end
  if open then report(open.line, "unterminated block") end
  return blocks, prose
end

-- Removes code spans, which may look like links.
local function without_code(line)
  return (line:gsub("`[^`]*`", ""))
end

-- --- links

local function make_slug(heading)
  heading = heading:gsub("%[([^%]]*)%]%b()", "%1"):gsub("[`*]", ""):lower()
  return (heading:gsub("[^%w%s_%-\128-\255]", ""):gsub("%s", "-"))
end

local anchors = {} -- { [page] = set of the slugs of its headings }

local function anchors_of(path)
  if not anchors[path] then
    local text, seen = read_file(path), {}
    anchors[path] = seen
    local _, prose = blocks_of(text or "")
    for _, line in ipairs(prose) do
      local heading = line:match("^#+%s+(.*)$")
      if heading then seen[make_slug(heading)] = true end
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
    report(number, "broken link %s", target)
  elseif anchor ~= "" and not anchors_of(full)[anchor] then
    report(number, "%s has no heading #%s", path == "" and "this page" or path, anchor)
  end
end

local function check_links()
  local here = root .. "/" .. page_path
  local _, prose = blocks_of(read_file(here))
  for number, line in ipairs(prose) do
    for target in without_code(line):gmatch("%]%(([^)%s]+)%)") do check_link(here, number, target) end
  end
end

-- Checks that the paths in code spans exist, if they begin with a folder of the tree and contain no placeholders.
local function check_paths()
  local _, prose = blocks_of(read_file(root .. "/" .. page_path))
  for number, line in ipairs(prose) do
    for span in line:gmatch("`([^`]+)`") do
      local path = span:match("^([%l_]+/[%w_./%-]+)$") or span:match("^([%l_]+/[%w_./%-]+):[%w_.:]+$")
      if path and path:find("^engine/") or path and path:find("^scripts/") or path and path:find("^tests/")
        or path and path:find("^assets/%l+/") then
        if not path:find("%u%u") and not exists(root .. "/" .. path) then report(number, "%s does not exist", path) end
      end
    end
  end
end

-- Checks that the games, examples and plugins named in the page exist, and that it names at least 25.
local function check_shown_names()
  local folders = { game = "scripts/games/", example = "scripts/examples/", plugin = "engine/plugins/" }
  local _, prose = blocks_of(read_file(root .. "/" .. page_path))
  local count = 0
  for number, line in ipairs(prose) do
    for kind, names in line:gmatch("%f[%a](%l+)s? (`[%l_]+`[%l_`, ]*)") do
      for name in names:gmatch("`([%l_]+)`") do
        local folder = folders[kind:gsub("s$", "")]
        count = count + (folder and 1 or 0)
        if folder and not exists(root .. "/" .. folder .. name) then
          report(number, "%s%s does not exist", folder, name)
        end
      end
    end
  end
  if count < 25 then report(1, "only %d games, examples and plugins", count) end
end

-- --- the first paragraph of a page, and the length of the README

local function check_opening()
  local lines = lines_of(read_file(root .. "/" .. page_path))
  local first, number = {}, 3
  while lines[number] and lines[number] ~= "" do
    first[#first + 1] = lines[number]
    number = number + 1
  end
  local sentence = table.concat(first, " ")
  if not (lines[1] or ""):find("^# %S") or lines[2] ~= "" then
    report(1, "a page must begin with its title and an empty line")
  elseif not sentence:find("%.$") or select(2, sentence:gsub("[.?!] %u", "")) > 0 then
    report(3, "the first paragraph must be one sentence about the page's purpose")
  end
end

local function check_length()
  local _, words = read_file(root .. "/README.md"):gsub("<!%-%-.-%-%->", ""):gsub("%S*%w%S*", "")
  if words < 600 or words > 800 then report(1, "%d words: the README must have 600 to 800", words) end
end

-- --- snippets

local page -- state of the page whose snippets run: { folder, game, files, changed, printed, … }

local MAX_LINES = 12 -- maximum number of output lines quoted in an error

local function report_failure(block, what, printed)
  local lines = lines_of(printed)
  while #lines > MAX_LINES do table.remove(lines, 1) end
  report(block.line, "%s; output:\n    %s", what, (table.concat(lines, "\n    ")))
end

local function escape_expected(text)
  return (text:gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0"):gsub("…", ".*"))
end

-- Returns a pattern for the whole line; with `like`, numbers may differ.
local function pattern_of(line, like)
  if like then line = line:gsub("%-?%d+%.?%d*", "\1") end
  return "^" .. escape_expected(line):gsub("\1", "%%-?[%%d.]+") .. "$"
end

local function trim(line)
  return (line:gsub("^%s+", ""):gsub("%s+$", ""))
end

-- Returns true if the lines `expected` occur in `printed` in this order; otherwise false and the missing line.
local function is_among(expected, printed, like)
  local at, all = 1, lines_of(printed)
  for _, line in ipairs(expected) do
    local pattern = pattern_of(trim(line), like)
    while all[at] and not trim(all[at]):find(pattern) do at = at + 1 end
    if not all[at] and trim(line) ~= "…" then return false, line end
    at = at + 1
  end
  return true
end

-- Returns true if all lines match in order; a line … matches any number of lines.
local function is_exactly(expected, printed, like)
  local function match(i, j)
    if i > #expected then return j > #printed end
    if trim(expected[i]) == "…" then
      for k = j, #printed + 1 do
        if match(i + 1, k) then return true end
      end
      return false
    end
    local pattern = pattern_of(trim(expected[i]), like)
    return printed[j] ~= nil and trim(printed[j]):find(pattern) ~= nil and match(i + 1, j + 1)
  end
  return match(1, 1)
end

local function page_command(command)
  local command_in = "cd DIR && PATH=DIR:$PATH SHOAL=DIR XDG_DATA_HOME=DIR/data timeout -k 2 %d "
  return command_in:format(6 * SLOW):gsub("DIR", quote(page.folder)) .. command
end

local function run_game(options)
  local command = ("%s run %s --headless --no-watch %s"):format(quote(shoal), page.game, options)
  return run_command(page_command(command))
end

-- Splits a block into files, each starting with a line `-- path.lua`.
local function files_of(block)
  local files, current = {}, nil
  for _, line in ipairs(block.lines) do
    local path = line:match("^%-%- ([%w_/%-]+%.lua)%f[^%w]") or line:match("^%-%- ([%w_/%-]+%.lua)$")
    if path then
      current = { lines = {} }
      files[#files + 1] = current
      local game, rest = path:match("^(%l[%w_]*)/(.+)$")
      local is_part = game and (rest == "game.lua" or game == page.game or game == block.game
        or read_file(page.folder .. "/" .. game .. "/game.lua")) -- created by ./shoal new
      if is_part then page.game, current.path = game, rest else current.path = path end
      if is_part then block.game = game end
    end
    if current then table.insert(current.lines, line) end
  end
  if #files == 0 then report(block.line, "missing line `-- path.lua`") end
  return files
end

local function game_folder(game)
  return page.folder .. "/" .. (game or page.game)
end

-- Creates game.lua for a page that does not show one.
local function create_missing_game()
  local path = game_folder() .. "/game.lua"
  if not exists(path) then write_file(path, 'return { title = "page" }\n') end
end

local function save_lines(path, lines)
  write_file(game_folder() .. "/" .. path, table.concat(lines, "\n") .. "\n")
  create_missing_game()
end

-- Runs the game if it has changed since its last run.
local function run_changed_game()
  if page.changed then
    local block = page.changed
    page.changed = nil
    local printed, status = run_game("--strict --ticks 60")
    page.printed = printed
    if status ~= 0 then report_failure(block, "the game fails", printed) end
  end
end

-- Runs the consecutive --exec chunks in page.chunks in one process.
local function run_chunks()
  local chunks = page.chunks
  page.chunks = nil
  if not chunks then return end
  create_missing_game()
  local options = {}
  for i, block in ipairs(chunks) do
    options[#options + 1] = "--exec " .. quote(table.concat(block.lines, "\n"))
    options[#options + 1] = "--exec " .. quote(("print('\\30 %d')"):format(i))
  end
  local printed, status = run_game("--strict --history 16 --ticks 60 " .. table.concat(options, " "))
  if status ~= 0 then report_failure(chunks[1], "a chunk failed", printed) end
  for i, block in ipairs(chunks) do
    block.printed, printed = printed:match("^(.-)\30 " .. i .. "\n(.*)$")
    block.printed, printed = block.printed or "", printed or ""
  end
  chunks[#chunks].printed = chunks[#chunks].printed .. printed
  for _, expected in ipairs(page.expected or {}) do
    local good, line = is_among(expected.lines, expected.of.printed)
    if not good then report_failure(expected, ("missing '%s' in the output"):format(line), expected.of.printed) end
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
  for _ = 1, 48 * SLOW do
    local text = read_file(log) or ""
    if text:find(pattern, from) or other and text:find(other, from) then return text end
    os.execute("sleep 0.05")
  end
  return read_file(log) or ""
end

-- Starts a copy of the game with --watch, and waits until it runs.
local function start_running(block)
  local copy = page.folder .. "/running"
  page.log = page.folder .. "/log"
  os.execute(("rm -rf %s && cp -R %s %s"):format(quote(copy), quote(game_folder()), quote(copy)))
  write_file(page.log, "")
  local command = ("cd %s && timeout -k 2 %d %s run running --headless --watch --history 16 --ticks 1000000000000"
    .. " --exec 'print(\"runs\")' >log 2>&1 </dev/null & echo $!"):format(quote(page.folder), 12 * SLOW, quote(shoal))
  local pipe = io.popen(command)
  page.running = pipe:read("*l")
  pipe:close()
  local text = wait_for(page.log, 1, "runs\n")
  if not text:find("runs\n") then report_failure(block, "the game does not start", text) end
  page.log_end = #text + 1
end

local run = {}

run["lua game"] = function(block)
  local former = page.game
  local files = files_of(block) -- may select another game
  local selected = page.game
  page.game = former
  for _, file in ipairs(files) do
    if page.files[file.path] then run_changed_game() end -- the block has a new version of this file
  end
  page.game = selected
  for _, file in ipairs(files) do
    page.files[file.path] = true
    save_lines(file.path, file.lines)
  end
  page.changed = block
end

local function other_file(block, path)
  save_lines(path, block.lines)
  page.changed = block
end
run["json game"], run["text game"] = other_file, other_file

run["lua refused"] = function(block)
  run_changed_game()
  local kept = {}
  for i, file in ipairs(files_of(block)) do
    local path = game_folder() .. "/" .. file.path
    kept[i] = { path, read_file(path) }
    save_lines(file.path, file.lines)
  end
  local printed, status = run_game("--ticks 60")
  page.printed = printed
  if status ~= 1 then report_failure(block, "expected a refusal", printed) end
  for _, file in ipairs(kept) do
    if file[2] then write_file(file[1], file[2]) else os.remove(file[1]) end
  end
end

-- Saves files into the running copy of the game with save_files(folder), and waits until they are reloaded or refused.
local function reload(block, save_files)
  run_changed_game()
  if not page.running then start_running(block) end
  save_files(page.folder .. "/running/")
  local text = wait_for(page.log, page.log_end, "reloaded [^\n]*\n", "reload refused[^\n]*\n")
  page.printed, page.log_start = text:sub(page.log_end), page.log_end
  page.log_end = #text + 1
  block.reloads = true
end

run["lua reload"] = function(block)
  reload(block, function(folder)
    for _, file in ipairs(files_of(block)) do
      write_file(folder .. file.path, table.concat(file.lines, "\n") .. "\n")
    end
  end)
end

run["json reload"] = function(block, path)
  reload(block, function(folder) write_file(folder .. path, table.concat(block.lines, "\n") .. "\n") end)
end

run["lua exec"] = function(block, attributes)
  run_changed_game()
  local tick = attributes:match("at=(%d+)")
  if not tick then
    page.chunks = page.chunks or {}
    table.insert(page.chunks, block)
    page.chunk = block
    return true
  end
  -- The chunk runs once, even if a rewind repeats its tick. Only a game with `tests = true` may keep state in the local
  -- `done`.
  local game = read_file(game_folder() .. "/game.lua")
  write_file(game_folder() .. "/game.lua", (game:gsub("return {", "return { tests = true,", 1)))
  save_lines("systems/of_the_page.lua", { "local done", "return { phase = 'post_update', update = function()",
    ("if world.tick == %s and not done then done = true"):format(tick), table.concat(block.lines, "\n"), "end end }" })
  local printed, status = run_game(("--strict --history 16 --ticks %d"):format(tick + 30))
  page.printed = printed
  if status ~= 0 then report_failure(block, "the chunk failed", printed) end
  write_file(game_folder() .. "/game.lua", game)
  os.remove(game_folder() .. "/systems/of_the_page.lua")
end

local function build_plugin(block, name, folder, cpp)
  local source, library = page.folder .. "/" .. name .. (cpp and ".cpp" or ".c"), folder .. "/plugins/" .. name .. ".so"
  write_file(source, table.concat(block.lines, "\n") .. "\n")
  local warnings = "-Wall -Wextra -Wshadow -Wconversion -Werror -Wno-unused-parameter"
  if cpp then warnings = warnings .. " -Wno-missing-field-initializers" end
  local build = "mkdir -p {folder}/plugins && {compiler} {warnings} -ffp-contract=off -fPIC -shared "
    .. "-I{root}/engine/include -O1 -o {library}.new {source} && mv {library}.new {library}"
  local printed, status = run_command((build:gsub("{(%l+)}", { root = quote(root), folder = quote(folder),
    compiler = cpp and "${CXX:-c++} -std=c++17" or "${CC:-cc} -std=c11",
    warnings = warnings, library = quote(library), source = quote(source) })))
  if status ~= 0 then report_failure(block, "the plugin does not compile", printed) end
end

run["c plugin"] = function(block, name) build_plugin(block, name, game_folder()) end
run["c++ plugin"] = function(block, name) build_plugin(block, name, game_folder(), true) end
run["c part"] = function(block)
  local source = page.folder .. "/part.c"
  local lines = { "#include <shoal/builtin.h>" }
  for header in ("asset call command draw external_resources input job near observe plugin profile sound table")
    :gmatch("%l[%l_]*") do
    lines[#lines + 1] = ("#include <shoal/%s.h>"):format(header)
  end
  lines[#lines + 1] = ("#line %d \"%s\""):format(block.line + 1, page_path)
  write_file(source, table.concat(lines, "\n") .. "\n" .. table.concat(block.lines, "\n") .. "\n")
  local check = "${CC:-cc} -std=c11 -fsyntax-only -Wall -Wextra -Wshadow -Werror -Wno-unused -Wno-unused-parameter "
    .. "-I%s %s"
  local printed, status = run_command(check:format(quote(root .. "/engine/include"), quote(source)))
  if status ~= 0 then report_failure(block, "the code does not compile", printed) end
end
run["c reload"] = function(block, name)
  reload(block, function(folder) build_plugin(block, name, folder) end)
end

run["lua step"] = function() end
run["diff step"] = run["lua step"]

run["c program"] = function(block, name)
  local source = page.folder .. "/" .. name .. ".c"
  write_file(source, table.concat(block.lines, "\n") .. "\n")
  local package = table.concat(block.lines, "\n"):find("shoal/host.h", 1, true) and "shoal" or "shoal-ecs"
  if not page.installed then
    page.installed = page.folder .. "/installed"
    local printed, status = run_command(("sh %s/scripts/build/install.sh --prefix %s"):format(quote(root),
      quote(page.installed)))
    if status ~= 0 then report_failure(block, "cannot install the library", printed) end
  end
  local build = "export PKG_CONFIG_PATH={at}/lib/pkgconfig LD_LIBRARY_PATH={at}/lib\n"
    .. "${CC:-cc} -std=c11 -Wall -Wextra "
    .. "-Werror {source} -o {name} $(pkg-config --cflags --libs {package}) && ./{name}"
  local values = { source = quote(source), name = name, package = package, at = quote(page.installed) }
  local printed, status = run_command(page_command("sh -euc " .. quote((build:gsub("{(%l+)}", values)))))
  page.printed = printed
  if status ~= 0 then report_failure(block, "the program does not build or run", printed) end
end

run["sql"] = function(block, attributes)
  run_changed_game()
  local where = attributes:gsub("^%S+", function(game) return exists(game_folder(game)) and "./" .. game or game end)
  local query = quote("\n" .. table.concat(block.lines, "\n"))
  local printed, status = run_command(page_command(("%s sql %s %s"):format(quote(shoal), where, query)))
  page.printed = printed
  if status ~= 0 then report_failure(block, "the query failed", printed) end
end

run["sh"] = function(block)
  run_changed_game()
  local printed, status = run_command(page_command("sh -euc " .. quote(table.concat(block.lines, "\n"))))
  page.printed = printed
  if status ~= 0 then report_failure(block, "the command failed", printed) end
end

run["console like"] = function(block) run["console"](block) end
run["console"] = function(block)
  run_changed_game()
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
    local printed = run_command(page_command("sh -c " .. quote(step.command)))
    if not is_exactly(step.lines, printed == "" and {} or lines_of(printed), block.attributes == "like") then
      report_failure(block, ("unexpected output of `%s`"):format(step.command), printed)
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
  run_changed_game()
  local good, line = is_among(block.lines, page.printed or "", block.attributes == "like")
  for _ = 1, page.running and 2400 or 0 do -- a running game may print more
    if good then break end
    os.execute("sleep 0.05")
    page.printed = read_file(page.log):sub(page.log_start)
    page.log_end = page.log_start + #page.printed
    good, line = is_among(block.lines, page.printed, block.attributes == "like")
  end
  if not good then report_failure(block, ("missing '%s' in the output"):format(line), page.printed or "") end
end
run["text like"] = run["text output"]

local PARSERS = { lua = "luajit -bl - /dev/null", sh = "sh -n", console = "true", json = "true", c = "true" }

-- Checks a block that is not run: it needs a reason and, if it is marked `parsed`, valid syntax.
local function check_unrun_block(block, how, why)
  if select(2, why:gsub("%S+", "")) < 3 then
    report(block.line, "`%s` needs a reason: `%s %s, it opens a window`", how, block.language, how)
  end
  local parser = how == "parsed" and PARSERS[block.language]
  if how == "parsed" and not parser then
    report(block.line, "no parser for %s", block.language)
  elseif parser then
    write_file(page.folder .. "/parsed", table.concat(block.lines, "\n") .. "\n")
    local input = quote(page.folder .. "/parsed")
    local printed, status = run_command(parser:gsub("%-$", "") .. " < " .. input .. " >/dev/null")
    if status ~= 0 then report_failure(block, "syntax error", printed) end
  end
end

local function runner_of(block)
  local mode, rest = block.attributes:match("^(%l+)%s*(.*)$")
  local how, why = block.attributes:match("^(%l+),%s*(.*)$")
  if how == "parsed" or how == "shown" then
    return function() return check_unrun_block(block, how, why) end
  elseif mode and run[block.language .. " " .. mode] then
    return function() return run[block.language .. " " .. mode](block, rest) end
  elseif run[block.language] and (block.language == "sql" or block.attributes == "") then
    return function() return run[block.language](block, block.attributes) end
  elseif block.language == "text" and mode == "format" then
    return function() end
  end
end

-- `./shoal` of a page's snippets: runs the program headless for a few ticks. For commands that build or test, it only
-- checks that the command and its options exist.
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
ROOT/shoal help | grep -q "^\./shoal $word\( \|$\)" || { echo "unknown command $word"; exit 2; }
shift
for option; do
  case $option in
    -*)
      grep -qe "$option" ROOT/shoal ROOT/tests/run ROOT/tests/bench/run && continue
      echo "unknown option $option"
      exit 2
      ;;
  esac
done
]]

local function run_snippets()
  page = { folder = tmp .. "/" .. page_path:gsub("/", "_"), game = "mygame", files = {} }
  os.execute(("rm -rf %s && mkdir -p %s"):format(quote(page.folder), quote(page.folder)))
  write_file(page.folder .. "/shoal", (WRAPPER:gsub("ROOT", root):gsub("SHOAL", shoal)))
  os.execute(("cd %s && chmod +x shoal && ln -s ROOT/engine ROOT/scripts ROOT/assets ."):gsub("ROOT", quote(root))
    :format(quote(page.folder)))
  local blocks = blocks_of(read_file(root .. "/" .. page_path))
  for i, block in ipairs(blocks) do
    local runner = runner_of(block)
    if not runner then
      report(block.line, "`%s %s`: unknown way to run this block", block.language, block.attributes)
    else
      local is_output = block.language == "text" and (block.attributes == "output" or block.attributes == "like")
      local is_chunk = block.attributes == "exec" or is_output
      if not is_chunk then run_chunks() end
      if not (block.attributes:find("^reload") or is_output) then stop_running() end
      runner()
      local next_one = blocks[i + 1] and blocks[i + 1].language
      if block.reloads and next_one ~= "text" and not page.printed:find("reloaded ", 1, true) then
        report_failure(block, "the reload failed", page.printed)
      end
    end
  end
  run_chunks()
  stop_running()
  run_changed_game()
end

-- --- the tour: every FILE and FILE:FUNCTION in `code` exists; C files are relative to engine/

local function escape_name(name)
  return (name:gsub("%p", "%%%0"))
end

-- Returns a true value if a file defines `name`. In C a definition starts a line that does not end in a semicolon; in
-- Lua it is an assignment or a function.
local function defines(text, path, name)
  local last = escape_name(name:match("[^.:]+$"))
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

-- Returns a hint that names another file with the function, in case it has moved.
local function find_other_file(name)
  for _, path in ipairs(list_output("find engine scripts -name '*.c' -o -name '*.lua'")) do
    if defines(read_file(root .. "/" .. path) or "", path, name) then return ("; found in %s"):format(path) end
  end
  return ""
end

-- Returns the path of a C file that a page names in the form of an #include: engine/ecs/schema/columns.c for
-- schema/columns.c.
local function source_path(name)
  return list_output(("find engine -path '*/%s'"):format(name))[1] or "engine/" .. name
end

local function check_tour()
  local _, prose = blocks_of(read_file(root .. "/" .. page_path))
  local count = 0
  for number, line in ipairs(prose) do
    for path in line:gmatch("`([%l_]+/[%w_/]+%.[ch])`") do
      if not exists(root .. "/" .. source_path(path)) then report(number, "%s does not exist", path) end
    end
    for path, name in line:gmatch("`([%l_][%w_/.%-]*%.%l+):([%a_][%w_.:]*)`") do
      count = count + 1
      path = path:find("%.[ch]$") and source_path(path) or path
      local text = read_file(root .. "/" .. path)
      if not text then
        report(number, "%s does not exist%s", path, find_other_file(name))
      elseif not defines(text, path, name) then
        report(number, "%s has no %s%s", path, name, find_other_file(name))
      end
    end
  end
  if count < 60 then report(1, "only %d functions", count) end
end

-- --- options and messages

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
  for _, name in ipairs(names) do report(1, format, name) end
end

-- Checks that the rows of the page's table of keys match the help.
local function check_host_keys()
  local help, count = run_command(quote(shoal) .. " --help"), 0
  local rows = read_file(root .. "/" .. page_path):match("\n| key | effect |\n|[-|]*(.-)\n\n") or ""
  for row in rows:gmatch("\n([^\n]*)") do
    local key, does = row:match("^| (%S+) | ([^|]+) |$")
    if not key or not help:find(("\n  %s: %s\n"):format(key, does), 1, true) then
      report(1, "the help has no line for the row %s", row)
    end
    count = count + 1
  end
  if count < 4 then report(1, "only %d keys are listed", count) end
end

local function check_options()
  local text = read_file(root .. "/" .. page_path)
  local help = run_command(quote(shoal) .. " --help") .. run_command(quote(shoal) .. " clip --help")
    .. run_command(quote(root .. "/shoal") .. " help")
  local known = set_of(run_command("cat " .. root .. "/engine/host/*/options.c"), '%f[%S]{"(%-%-[%l-]+)", VALUE')
  known["--hash"] = true -- --hash has its own parser
  local listed, helped = {}, set_of(help, "%-%-%l[%l-]*")
  for line in text:gmatch("\n| ([^\n]*)") do
    for option in line:match("^[^|]*"):gmatch("%-%-%l[%l-]*") do listed[option] = true end
  end
  compare(helped, listed, "the option %s is in the help, but not in a table of this page")
  compare(listed, helped, "the option %s is in a table, but not in the help")
  compare(known, helped, "the program accepts %s, but the help does not list it")
  local in_help = set_of("\n" .. run_command(quote(root .. "/shoal") .. " help"), "\n%./shoal ([%l-]+)")
  local on_page = set_of(text, "`%./shoal ([%l-]+)")
  compare(in_help, on_page, "the command %s is in the help, but not on this page")
  compare(on_page, in_help, "the command %s is on this page, but not in the help")
  local keys = set_of(help:match("keys in a window:(.-)\nexit") or "", "%f[%w](%u?%l*%+?F%d+)%f[^%w]")
  local keys_here = set_of(text, "| `([%w+]*F%d+)`")
  compare(keys, keys_here, "the key %s is in the help, but not on this page")
  compare(keys_here, keys, "the key %s is on this page, but not in the help")
end

-- Returns the text of all literals in C and Lua, with concatenated parts joined.
local function read_literals()
  local parts = {}
  for _, path in ipairs(list_output("find engine scripts/shoal -name '*.c' -o -name '*.h' -o -name '*.lua'")) do
    parts[#parts + 1] = read_file(root .. "/" .. path)
  end
  local text = table.concat(parts, "\n")
  text = text:gsub('"%s*\n%s*"', ""):gsub('"%s*%.%.%s*"', ""):gsub('\\"', '"')
  return text
end

-- Checks the messages quoted in the first column of tables with the heading "message" or "`--explain` says": each piece
-- between … must occur in a literal.
local function check_messages()
  local source, count, is_message_table = read_literals(), 0, false
  for number, line in ipairs(lines_of(read_file(root .. "/" .. page_path))) do
    local is_heading = line:find("^| message |") or line:find("^| `%-%-explain` says |")
    is_message_table = is_heading or is_message_table and line ~= ""
    local cell = is_message_table and line:match("^| (`[^|]*)") or ""
    for message in cell:gmatch("`([^`]+)`") do
      count = count + 1
      local is_checked
      for piece in (message .. "…"):gmatch("(.-)…") do
        piece = trim(piece)
        if #piece >= 6 then
          is_checked = true
          if not source:find(piece, 1, true) then report(number, "no message contains '%s'", piece) end
        end
      end
      if not is_checked then report(number, "'%s' is too short to be checked", message) end
    end
  end
  if count < 20 then report(1, "only %d messages", count) end
end

local REFERENCE = { "language", "world", "systems", "window", "advanced" } -- the pages of the Lua reference

-- Checks that every name in the type definitions occurs on some page, and that each `world.x` on the pages of the Lua
-- reference is defined.
local function check_names()
  local all, text, types = {}, "", read_file(root .. "/scripts/types/shoal.lua")
  for _, path in ipairs(list_output("ls engine/docs/*.md")) do all[#all + 1] = read_file(root .. "/" .. path) end
  all = table.concat(all)
  for _, name in ipairs(REFERENCE) do text = text .. read_file(("%s/engine/docs/%s.md"):format(root, name)) end
  for table_name, name in types:gmatch("\nfunction (%l+)%.([%l_]+)%(") do
    if not all:find(table_name .. "%." .. name .. "%f[^%w_]") then
      report(1, "%s.%s is on no page", table_name, name)
    end
  end
  for name in types:gmatch("\nfunction Entity:([%l_]+)%(") do
    if not all:find("e:" .. name .. "%f[^%w_]") then report(1, "e:%s is on no page", name) end
  end
  for table_name, name in text:gmatch("%f[%w](%l+)%.([%l_]+)%f[^%w_]") do
    local is_ours = ("world draw audio input assets log"):find("%f[%w]" .. table_name .. "%f[^%w]")
      and name ~= "lua" and name ~= "md"
    local is_known = types:find(("\nfunction %s%%.%s%%("):format(table_name, name))
      or types:find("\n%-%-%-@field " .. name .. " ") or types:find(("\n%s%%.%s ="):format(table_name, name))
    if is_ours and not is_known then report(1, "%s.%s is not defined", table_name, name) end
  end
end

-- Checks that the identifiers and files in the last column of the page's table exist.
local function check_glossary()
  local text, count = read_literals(), 0
  for number, line in ipairs(lines_of(read_file(root .. "/" .. page_path))) do
    for span in (line:match("^| [^|]+|[^|]+|([^|]+)|") or ""):gmatch("`([^`]+)`") do
      local name = span:match("^[%w_]+%.lua$") or span:match("^[%w_]+%.c$")
      count = count + 1
      if name and #list_output("find engine scripts tests -name " .. name) == 0 then
        report(number, "file %s does not exist", name)
      elseif span:find("^[%w_]+$") and not text:find("%f[%w_]" .. span .. "%f[^%w_]") then
        report(number, "%s is not in the code", span)
      end
    end
  end
  if count < 8 then report(1, "only %d names", count) end
end

-- Checks that the page lists every package that ./shoal installs.
local function check_packages()
  local text, script = read_file(root .. "/" .. page_path), read_file(root .. "/shoal")
  for list_name in ("player developer"):gmatch("%l+") do
    for name in script:match("\n" .. list_name .. '_packages="(.-)"'):gmatch("%S+") do
      if not text:find("[%s`]" .. escape_name(name) .. "[%s`]") then report(1, "the package %s is not listed", name) end
    end
  end
end

-- --- machine-readable lines: N an integer, X a decimal number, H sixteen hex digits, NAME a word, TEXT the rest

local FORMS = { N = "%d+", X = "%d+%.%d+", H = ("[0-9a-f]"):rep(16), NAME = "[%w_.-]+", TEXT = ".+" }

local function check_formats()
  local patterns = {}
  for _, block in ipairs((blocks_of(read_file(root .. "/" .. page_path)))) do
    if block.language == "text" and block.attributes:find("^format") then
      for _, line in ipairs(block.lines) do
        local pattern = "^" .. escape_expected(line):gsub("%f[%w]%u+%f[%W]", FORMS) .. "$"
        patterns[#patterns + 1] = { pattern, block.line, line }
      end
    end
  end
  local printed = run_command(quote(shoal)
    .. " play asteroids --headless --no-watch --log none --ticks 60 --native now --hash every=30 --history 8 --stats")
    .. run_command(quote(shoal) .. " run " .. quote(root .. "/tests/scenarios/games/parked")
      .. " --headless --no-watch --log none --ticks 30 --stats | grep ^stats:")
    .. run_command(quote(shoal) .. " run " .. quote(root .. "/tests/scenarios/games/workers")
      .. " --headless --no-watch --log none --ticks 10 --workers 2 --stats | grep '^stats: together'")
  for _, line in ipairs(lines_of(printed)) do
    local found
    for _, pattern in ipairs(patterns) do
      if line:find(pattern[1]) then
        found, pattern.used = true, true
      end
    end
    if not found then report(1, "no format matches the line '%s'", line) end
  end
  for _, pattern in ipairs(patterns) do
    if not pattern.used then report(pattern[2], "no line matches the format '%s'", pattern[3]) end
  end
end

local CHECKS = {
  links = check_links, paths = check_paths, opening = check_opening, length = check_length, snippets = run_snippets,
  tour = check_tour, options = check_options, messages = check_messages, names = check_names, keys = check_host_keys,
  glossary = check_glossary, formats = check_formats, packages = check_packages, shown_names = check_shown_names,
}
for i = 2, #arg do
  page_path = arg[i]
  CHECKS[arg[1]]()
end
os.exit(problems == 0 and 0 or 1)
