-- The `assets` API of scripts: data files (media/data_files.lua), a loading screen, and preloading, which decodes files
-- in the background. Loading times differ between runs, so the progress that the simulation reads is recorded like
-- input, and is the same when a tick is rerun or replayed.
local need, native = ...
local phases = need("base/phases")
local window = need("media/window")
local report = need("base/report")
local scope = need("base/scope")
local spelling = need("base/spelling")
local state = need("base/vm_state")
local data = need("media/data_files")
local draw = need("media/draw")
local missing_assets = need("messages/missing_assets")

---@class engine.assets: shoal.Assets
local M = {}

function M.exists(name)
  return native.asset_exists(report.show(scope.name("asset", name)))
end

-- Checks a list of names before the first file is requested. Returns a copy without a metatable, so that only checked
-- names are used.
local function check_file_list(list)
  if type(list) ~= "table" then
    report.raise("assets.preload: expected a list of files, got %s: use assets.preload { \"boss.png\" }",
      report.describe(list))
  end
  local names = {}
  for key, name in next, list do
    if type(key) ~= "number" then
      report.raise("assets.preload: expected a list of files, got a table with the key %s: use assets.preload "
        .. "{ \"boss.png\" }", report.show(key))
    elseif type(name) ~= "string" or name == "" then
      report.raise("assets.preload: item %d must be the name of a file, got %s", key,
        report.describe(name))
    end
    names[key] = scope.name("asset", name)
  end
  return names
end

function M.preload(list)
  phases.check("assets.preload")
  for i, name in ipairs(check_file_list(list)) do
    missing_assets.check(name, "assets.preload")
    native.preload(name, i == 1)
  end
end

function M.ready()
  phases.check("assets.ready")
  local loaded, requested = native.preloaded(not state.is_drawing())
  return loaded == requested, loaded, requested
end

function M.json(name)
  return (data.get("json", name))
end

function M.csv(name)
  return (data.get("csv", name))
end

function M.text(name)
  return (data.get("text", name))
end

local OPTIONS = spelling.alias { title = "string", colour = "string", background = "string" }

local function check_screen_options(options)
  if options ~= nil and type(options) ~= "table" then
    report.raise("assets.screen: options must be a table, got %s: use { title = \"Loading\" }",
      report.describe(options))
  end
  for name, v in pairs(options or {}) do
    if not OPTIONS[name] then
      report.raise("assets.screen has no option %s%s; available: %s", report.show(name),
        report.suggest(name, OPTIONS), report.join_names(OPTIONS))
    elseif type(v) ~= OPTIONS[name] then
      report.raise("assets.screen: %s must be a %s, got %s", name, OPTIONS[name], report.describe(v))
    end
  end
  return options or {}
end

-- Implements assets.screen. Until all requested files are loaded or have failed, covers the screen with a background, a
-- title and a progress bar on layer 9000, and returns true. Afterwards, returns false.
function M.screen(options)
  phases.check("assets.screen")
  options = check_screen_options(options)
  local ready, loaded, requested = M.ready()
  if ready then
    return false
  end
  local game = state.config
  local width, height = game.width, game.height
  local x, y, bar_width, bar_height = width * 0.25, height * 0.5, width * 0.5, math.max(4, height / 60)
  draw.space("screen")
  draw.layer(9000)
  draw.colour(options.background or "#0b0d14")
  draw.rect(window.area())
  draw.colour(options.colour or options.color or "#e8ecf4")
  draw.text(options.title or "Loading", width * 0.5, y - bar_height * 5, bar_height * 2.4, "center")
  draw.rect(x, y, bar_width, bar_height, false, 2)
  draw.rect(x, y, bar_width * loaded / requested, bar_height)
  draw.reset()
  return true
end

return M
