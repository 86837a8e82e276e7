-- Immediate drawing for systems of the render phase. Colours are numbers 0…1, a list of them, or "#rrggbb[aa]".
local need, native = ...
local abi, report, state = need("abi"), need("report"), need("state")
local ffi, C, D = abi.ffi, abi.C, abi.draw

local M = {}
local ALIGN = { left = 0, center = 1, centre = 1, right = 2 }
local font = ""
local buffer, buffer_size = ffi.new("float[64]"), 64

local function drawing(what)
  if not state.rendering then
    report.complain("draw.%s works in systems of phase \"render\" only", what)
  end
end

function M.space(name)
  drawing("space")
  if name ~= "screen" and name ~= "world" then
    report.complain("draw.space takes \"world\" or \"screen\", not %s", report.plain(name))
  end
  C.draw_space(D, name == "screen")
end

function M.layer(layer)
  drawing("layer")
  C.draw_layer(D, layer)
end

function M.colour(r, g, b, a)
  drawing("colour")
  if type(r) == "table" then
    r, g, b, a = r[1] or r.r, r[2] or r.g, r[3] or r.b, r[4] or r.a
  elseif type(r) == "string" then
    local digits = r:match("^#(%x%x%x%x%x%x%x?%x?)$")
    if not digits then
      report.complain("draw.colour: %s is no colour like \"#ff8800\"", r)
    end
    a = #digits == 8 and tonumber(digits:sub(7, 8), 16) / 255 or g or 1
    r, g, b = tonumber(digits:sub(1, 2), 16) / 255, tonumber(digits:sub(3, 4), 16) / 255, tonumber(digits:sub(5, 6), 16) / 255
  end
  C.draw_colour(D, r or 1, g or 1, b or 1, a or 1)
end
M.color = M.colour

function M.blend(name)
  drawing("blend")
  if name ~= "alpha" and name ~= "add" then
    report.complain("draw.blend takes \"alpha\" or \"add\", not %s", report.plain(name))
  end
  C.draw_blend(D, name == "add")
end

function M.font(name)
  drawing("font")
  if name ~= nil and type(name) ~= "string" then
    report.complain("draw.font takes the name of a font, not %s", type(name))
  end
  font = name or ""
  C.draw_font(D, font)
end

function M.line(x1, y1, x2, y2, width)
  drawing("line")
  C.draw_line(D, x1, y1, x2, y2, width or 2)
end

function M.circle(x, y, radius, filled, width)
  drawing("circle")
  C.draw_circle(D, x, y, radius, filled ~= false, width or 2)
end

function M.rect(x, y, w, h, filled, width)
  drawing("rect")
  C.draw_rect(D, x, y, w, h, filled ~= false, width or 2)
end

-- points: { x1, y1, x2, y2, … } or { { x1, y1 }, … }
function M.polygon(points, filled, width)
  drawing("polygon")
  if type(points) ~= "table" then
    report.complain("draw.polygon takes a list of points, not %s", type(points))
  end
  local nested = type(points[1]) == "table"
  local count = nested and #points or math.floor(#points / 2)
  if count < 2 then
    report.complain("draw.polygon needs two points or more")
  end
  if count * 2 > buffer_size then
    buffer_size = count * 4
    buffer = ffi.new("float[?]", buffer_size)
  end
  for i = 1, count do
    if nested then
      buffer[2 * i - 2], buffer[2 * i - 1] = points[i][1], points[i][2]
    else
      buffer[2 * i - 2], buffer[2 * i - 1] = points[2 * i - 1], points[2 * i]
    end
  end
  C.draw_polygon(D, buffer, count, filled ~= false, width or 2)
end

function M.text(text, x, y, size, align, wrap)
  drawing("text")
  local number = ALIGN[align or "left"]
  if not number then
    report.complain("draw.text: align is \"left\", \"center\" or \"right\", not %s", report.plain(align))
  end
  C.draw_text(D, report.plain(text), x, y, size or 24, number, wrap or 0)
end

function M.text_size(text, size, wrap)
  return native.text_size(report.plain(text), size or 24, font, wrap or 0)
end

function M.image(name, x, y, angle, scale_x, scale_y)
  drawing("image")
  if type(name) ~= "string" then
    report.complain("draw.image takes the name of an image, not %s", type(name))
  end
  C.draw_image(D, name, x, y, angle or 0, scale_x or 1, scale_y or scale_x or 1)
end

-- Each render system starts with the same pen.
function M.reset()
  font = ""
  C.draw_space(D, false)
  C.draw_layer(D, 0)
  C.draw_colour(D, 1, 1, 1, 1)
  C.draw_blend(D, false)
  C.draw_font(D, "")
end

return M
