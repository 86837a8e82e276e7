-- Checks the site that ./shoal docs has generated in FOLDER: luajit site.lua FOLDER, in the root of the tree. Prints
-- broken links, pages to which no page links, broken entries of the search index, and missing sections of plugin.h.
local folder, problems = arg[1], 0
local function report(format, ...)
  problems = problems + 1
  print(format:format(...))
end
local function read_file(name)
  local file = io.open(folder .. "/" .. name, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local pages, ids, linked, count = {}, {}, {}, 0
for name in io.popen("ls '" .. folder .. "'"):lines() do
  if name:find("%.html$") then
    local text = read_file(name)
    pages[name], ids[name], count = text, {}, count + 1
    for id in text:gmatch('%sid="([^"]*)"') do
      if ids[name][id] then report("%s has two elements with the id %s", name, id) end
      ids[name][id] = true
    end
  end
end
for name, text in pairs(pages) do
  if not text:find("</html>%s*$") then report("%s is truncated", name) end
  for name_of, target in text:gmatch('%s(%l+)="([^"]*)"') do
    if (name_of == "href" or name_of == "src") and not target:find("^%a+:") then
      local file, anchor = target:match("^([^#?]*)[^#]*#?(.*)$")
      file = file == "" and name or file
      linked[file] = linked[file] or file ~= name
      if not pages[file] and not read_file(file) then
        report("%s: %s does not exist", name, target)
      elseif anchor ~= "" and not ids[file][anchor] then
        report("%s: %s has no #%s", name, file, anchor)
      end
    end
  end
end
for name in pairs(pages) do
  if not linked[name] then report("no page links to %s", name) end
end
-- The page and anchor of each entry of the search index must exist.
local index, entries = read_file("search.js") or "", 0
for file, anchor in index:gmatch('\n%["([^"]*)","([^"]*)",') do
  entries = entries + 1
  if not pages[file] or anchor ~= "" and not ids[file][anchor] then
    report("search.js: %s#%s does not exist", file, anchor)
  end
end
for line in io.lines("engine/include/shoal/plugin.h") do
  local subject = line:match("^// %-%-+ (.*)$")
  local id = subject and subject:gsub("[^%w]+", "-")
  if id and not ids["plugin_h.html"][id] then report("plugin_h.html has no heading for the section %s", subject) end
end
if entries < 500 then report("only %d entries in search.js", entries) end
if count < 100 then report("only %d pages", count) end
os.exit(problems == 0 and 0 or 1)
