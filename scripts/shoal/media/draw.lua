-- The `draw` API of scripts: immediate drawing for systems of the render phase. A colour is given as numbers from 0 to
-- 1, a list of them, or "#rrggbb[aa]".
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local missing_assets = need("messages/missing_assets")
local ffi, C, D = abi.ffi, abi.C, abi.draw

---@class engine.draw: shoal.Draw
local M = {}
local ALIGN = { left = 0, center = 1, centre = 1, right = 2 }
local VALIGN = { top = 0, middle = 1, bottom = 2 }
local NUMBERS = { "outline_width", "shadow_x", "shadow_y", "line_spacing" }
local COLOURS = { "outline", "shadow" }
local STYLE = { outline = 1, outline_width = 1, shadow = 1, shadow_x = 1, shadow_y = 1, line_spacing = 1, shown = 1,
  valign = 1, markup = 1 }
local EMPTY, PLAIN = {}, ffi.new("draw_text_style_t") -- PLAIN: the default text style, in which all members are 0
local font = ""
local style = ffi.new("draw_text_style_t")
local buffer, buffer_size = ffi.new("float[64]"), 64

local function fail_not_a_number(function_name, name, v)
  report.raise("draw.%s: %s must be a number, got %s", function_name, name, report.describe(v))
end

local function check_number(function_name, name, v)
  if type(v) ~= "number" then
    fail_not_a_number(function_name, name, v)
  end
end

local function check_optional_number(function_name, name, v)
  if v ~= nil and type(v) ~= "number" then
    fail_not_a_number(function_name, name, v)
  end
end

local SHAPES = { circle = "x, y, radius", rect = "x, y, width, height", polygon = "points" }

local function check_filled(function_name, v)
  if type(v) == "number" then
    report.raise("draw.%s: filled must be true or false, got %s: for a line of this width, use draw.%s(%s, false, %s)",
      function_name, report.describe(v), function_name, SHAPES[function_name], report.show(v))
  elseif v ~= nil and type(v) ~= "boolean" then
    report.raise("draw.%s: filled must be true or false, got %s: set the colour with draw.colour(\"#ff8800\")",
      function_name, report.describe(v))
  end
end

---@param name "world"|"screen"
---@param camera? shoal.Entity draws only in this camera's view; nil: in all views
function M.space(name, camera)
  phases.check("draw.space")
  if name ~= "screen" and name ~= "world" then
    report.raise("draw.space: expected \"world\" or \"screen\", got %s", report.describe(name))
  end
  local id = camera ~= nil and handle.get_id(camera)
  if camera ~= nil and not id then
    report.raise("draw.space: the camera must be an entity, or nil for all cameras, got %s",
      report.describe(camera))
  end
  C.draw_set_space(D, name == "screen")
  C.draw_set_view(D, id or 0)
end

---@param layer integer
function M.layer(layer)
  phases.check("draw.layer")
  check_number("layer", "the layer", layer)
  C.draw_set_layer(D, layer)
end

---@param function_name string
---@return number? r, number? g, number? b, number? a
local function read_colour(function_name, r, g, b, a)
  if type(r) == "table" then
    r, g, b, a = r[1] or r.r, r[2] or r.g, r[3] or r.b, r[4] or r.a
  elseif type(r) == "string" then
    local digits = r:match("^#(%x%x%x%x%x%x%x?%x?)$")
    if not digits then
      report.raise("draw.%s: invalid colour %s: use \"#rrggbb\" or \"#rrggbbaa\"", function_name, r)
    end
    a = #digits == 8 and tonumber(digits:sub(7, 8), 16) / 255 or g or 1
    r, g, b = tonumber(digits:sub(1, 2), 16) / 255, tonumber(digits:sub(3, 4), 16) / 255,
      tonumber(digits:sub(5, 6), 16) / 255
  end
  check_optional_number(function_name, "red", r)
  check_optional_number(function_name, "green", g)
  check_optional_number(function_name, "blue", b)
  check_optional_number(function_name, "alpha", a)
  return r or 1, g or 1, b or 1, a or 1
end

---@param r any
---@param g? number
---@param b? number
---@param a? number
function M.colour(r, g, b, a)
  phases.check("draw.colour")
  C.draw_set_colour(D, read_colour("colour", r, g, b, a))
end
M.color = M.colour

function M.blend(name)
  phases.check("draw.blend")
  if name ~= "alpha" and name ~= "add" then
    report.raise("draw.blend: expected \"alpha\" or \"add\", got %s", report.describe(name))
  end
  C.draw_set_blend(D, name == "add")
end

function M.font(name)
  phases.check("draw.font")
  if name ~= nil and type(name) ~= "string" then
    report.raise("draw.font: expected the name of a font, got %s", report.describe(name))
  end
  font = name or ""
  missing_assets.check(font, "draw.font")
  C.draw_set_font(D, font)
end

local function read_style(options)
  for i = 1, #COLOURS do
    local name = COLOURS[i]
    local r, g, b, a = 0, 0, 0, name == "shadow" and 0.6 or 1
    if options[name] ~= nil then
      r, g, b, a = read_colour("text_style: " .. name, options[name])
    end
    local target = style[name]
    target[0], target[1], target[2], target[3] = r, g, b, a
  end
  for i = 1, #NUMBERS do
    local name = NUMBERS[i]
    check_optional_number("text_style", name, options[name])
    style[name] = options[name] or 0
  end
  local visible_count, vertical_align = options.shown, VALIGN[options.valign or "top"]
  check_optional_number("text_style", "shown", visible_count)
  if not vertical_align then
    report.raise("draw.text_style: valign must be \"top\", \"middle\" or \"bottom\", got %s",
      report.describe(options.valign))
  end
  style.hidden = visible_count and visible_count >= 0 and visible_count < 1e9 and math.floor(visible_count) + 1 or 0
  style.valign = vertical_align
  style.markup = options.markup == true
