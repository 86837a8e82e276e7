-- Post-processing passes declared in shaders.lua. Each pass becomes a singleton of the same name with the field
-- `enabled` and the pass's uniforms, which are therefore saved, rewound and visible in SQL like all fields. The schema
-- of an additional singleton lists the passes, their order and their files. The renderer reads all of these singletons
-- (render/passes.c).
local need, native = ...
local report = need("base/report")
local scope = need("base/scope")
local components = need("schema/component")
local schema = need("schema/schema")
local types = need("schema/types")

local M = {}

local KEYS = { name = true, file = true, enabled = true, uniforms = true, covers = true }
local COVERS = { world = true, all = true }
local NUMBERS = { f32 = true, i32 = true, u32 = true, bool = true, enum = true, vec2 = true, vec3 = true, vec4 = true }
local GIVEN = { image = true, size = true, texel = true, time = true, at = true, result = true, main = true,
  enabled = true }
local MAX_PASSES, MAX_UNIFORMS, MAX_FILE = 16, 16, 100

local source ---@type engine.At
local schemas, passes, pass_names = {}, {}, {} -- schemas of all passes; declared passes; set of full pass names

local function fail(key, format, ...)
  report.fail { message = string.format(format, ...), file = source.file, piece = "shaders",
    line = key and report.find_line(source.text, key) or 1 }
end

local function check_keys(pass, label)
  for key in pairs(pass) do
    if key == "on" then
      fail(key, "%s.on is now %s.enabled: write enabled = %s", label, label, report.show(pass.on))
    elseif not KEYS[key] then
      fail(report.show(key), "%s has no field %s%s; available: %s", label, report.show(key),
        report.suggest(key, KEYS), report.join_names(KEYS))
    end
  end
end

local function read_file(pass, name)
  local file = pass.file == nil and "shaders/" .. name .. ".frag" or pass.file
  file = scope.add_prefix("asset", file, source.addon)
  if type(file) ~= "string" or not file:find("%.frag$") or #file > MAX_FILE then
    fail("file", "%s.file must be a fragment shader in assets/, got %s: use \"shaders/%s.frag\"", name,
      report.describe(file), name)
  elseif not native.asset_exists(file) then
    local available = {}
    for _, path in ipairs(native.game_files()) do
      available[path:match("^assets/(.*%.frag)$") or ""] = true
    end
    fail(pass.file ~= nil and "file" or name, "%s: assets/%s not found%s", name, file, report.hint(file, available))
  end
  return file
end

local function read_covers(pass, name)
  local covers = pass.covers == nil and "world" or pass.covers
  if not COVERS[covers] then
    fail("covers", "%s.covers must be \"world\", for the cameras' views, or \"all\", for the screen with widgets, "
      .. "got %s", name, report.describe(covers))
  end
  return covers
end

local function read_uniforms(pass, name)
  local uniforms, out, count = pass.uniforms == nil and {} or pass.uniforms, {}, 0
  if type(uniforms) ~= "table" or types.is_type(uniforms) then
    fail("uniforms", "%s.uniforms must be a table of names and values, got %s: use uniforms = { strength = 0.5 }",
      name, report.describe(uniforms))
  end
  for uniform, value in pairs(uniforms) do
    local field_type = types.get_field(value)
    if GIVEN[uniform] then
      fail(uniform, "%s.%s: every pass already has a uniform %s: choose a different name", name, uniform, uniform)
    elseif type(uniform) ~= "string" or not uniform:find("^%a[%w_]*$") or uniform:find("^gl_") or #uniform > 32 then
      fail("uniforms", "%s: invalid uniform name %s: use at most 32 letters, digits and _, beginning with a letter but "
        .. "not with gl_", name, report.show(uniform))
    elseif field_type and not NUMBERS[field_type.type] then
      fail(uniform, "%s.%s is a %s, but a uniform must be f32, i32, u32, bool, enum, vec2, vec3 or vec4", name,
        uniform, field_type.type)
    end
    out[uniform], count = value, count + 1
  end
  if count > MAX_UNIFORMS then
    fail("uniforms", "%s: too many uniforms: %d (at most %d)", name, count, MAX_UNIFORMS)
  elseif pass.enabled ~= nil and type(pass.enabled) ~= "boolean" then
    fail("enabled", "%s.enabled must be true or false, got %s", name, report.describe(pass.enabled))
  end
  out.enabled, out.renamed_from = pass.enabled ~= false, { enabled = "on" }
  return out
end

-- Reads the passes of the game or an add-on.
---@param declaration any the value that shaders.lua returned
---@param declaration_source engine.At
function M.read(declaration, declaration_source)
  source = declaration_source
  if type(declaration) ~= "table" or (next(declaration) ~= nil and #declaration == 0) then
    fail(nil, "the file must return a list of passes: return { { name = \"grain\", uniforms = { strength = 0.2 } } }")
  elseif #passes + #declaration > MAX_PASSES then
    fail(nil, "too many passes: %d including the add-ons' passes (at most %d): remove some of them",
      #passes + #declaration, MAX_PASSES)
  end
  for i, pass in ipairs(declaration) do
    local name = type(pass) == "table" and pass.name
    if type(name) ~= "string" or not name:find("^%a[%w_]*$") or #name > 40 then
      fail("name", "pass %d must have a name of 1 to 40 letters, digits and _, beginning with a letter, got %s: "
        .. "{ name = \"grain\", uniforms = { strength = 0.2 } }", i, report.describe(name))
    end
    scope.declare(source.addon, "component", name)
    local full_name = scope.add_prefix("component", name, source.addon)
    if pass_names[full_name] or components.by_name[full_name] then
      fail(name, "a %s %s already exists: choose a different name", pass_names[full_name] and "pass"
        or "component", full_name)
    end
    pass_names[full_name] = true
    check_keys(pass, name)
    local file, covers = read_file(pass, name), read_covers(pass, name)
    local pass_schema = schema.read(full_name, types.types.single(read_uniforms(pass, name)), "settings", source)
    components.add_declared(pass_schema).builtin = true
    schemas[#schemas + 1], passes[#passes + 1] = pass_schema, { full_name, "string", covers .. " " .. file }
  end
end

-- Declares the list of all passes that were read. Returns the schemas of their singletons and of the list.
---@return engine.Schema[]
function M.declare()
  if #passes > 0 then
    schemas[#schemas + 1] = schema.define("shoal.passes", "single", passes)
    components.add_declared(schemas[#schemas]).builtin = true
  end
  return schemas
end

return M
