-- Checks the names in the comments of C files: luajit tests/comment_names.lua. A rename must not leave stale comments:
-- - *name must be a word of the code of the same file;
-- - a name in backquotes must be a word of the file or of its header or source; a type, member, function or constant
--   of a header that they include; or an argument, NAME(a, b), or a word in quotes in the same comment;
-- - NAME(…) and NAME_t must occur in the code of the engine.
-- Examples of code, which are indented by three spaces, are not checked. Prints `ok` or `not ok` for each rule.

-- Names that no C code contains: keys and functions of Lua, tables of SQL, variables of shaders, commands, examples.
local ALLOWED = {}
for name in ([[
any apply back category checksums children each enter events false health__hp heat in_out in_scene input kept leave
many mask meta migrate native noexcept null open optional other over_time play points propose reload require scene
sha256sum shoal_sinf start table timeout update velocity_func where with without words
]]):gmatch("%S+") do
  ALLOWED[name] = true
end

local function list_files(arguments)
  local out = {}
  for name in io.popen("find " .. arguments .. " | LC_ALL=C sort"):lines() do
    out[#out + 1] = name
  end
  return out
end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

-- Adds the words of a text to a set. A parameter of a macro, `name_`, is also added without its underscore.
local function add_words(set, text)
  for word in text:gmatch("[%a_][%w_]*") do
    set[word], set[word:match("^(.-)_?$")] = true, true
  end
end

-- Returns the position of the last byte of the comment, string or single byte that begins at `first`.
local function find_end(text, first)
  local two, quote = text:sub(first, first + 1), text:sub(first, first)
  if two == "//" then
    return (text:find("\n", first, true) or #text + 1) - 1
  elseif two == "/*" then
    return select(2, text:find("*/", first, true)) or #text
  elseif quote == "/" then
    return first
  end
  local last = first + 1
  while last <= #text and text:sub(last, last) ~= quote do
    last = last + (text:sub(last, last) == "\\" and 2 or 1)
  end
  return last
end

-- Appends a comment. Consecutive lines with only a comment are one comment.
local function add_comment(comments, line, text, is_alone)
  local previous = comments[#comments]
  if previous and is_alone and previous.last_line == line - 1 then
    previous.text, previous.last_line = previous.text .. "\n" .. text, line
  else
    comments[#comments + 1] = { line = line, last_line = line, text = text }
  end
end

-- Reads a C file. Returns { code, declared, strings, comments, includes }: sets of the words in code, in code outside
-- parentheses (no parameters), and in strings, a list of { line, last_line, text }, and the names of included headers.
local function read_source(path)
  local text = read_file(path)
  local source = { code = {}, declared = {}, strings = {}, comments = {}, includes = {} }
  for included in text:gmatch('#include [<"]([%w_]+/[^>"]+)[>"]') do
    source.includes[#source.includes + 1] = included
  end
  local position, line, pieces = 1, 1, {}
  while position <= #text do
    local first = text:find("[/\"']", position) or #text + 1
    local code = text:sub(position, first - 1)
    pieces[#pieces + 1] = code
    line = line + select(2, code:gsub("\n", ""))
    local last = find_end(text, first)
    local token = text:sub(first, last)
    if token:find("^/[/*]") then
      add_comment(source.comments, line, token, code:find("^%s*$") ~= nil)
    else
      add_words(source.strings, token)
    end
    line = line + select(2, token:gsub("\n", ""))
    position = last + 1
  end
  local code = table.concat(pieces, " ")
  add_words(source.code, code)
  -- Includes the names of pointers to functions.
  add_words(source.declared, code:gsub("%(%*([%w_]+)%)", " %1 "):gsub("%b()", " "))
  return source
end

local function add_set(out, set)
  for word in pairs(set) do
    out[word] = true
  end
end

local sources, by_include, engine_words = {}, {}, {}
local paths = list_files("engine -name '*.[ch]'")
for _, path in ipairs(paths) do
  sources[path] = read_source(path)
  by_include[path:match("([^/]+/[^/]+)$")] = path
  add_set(engine_words, sources[path].code)
  add_set(engine_words, sources[path].strings)
end
for _, path in ipairs(list_files("scripts/shoal scripts/types tests engine/plugins engine/include premake5.lua "
  .. "-name '*.lua' -o -name '*.[ch]' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.sh'")) do
  add_words(engine_words, read_file(path):gsub("//[^\n]*", ""):gsub("%-%-[^\n]*", ""))
end

-- Adds the words of a file, and those that the headers which it includes declare, to `out`.
local function collect(out, path, visited, is_included)
  if not path or visited[path] then
    return
  end
  visited[path] = true
  add_set(out, is_included and sources[path].declared or sources[path].code)
  add_set(out, sources[path].strings)
  for _, name in ipairs(sources[path].includes) do
    collect(out, by_include[name], visited, true)
  end
end

local components = {} -- words of the files that declare the engine's components
for _, path in ipairs(paths) do
  if path == "engine/include/shoal/builtin.h" or path:find("^engine/world/components/") then
    add_set(components, sources[path].code)
    add_set(components, sources[path].strings)
  end
end

local function list_known(path)
  local out = {}
  local other = path:gsub("%.c$", ".h", 1)
  other = other == path and path:gsub("%.h$", ".c", 1) or other
  collect(out, path, {})
  collect(out, sources[other] and other, {})
  return out
end

local problems = { stars = {}, quotes = {}, engine = {} }
local function report(list, path, comment, name)
  list[#list + 1] = ("%s:%d: %s"):format(path, comment.line, name)
end

local function check_comment(path, comment, known)
  local text = comment.text:gsub("//   [^\n]*", "//")
  local introduced = {}
  for arguments in text:gmatch("[%w_]%((.-)%)") do
    add_words(introduced, arguments)
  end
  for quoted in text:gmatch('"(.-)"') do
    add_words(introduced, quoted)
  end
  for name in text:gmatch("%f[*]%*([%a_][%w_]*)") do
    if not sources[path].code[name] then
      report(problems.stars, path, comment, "*" .. name)
    end
  end
  for name in text:gmatch("`%*?([%a_][%w_]*)`") do
    if not known[name] and not introduced[name] and not components[name] and not ALLOWED[name] then
      report(problems.quotes, path, comment, "`" .. name .. "`")
    end
  end
  for name in text:gmatch("%f[%w_]([%a_][%w_]*_[%w_]+)%f[^%w_]") do
    if not engine_words[name] and not ALLOWED[name] and (name:find("_t$") or text:find(name .. "(", 1, true)) then
      report(problems.engine, path, comment, name)
    end
  end
end

for _, path in ipairs(paths) do
  local known = list_known(path)
  for _, comment in ipairs(sources[path].comments) do
    check_comment(path, comment, known)
  end
end

local failed = false
local function verdict(name, list)
  failed = failed or #list > 0
  print(#list == 0 and "ok " .. name or "not ok " .. name .. ":\n  " .. table.concat(list, "\n  "))
end
verdict("*name in a comment is a name in the file", problems.stars)
verdict("names in backquotes exist", problems.quotes)
verdict("functions and types that comments mention exist", problems.engine)
os.exit(failed and 1 or 0)