end

-- Sets the style of all text that this system draws after the call, except its colour and font. Without options, resets
-- the style to the default.
---@param options? table
function M.text_style(options)
  phases.check("draw.text_style")
  if options ~= nil and type(options) ~= "table" then
    report.raise("draw.text_style: options must be a table, got %s: use { outline_width = 2 }",
      report.describe(options))
  end
  for name in pairs(options or EMPTY) do
    if not STYLE[name] then
      report.raise("draw.text_style has no option %s%s", report.show(name), report.hint(name, STYLE))
    end
  end
  read_style(options or EMPTY)
  C.draw_set_text_style(D, options and style or PLAIN)
end

function M.line(x1, y1, x2, y2, width)
  phases.check("draw.line")
  check_number("line", "x1", x1)
  check_number("line", "y1", y1)
  check_number("line", "x2", x2)
  check_number("line", "y2", y2)
  check_optional_number("line", "the width", width)
  C.draw_line(D, x1, y1, x2, y2, width or 2)
end

function M.circle(x, y, radius, filled, width)
  phases.check("draw.circle")
  check_number("circle", "x", x)
  check_number("circle", "y", y)
  check_number("circle", "the radius", radius)
  check_filled("circle", filled)
  check_optional_number("circle", "the width", width)
  C.draw_circle(D, x, y, radius, filled ~= false, width or 2)
end

---@param x number
---@param y number
---@param w number
---@param h number
---@param filled? boolean
---@param width? number line width
function M.rect(x, y, w, h, filled, width)
  phases.check("draw.rect")
  check_number("rect", "x", x)
  check_number("rect", "y", y)
  check_number("rect", "the width", w)
  check_number("rect", "the height", h)
  check_filled("rect", filled)
  check_optional_number("rect", "the line's width", width)
  C.draw_rect(D, x, y, w, h, filled ~= false, width or 2)
end

-- Draws a polygon. `points` is { x1, y1, x2, y2, … } or { { x1, y1 }, … }.
function M.polygon(points, filled, width)
  phases.check("draw.polygon")
  if type(points) ~= "table" then
    report.raise("draw.polygon: expected a list of points, got %s", report.describe(points))
  end
  local is_nested = type(points[1]) == "table"
  local count = is_nested and #points or math.floor(#points / 2)
  if count < 2 then
    report.raise("draw.polygon: expected at least two points, got %d", count)
  end
  check_filled("polygon", filled)
  check_optional_number("polygon", "the width", width)
  if count * 2 > buffer_size then
    buffer_size = count * 4
    buffer = ffi.new("float[?]", buffer_size)
  end
  for i = 1, count do
    local x, y
    if is_nested then
      x, y = points[i][1], points[i][2]
    else
      x, y = points[2 * i - 1], points[2 * i]
    end
    check_number("polygon", "x of a point", x)
    check_number("polygon", "y of a point", y)
    buffer[2 * i - 2], buffer[2 * i - 1] = x, y
  end
  C.draw_polygon(D, buffer, count, filled ~= false, width or 2)
end

---@param text any
---@param x number
---@param y number
---@param size? number
---@param align? "left"|"center"|"right"
---@param wrap? number
function M.text(text, x, y, size, align, wrap)
  phases.check("draw.text")
  local alignment = ALIGN[align or "left"]
  check_number("text", "x", x)
  check_number("text", "y", y)
  check_optional_number("text", "the size", size)
  check_optional_number("text", "the wrap", wrap)
  if not alignment then
    report.raise("draw.text: align must be \"left\", \"center\" or \"right\", got %s", report.describe(align))
  end
  size = size or 24
  local shown_size = C.draw_scale_text(D, size)
  if style.valign == 0 then
    y = y - (shown_size - size) * 0.6 -- larger text stays in the middle of its line
  end
  C.draw_text(D, report.show(text), x, y, shown_size, alignment, wrap or 0)
end

function M.text_size(text, size, wrap)
  phases.check("draw.text_size")
  check_optional_number("text_size", "the size", size)
  check_optional_number("text_size", "the wrap", wrap)
  size = C.draw_scale_text(D, size or 24)
  return native.text_size(report.show(text), size, font, wrap or 0, style.markup, style.line_spacing)
end

-- Draws an image. `frame` is a frame of its sprite sheet, from 1, or nil for the whole image.
function M.image(name, x, y, angle, scale_x, scale_y, frame)
  phases.check("draw.image")
  if type(name) ~= "string" then
    report.raise("draw.image: expected the name of an image, got %s", report.describe(name))
  end
  name = scope.name("asset", name)
  check_number("image", "x", x)
  check_number("image", "y", y)
  check_optional_number("image", "the angle", angle)
  check_optional_number("image", "scale_x", scale_x)
  check_optional_number("image", "scale_y", scale_y)
  check_optional_number("image", "the frame", frame)
  if frame and not (frame >= 1 and frame <= 1e6) then
    report.raise("draw.image: frame must be a number from 1 to 1000000, got %s", report.describe(frame))
  end
  missing_assets.check(name, "draw.image")
  C.draw_image(D, name, x, y, angle or 0, scale_x or 1, scale_y or scale_x or 1, frame or 0)
end

-- Resets the drawing state before each render system.
function M.reset()
  font = ""
  read_style(EMPTY)
  C.draw_reset(D)
end

return M
