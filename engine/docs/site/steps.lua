-- Usage: luajit engine/docs/site/steps.lua [--write], in the root of the tree. Generates the code on two pages. Shows
-- new files whole, and changed files as a diff, or whole if that is shorter. With --write, updates the pages; otherwise
-- exits with status 1 if a page is outdated.
--
-- engine/docs/first_game.md: between `<!-- Step N -->` and `<!-- End -->`, the files that step N of
-- scripts/examples/first_game changes. A file is omitted if only the step's number in its first line has changed.
-- engine/docs/together.md: between `<!-- File PATH -->` and `<!-- End -->`, the change from the default template to
-- scripts/examples/together. Changes of the title and of comments alone are not shown.
local STEPS = "scripts/examples/first_game/"
-- The files that the page shows of the steps that the reader copies.
local SHOWN = {
  [2] = { ["scenes/wood.lua"] = true },
  [3] = { ["systems/spark_collisions.lua"] = true },
  [5] = { ["systems/flow.lua"] = true },
}

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local function lines(command)
  local out, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

-- Order of the files within a step: readers save them one by one while the game runs, and no file may use a name that a
-- later one declares.
local ORDER = { ["components.lua"] = 1, ["events.lua"] = 2, ["assemblages.lua"] = 4, ["game.lua"] = 7 }
local function layers(step) return (read(STEPS .. step .. "/game.lua") or ""):match("layers = [^\n]*") end

-- Returns the sort key of a file. game.lua follows the scene that it starts, but precedes the assemblages if it
-- declares layers for them.
local function rank(path, step)
  if path == "game.lua" and layers(step) ~= layers(step - 1) then return 3 .. path end
  return (ORDER[path] or path:find("^systems/") and 6 or path:find("^scenes/") and 5 or 3) .. path
end

local function files(step)
  local out = lines(("cd %s%d && find . -name '*.lua' | sed 's/^..//'"):format(STEPS, step))
  table.sort(out, function(a, b) return rank(a, step) < rank(b, step) end)
  return out
end

local function block(language, text)
  return ("```%s step\n%s```\n"):format(language, (text:gsub("\n+$", "") .. "\n"))
end

local function format_diff(out) return table.concat(out, "\n"):gsub("@@ %-(%d+).-@@", "@@ line %1 @@") .. "\n" end

local function changed(before, now)
  local out = lines(("diff -U 1 '%s' '%s' | tail -n +3"):format(before, now))
  local only_number = #out == 4 and out[1]:find("^@@ %-1,") and out[2]:find("^%-%-%- ") and out[3]:find("^%+%-%- ")
  if #out == 0 or only_number then return nil end
  return format_diff(out)
end

local function section(step)
  local out = {}
  for _, path in ipairs(files(step)) do
    local now, before = STEPS .. step .. "/" .. path, STEPS .. step - 1 .. "/" .. path
    local is_shown = not SHOWN[step] or SHOWN[step][path]
    if is_shown and (step == 1 or not read(before)) then
      out[#out + 1] = ("`%s`%s:\n\n%s"):format(path, step > 1 and ", new" or "", block("lua", read(now)))
    elseif is_shown and changed(before, now) then
      local diff, whole = changed(before, now), read(now)
      out[#out + 1] = #diff > #whole and ("`%s`, replaced:\n\n%s"):format(path, block("lua", whole))
        or ("`%s`:\n\n%s"):format(path, block("diff", diff))
    end
  end
  return "\n" .. table.concat(out, "\n") .. "\n"
end

local function changed_file(path)
  local now, before = "scripts/examples/together/" .. path, "scripts/templates/topdown/" .. path
  if not read(before) then return "\n" .. block("lua", assert(read(now), now)) .. "\n" end
  local diff = lines(("sed 's/\"thing\"/\"Together\"/' %s | diff -U 1 -I '^--' - %s | tail -n +3"):format(before, now))
  return "\n" .. block("diff", format_diff(diff)) .. "\n"
end

-- Replaces the text between each comment `<!-- NAME ARGUMENT -->` and the next `<!-- End -->` by make(argument).
local function generate(page, name, make)
  local text = assert(read(page))
  local fresh = text:gsub("(<!%-%- " .. name .. " (%S+) %-%->\n).-(<!%-%- End %-%->)", function(head, argument, tail)
    return head .. make(argument) .. tail
  end)
  if arg[1] == "--write" then
    local file = assert(io.open(page, "wb"))
    file:write(fresh)
    file:close()
  elseif fresh ~= text then
    io.stderr:write(page, ": the code has changed: run luajit engine/docs/site/steps.lua --write\n")
    os.exit(1)
  end
end

generate("engine/docs/first_game.md", "Step", function(step) return section(tonumber(step)) end)
generate("engine/docs/together.md", "File", changed_file)
