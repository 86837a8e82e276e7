-- Generates the documentation site, for `./shoal docs`. Runs inside pandoc, as a filter on an empty document:
--   pandoc -f markdown -t html --lua-filter site.lua -M root=ROOT -M to=FOLDER /dev/null
-- Reads the pages in the order of engine/docs/README.md, the pages of plugins, the design notes, the definitions for
-- editors, the plugin headers, and the games and examples with their pictures. Writes static HTML, the search index as
-- a script, the style sheet and the pictures. The site works from disk, without a server.
local root, to

local function read(path)
  local file = io.open(root .. "/" .. path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

local function write(name, text)
  local file = assert(io.open(to .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

local function list(command)
  local out, pipe = {}, io.popen(("cd '%s' && %s"):format(root, command))
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

local function escape(text)
  return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function fill_template(template, values)
  return (template:gsub("{{(%l+)}}", function(name) return values[name] or "" end))
end

-- --- the list of pages

-- `pages` contains { path, file, title, group, … } in reading order. `path` is the source, and `file` the name of the
-- HTML file.

local pages, by_path, groups, copied = {}, {}, {}, {}

local function add(page)
  pages[#pages + 1] = page
  if page.path then by_path[page.path] = page end
  if page.group then
    if not groups[page.group] then
      groups[#groups + 1] = page.group
      groups[page.group] = {}
    end
    table.insert(groups[page.group], page)
  end
  return page
end

local function title_of(path)
  return (read(path) or ""):match("^# ([^\n]+)") or path
end

-- HTML files of the pages that are generated from sources other than Markdown, indexed by link target.
local GENERATED = {
  ["scripts/examples/"] = "examples.html", ["scripts/types/shoal.lua"] = "definitions.html",
  ["engine/include/shoal/plugin.h"] = "plugin_h.html", ["engine/design/"] = "design.html",
}
local function resolve(folder, target)
  local parts = {}
  for part in (folder .. "/" .. target):gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/") .. (target:find("/$") and "/" or "")
end

-- Adds README.md, the pages linked in the tables of engine/docs/README.md, two overviews, and the pages of plugins and
-- design notes, in this order. The heading above a table becomes the group of its pages.
local function collect()
  add { path = "README.md", file = "index.html", title = "Shoal", group = "" }
  local group
  for line in read("engine/docs/README.md"):gmatch("[^\n]+") do
    group = line:match("^## (.+)$") or group
    local title, target = line:match("^| %[([^%]]+)%]%(([^)]+)%)")
    if target then
      local path = resolve("engine/docs", target)
      local made = GENERATED[path]
      add { path = path, file = made or path:match("([^/]+)%.md$") .. ".html", title = title, group = group, made = made,
        about = line:match("| ([^|]+) |$") }
    end
  end
  add { path = "engine/docs/README.md", file = "pages.html", title = "All pages" }
  add { path = "engine/README.md", file = "modules.html", title = "The layers" }
  for _, path in ipairs(list("ls engine/plugins/*/README.md engine/design/[0-9]*.md")) do
    local name = path:match("plugins/([^/]+)") or path:match("([^/]+)%.md$")
    add { path = path, file = (path:find("/plugins/") and "plugin-" or "design-") .. name .. ".html", title = title_of(path),
      group = path:find("/plugins/") and "Plugins" or nil }
  end
end

-- Returns the descriptions of the games on the menu's shelf, by name.
local function shelf_descriptions()
  local out = {}
  for _, tile in ipairs(dofile(root .. "/scripts/shoal/menu/lib/games.lua")) do out[tile.name] = tile.about end
  return out
end

-- Adds a page for each game or example in the folder. Returns a list of these pages.
local function add_examples(path)
  local out, descriptions = {}, shelf_descriptions()
  for _, file in ipairs(list("ls " .. path .. "/*/game.lua")) do
    local folder, name = file:match("^(.*/([^/]+))/game.lua$")
    local text = read(file)
    local about = (text:match("^%-%- ([^\n]+\n[^r].-)\n[^-]") or text:match("^%-%- ([^\n]+)") or "")
    about = about:gsub("\n%-%- ?", " "):gsub("\n.*", ""):gsub("^[%w ]+: ", "", 1):gsub("^%l", string.upper)
    out[#out + 1] = add { path = folder, file = "example-" .. name .. ".html", about = descriptions[name] or about, name = name,
      title = text:match('title%s*=%s*"([^"]+)"') or name, show = true, kind = path:match("%l+$") }
  end
  return out
end

-- --- from Markdown to HTML

local ICONS = { light = "☀", dark = "☾" }
local SHELL = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{title}} – Shoal</title>
<link rel="stylesheet" href="style.css">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M3 16c6-9 16-9 20-1l6-5v12l-6-5c-4 8-14 8-20-1z' fill='%230e8fb3'/%3E%3C/svg%3E">
<script>document.documentElement.dataset.theme = localStorage.getItem("shoal.theme") || ""</script>
<script src="site.js" defer></script>
</head>
<body>
<header>
<button id="open" aria-label="Contents">☰</button>
<a class="brand" href="index.html"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 16c6-9 16-9 20-1l6-5v12l-6-5c-4 8-14 8-20-1z"/></svg>Shoal</a>
<label class="search"><input id="search" type="search" placeholder="Search" autocomplete="off" aria-label="Search"><kbd>/</kbd></label>
<button id="theme" aria-label="Switch between light and dark">]] .. ICONS.light .. [[</button>
</header>
<div id="found" hidden></div>
<div class="frame">
<nav class="pages" aria-label="Pages">{{sidebar}}</nav>
<main{{kind}}>
{{body}}
<footer class="turn">{{turn}}</footer>
</main>
<nav class="here" aria-label="On this page">{{here}}</nav>
</div>
</body>
</html>
]]

local FORMAT = "gfm"
local OPTIONS = PANDOC_WRITER_OPTIONS -- without these options, pandoc.write would not highlight code
local index = {} -- search index: { file, anchor, title, heading, text }

local function html_of(blocks)
  return pandoc.write(pandoc.Pandoc(blocks), "html", OPTIONS)
end

local function copy_picture(path)
  local name = path:gsub("^assets/pictures/", ""):gsub("/", "-")
  if not copied[name] then
    local text = read(path)
    if not text then return nil end
    copied[name] = true
    write("pictures/" .. name, text)
  end
  return "pictures/" .. name
end

-- Converts a link target to a link within the site; URLs are returned unchanged. Returns nil if the site does not
-- contain the target.
local function target_of(page, target)
  if target:find("^%a+:") then return target end
  local path, anchor = target:match("^([^#]*)(#?.*)$")
  if path == "" then return anchor end
  path = resolve(page.path:match("^(.*)/[^/]*$") or "", path)
  local there = by_path[path] or by_path[path:gsub("/$", "")] or by_path[path .. "/"]
  if there then return there.file .. anchor end
  return GENERATED[path] or GENERATED[path .. "/"] or path:find("^scripts/games/?$") and "examples.html"
    or path:find("^scripts/examples/first_game") and "first_game.html" or nil
end

-- The site's first picture is a video, which is sharper and smaller than README's animated image.
local VIDEO_OF = { ["assets/pictures/clips/readme.webp"] = "assets/pictures/clips/site" }

-- Returns the HTML of a video that plays in place of an image; nil if the image has no video.
local function video_of(path, about)
  local name = VIDEO_OF[path]
  local video, poster = name and copy_picture(name .. ".mp4"), name and copy_picture(name .. ".jpg")
  return video and pandoc.RawInline("html",
    ('<video class="clip" src="%s" poster="%s" aria-label="%s" autoplay loop muted playsinline></video>'):format(video,
      poster, escape(about)))
end

local function filter(page)
  return {
    Link = function(link)
      local target = target_of(page, link.target)
      if not target then return link.content end
      link.target = target
      return link
    end,
    Image = function(image)
      if not image.src:find("^%a+:") then
        local path = resolve(page.path:match("^(.*)/[^/]*$") or "", image.src)
        local video = video_of(path, pandoc.utils.stringify(image.caption))
        if video then return video end
        image.src = copy_picture(path) or image.src
        image.attributes.loading = "lazy"
      end
      return image
    end,
    RawBlock = function() return {} end, -- removes comments and hidden snippets
    CodeBlock = function(block)
      local language = block.classes[1] or "text"
      local names = { console = "bash", sh = "bash", text = "default" }
      block.classes = { names[language] or language, "is-" .. language }
      return block
    end,
    Code = function(code) -- links `scripts/examples/NAME` to the example's page
      local name = code.text:match("^scripts/%l+/([%w_]+)/?$") or code.text:match("^%./shoal play ([%w_]+)$")
      local there = name and (by_path["scripts/examples/" .. name] or by_path["scripts/games/" .. name])
      if there and not page.show then return pandoc.Link({ code }, there.file) end
    end,
  }
end

local function text_of(block)
  if block.t ~= "Table" then return block.t == "CodeBlock" and block.text or pandoc.utils.stringify(block) end
  local cells = {}
  pandoc.walk_block(pandoc.Div { block }, { Plain = function(cell) cells[#cells + 1] = pandoc.utils.stringify(cell) end })
  return table.concat(cells, " · ")
end

-- Adds the page to the search index: the text before the first heading is one entry, and each heading starts another.
local function index_sections(page, blocks)
  local part = { page.file, "", page.title, "", "" }
  index[#index + 1] = part
  for _, block in ipairs(blocks) do
    if block.t == "Header" and block.level > 1 then
      part = { page.file, block.identifier, page.title, pandoc.utils.stringify(block), "" }
      index[#index + 1] = part
    elseif block.t ~= "Header" then
      part[5] = part[5] .. " " .. text_of(block):gsub("%s+", " ")
    end
  end
end

local function contents(blocks)
  local out = {}
  for _, block in ipairs(blocks) do
    if block.t == "Header" and (block.level == 2 or block.level == 3) then
      out[#out + 1] = ('<a class="level%d" href="#%s">%s</a>'):format(block.level, block.identifier,
        escape(pandoc.utils.stringify(block)))
    end
  end
  return #out > 1 and table.concat(out) or ""
end

-- Returns the links to all pages. Groups are folded, except the group of the current page, or else the first group.
local function sidebar(current)
  local out = {}
  local open = current.group and current.group ~= "" and current.group or groups[2]
  for _, name in ipairs(groups) do
    local links = {}
    for _, page in ipairs(groups[name]) do
      links[#links + 1] = ('<a href="%s"%s>%s</a>'):format(page.file, page == current and ' aria-current="page"' or "",
        escape(page.title))
    end
    local fold = ("<details%s><summary>%s</summary>"):format(name == open and " open" or "", escape(name))
    out[#out + 1] = name == "" and table.concat(links) or fold .. table.concat(links) .. "</details>"
  end
  return table.concat(out)
end

-- Returns links to the previous and the next page in reading order.
local function page_links(page)
  local order = {}
  for _, name in ipairs(groups) do
    for _, one in ipairs(groups[name]) do order[#order + 1] = one end
  end
  for i, one in ipairs(order) do
    if one == page then
      local function link(other, class, arrow)
        return other and ('<a class="%s" href="%s"><small>%s</small>%s</a>'):format(class, other.file, arrow,
          escape(other.title)) or "<span></span>"
      end
      return link(order[i - 1], "back", "previous") .. link(order[i + 1], "on", "next")
    end
  end
  return ""
end

local function publish(page, blocks, body)
  index_sections(page, blocks)
  body = body or html_of(blocks)
  body = body:gsub("<table", '<div class="table"><table'):gsub("</table>", "</table></div>")
  body = body:gsub('(<h[23] id="([^"]+)">)(.-)(</h[23]>)', '%1%3<a class="anchor" href="#%2" aria-label="link">#</a>%4')
  local here = contents(blocks)
  if here ~= "" then -- on narrow screens, which have no column for it, a fold below the title
    local fold = '<details class="here"><summary>On this page</summary>' .. here .. "</details>"
    local title, rest = body:match("^(.-</h1>)(.*)$")
    body = title and title .. fold .. rest or fold .. body
    here = "<p>On this page</p>" .. here
  end
  write(page.file, fill_template(SHELL, { title = escape(page.title), sidebar = sidebar(page), body = body,
    turn = page_links(page), here = here, kind = page.wide and ' class="wide"' or "" }))
end

local function parse_page(page, text)
  -- The words after the language of a code fence are for the tests only.
  text = ("\n" .. text):gsub("(\n```%w+)[^\n]*", "%1"):sub(2) .. "\n" -- a table's last row needs a newline
  return pandoc.walk_block(pandoc.Div(pandoc.read(text, FORMAT).blocks), filter(page)).content
end

-- --- generated pages

-- Returns an element that plays the menu's moving picture of a game or example: six by four frames for the tiles of
-- the menu's shelf, otherwise four frames in one row. `class` follows the element's own classes.
local function film(page, class)
  local path = "scripts/shoal/menu/assets/" .. page.name
  local tile = copy_picture(path .. ".webp")
  return ('<span class="film%s%s" style="background-image:url(%s)"></span>'):format(tile and " tile" or "", class,
    tile or copy_picture(path .. ".jpg") or "")
end

local function card(page, class)
  return ('<a class="card %s" href="%s">%s<b>%s</b><span>%s</span></a>'):format(class, page.file, film(page, ""),
    escape(page.title), escape((page.about:match("^(.-%.)%s") or page.about):gsub("`", "")))
end

local function examples(games, small)
  local page = by_path["scripts/examples/"]
  page.wide = true
  local out = { "<h1>Games and examples</h1><p>", "Run one with <code>./shoal play NAME</code>. Its page shows its source code.</p>" }
  for _, part in ipairs { { "Games", games }, { "Examples", small } } do
    out[#out + 1] = ('<h2 id="%s">%s</h2><div class="cards">'):format(part[1]:lower(), part[1])
    for _, one in ipairs(part[2]) do out[#out + 1] = card(one, one.kind) end
    out[#out + 1] = "</div>"
  end
  publish(page, { pandoc.Header(2, "Games", { id = "games" }), pandoc.Header(2, "Examples", { id = "examples" }) },
    table.concat(out))
end

local function example(page)
  local blocks = { pandoc.Header(1, page.title), pandoc.read(page.about, FORMAT).blocks[1] or pandoc.Para {},
    pandoc.CodeBlock("./shoal play " .. page.name, { class = "bash" }) }
  for _, path in ipairs(list(("find %s -name '*.lua' ! -path '*/assets/*' | LC_ALL=C sort"):format(page.path))) do
    blocks[#blocks + 1] = pandoc.Header(3, path:sub(#page.path + 2), { id = path:sub(#page.path + 2):gsub("[/.]", "-") })
    blocks[#blocks + 1] = pandoc.CodeBlock(read(path), { class = page.kind == "examples" and "lua is-lua" or "is-lua" })
  end
  local clip = copy_picture("assets/pictures/clips/" .. page.name .. ".webp")
  local body = html_of(blocks)
  local picture = clip and ('<img class="clip" src="%s" alt="%s, played">'):format(clip, escape(page.title))
  body = body:gsub("</h1>", "%0" .. (picture or film(page, " large")), 1)
  index_sections(page, { blocks[2] })
  local kept = index
  index = {} -- keeps source code out of the search index
  publish(page, blocks, body)
  index = kept
end

-- Generates the page about the Lua API from scripts/types/shoal.lua and scripts/types/builtin.lua: functions with their
-- comments, and classes with a table of their fields.
local function definitions()
  local page = by_path["scripts/types/shoal.lua"]
  local blocks, notes, fields, class = { pandoc.Header(1, page.title) }, {}, {}, nil
  local function para(lines)
    if #lines > 0 then
      for _, block in ipairs(parse_page(page, table.concat(lines, "\n"))) do blocks[#blocks + 1] = block end
    end
  end
  local function finish()
    if class and #fields > 0 then
      blocks[#blocks + 1] = pandoc.Header(3, class, { id = class:gsub("[^%w]+", "-") })
      para(notes)
      local rows = { "| field | type | |\n|---|---|---|" }
      for _, field in ipairs(fields) do
        local name, rest = field:match("^(%S+)%s+(.*)$")
        local kind, words = rest:match("^(fun%b():?%s?%S*)%s*(.*)$")
        if not kind then kind, words = rest:match("^(%b{}%S*)%s*(.*)$") end
        if not kind then kind, words = rest:match("^(%S+)%s*(.*)$") end
        rows[#rows + 1] = ("| `%s` | `%s` | %s |"):format(name, (kind or ""):gsub("|", "\\|"), (words or ""):gsub("|", "\\|"))
      end
      para { table.concat(rows, "\n") }
    end
    class, fields = nil, {}
  end
  local signature = {}
  for line in (read(page.path) .. read("scripts/types/builtin.lua") .. "\n"):gmatch("(.-)\n") do
    local words, tag, rest = line:match("^%-%-%-%s?([^@].*)$"), line:match("^%-%-%-@(%l+)%s*(.*)$")
    local name = line:match("^function ([%w_.:]+%b())")
    if tag == "class" then
      finish()
      class = rest:match("^[%w_.]+")
    elseif tag == "field" then
      fields[#fields + 1] = rest
    elseif tag == "param" or tag == "return" or tag == "overload" then
      signature[#signature + 1] = "- " .. tag .. " `" .. rest:gsub("`", "") .. "`"
    elseif name then
      finish()
      local subject, only = name:match("^([%w_]+)[.:]"), name:match("^[^(]+")
      if subject and subject ~= blocks.subject then
        blocks.subject = subject
        blocks[#blocks + 1] = pandoc.Header(2, subject, { id = subject })
      end
      blocks[#blocks + 1] = pandoc.Header(3, name, { id = only:gsub("[^%w]+", "-") })
      para(notes)
      para(signature)
      notes, signature = {}, {}
    elseif words then
      notes[#notes + 1] = words
    elseif not line:find("^%-%-") then
      finish()
      notes, signature = {}, {}
    end
  end
  local seen = {}
  for _, block in ipairs(blocks) do -- makes header ids unique by appending a number to repeated ones
    if block.t == "Header" then
      local id = block.identifier
      seen[id] = (seen[id] or 0) + 1
      if seen[id] > 1 then block.identifier = id .. "-" .. seen[id] end
    end
  end
  publish(page, pandoc.List(blocks))
end

-- Generates the page about the plugin headers. Comments at the start of a line become prose. Indented lines within
-- them, and all other lines, become code. A section comment, `// --- threads`, becomes a heading.
local function header()
  local page = by_path["engine/include/shoal/plugin.h"]
  local blocks, words, code, shown = { pandoc.Header(1, page.title) }, {}, {}, {}
  local function flush()
    if #shown > 0 then code, shown = shown, {} end -- the comment ended with indented code
    if #words > 0 then blocks[#blocks + 1] = pandoc.Para { pandoc.Str(table.concat(words, " ")) } end
    local text = table.concat(code, "\n"):gsub("^\n+", ""):gsub("\n+$", "")
    if text ~= "" then blocks[#blocks + 1] = pandoc.CodeBlock(text, { class = "c is-c" }) end
    words, code = {}, {}
  end
  for _, name in ipairs { "plugin.h", "builtin.h" } do
    blocks[#blocks + 1] = pandoc.Header(2, name, { id = name:gsub("%.", "-") })
    for line in (read("engine/include/shoal/" .. name) .. "\n"):gmatch("(.-)\n") do
      local prose, subject = line:match("^// ?(.*)$"), line:match("^// %-%-%- (.*)$")
      if subject then
        flush()
        blocks[#blocks + 1] = pandoc.Header(3, subject, { id = subject:gsub("[^%w]+", "-") })
      elseif prose and prose:find("^  ") or prose == "" and #shown > 0 then
        if #shown == 0 then flush() end
        shown[#shown + 1] = prose:sub(3)
      elseif prose then
        if #shown > 0 or #code > 0 or prose == "" then flush() end
        words[#words + 1] = prose ~= "" and prose or nil
      elseif line == "" and #code == 0 then
        flush()
      else
        code[#code + 1] = line
      end
    end
    flush()
  end
  publish(page, pandoc.List(blocks))
end

local function design()
  local page, rows = by_path["engine/design/"], { "# Design notes", "The reasons for design decisions." }
  for _, one in ipairs(pages) do
    if one.path:find("^engine/design/%d") then
      rows[#rows + 1] = ("- [%s](%s)"):format(one.title, one.path:match("[^/]+$"))
    end
  end
  publish(page, parse_page(page, table.concat(rows, "\n\n")))
end

local function quote(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("[%c]", " "):gsub("</", "<\\/") .. '"'
end

local function write_index()
  local out = {}
  for i, part in ipairs(index) do
    local fields = {}
    for j, text in ipairs(part) do fields[j] = quote(text) end
    out[i] = "[" .. table.concat(fields, ",") .. "]"
  end
  write("search.js", "window.shoalIndex=[\n" .. table.concat(out, ",\n") .. "\n]\n")
end

function Pandoc(doc)
  root, to = pandoc.utils.stringify(doc.meta.root), pandoc.utils.stringify(doc.meta.to)
  collect()
  local games, small = add_examples("scripts/games"), add_examples("scripts/examples")
  for _, name in ipairs { "style.css", "site.js" } do write(name, read("engine/docs/site/" .. name)) end
  for _, page in ipairs(pages) do
    if page.show then
      example(page)
    elseif not page.made then
      local text = read(page.path)
      if not text then error(page.path .. ": file not found") end
      publish(page, parse_page(page, text))
    end
  end
  examples(games, small)
  definitions()
  header()
  design()
  write_index()
  return pandoc.Pandoc { pandoc.Plain { pandoc.Str(("%d pages"):format(#pages)) } }
end
