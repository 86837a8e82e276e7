-- (number, kind) → a system with a random kernel. Kinds:
--   "tame": every value is a whole number that f32 holds, so the kernel and its loop form agree in every bit whatever
--   they round
--   "wild": everything a kernel may say, in any size: it must be taken, run as a loop or be refused with words
-- All that it remembers belongs to one call: nothing is kept between ticks.
local function written(number, kind)
  local state = number * 2654435761 % 2 ^ 32 + 1

  local function random(n) -- → 1 … n
    for _ = 1, 2 do
      state = (state * 69069 + 12345) % 2 ^ 32
    end
    return math.floor(state / 2 ^ 32 * n) + 1
  end

  local function pick(list)
    return list[random(#list)]
  end

  local FLOATS = { "q.a.x", "q.a.y", "q.a.z", "q.a.at.x", "q.a.at.y", "q.a.d" }
  local OTHERS = { "q.b.x", "q.b.s", "q.b.w", "q.b.n", "q.b.u" }
  local made -- { fields, locals, truths, wild }: of the kernel that is being written

  -- --- expressions: text, and the largest size of a tame one

  local expression

  local function small(text, size, most)
    if made.wild or size <= most then
      return text, size
    end
    return ("m.clamp(%s, %d, %d)"):format(text, -most, most), most
  end

  local function plain()
    return made.wild and random(3) == 1 and ("(%s)"):format(pick { "dt", "0.1", "-2.5", "1e6", "1e-6", "16777217" })
      or ("(%d)"):format(random(19) - 10), 10
  end

  local function leaf()
    local which = random(4)
    if which == 1 then
      return plain()
    elseif which == 2 and #made.locals > 0 then
      return pick(made.locals), 200
    end
    return pick(made.fields), 200
  end

  local function known_truth()
    local which = random(8)
    if which == 1 then
      return pick { "true", "false" }
    elseif which <= 4 and #made.truths > 0 then
      return pick(made.truths)
    elseif which == 5 and made.has_b then
      return "q.b.on"
    end
  end

  local function condition(depth)
    local form = depth > 0 and random(2) == 1
      and pick { "m.all(%s, %s)", "m.any(%s, %s)", "m.not_(%s)", "m.eq(%s, %s)", "m.select(%s, %s, %s)" }
    if form then
      return form:format(condition(depth - 1), condition(depth - 1), (condition(depth - 1)))
    end
    return known_truth() or ("m.%s(%s, %s)"):format(pick { "lt", "le", "gt", "ge", "eq" }, expression(depth - 1),
      (expression(depth - 1)))
  end

  local function product(depth)
    local a, b = expression(depth - 1)
    a, b = small(a, b, 500)
    local c, d = expression(depth - 1)
    c, d = small(c, d, 500)
    return ("(%s * %s)"):format(a, c), b * d
  end

  local function sum(depth)
    local a, b = expression(depth - 1)
    a, b = small(a, b, 250000)
    local c, d = expression(depth - 1)
    c, d = small(c, d, 250000)
    return ("(%s %s %s)"):format(a, pick { "+", "-" }, c), b + d
  end

  local function choice(depth)
    local a, b = expression(depth - 1)
    local c, d = expression(depth - 1)
    if random(2) == 1 then
      return ("m.%s(%s, %s)"):format(pick { "min", "max" }, a, c), math.max(b, d)
    end
    return ("m.select(%s, %s, %s)"):format(condition(depth - 1), a, c), math.max(b, d)
  end

  local function one(depth)
    local a, b = expression(depth - 1)
    local form = pick { "m.abs(%s)", "m.floor(%s)", "(-%s)" }
    return form:format(a), b
  end

  local function remainder(depth)
    return ("(%s %% %d)"):format(expression(depth - 1), random(9)), 10
  end

  local function anything(depth)
    local form = pick { "(%s / %s)", "(%s %% %s)", "m.sqrt(%s + 0 * %s)", "(%s ^ 2 + %s ^ 3)", "m.lerp(%s, %s, 0.3)",
      "(%s ^ 0.5 - %s)" }
    return form:format((expression(depth - 1)), (expression(depth - 1))), 1
  end

  -- What has no type until it meets a column, or ends without one.
  local typeless
  function typeless(depth)
    if depth <= 0 then
      return plain()
    end
    local form = pick { "(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s / %s)", "(-%s)", "m.min(%s, %s)", "m.max(%s, %s)",
      "m.select(" .. condition(1):gsub("%%", "%%%%") .. ", %s, %s)", "m.clamp(%s, -3, %s)" }
    return form:format((typeless(depth - 1)), (typeless(depth - 1))), 1
  end

  local FORMS = { product, sum, sum, choice, one, remainder, anything, typeless }

  function expression(depth)
    if depth <= 0 or random(6) == 1 then
      return leaf()
    end
    return FORMS[random(made.wild and 8 or 6)](depth)
  end

  -- --- statements

  local MOST = { ["q.b.n"] = 100, ["q.b.u"] = 200, ["q.b.w"] = 200, ["q.b.s"] = 200, ["q.a.i"] = 200 }
  local UNSIGNED = { ["q.b.u"] = true, ["q.b.w"] = true }

  local function store(depth)
    local to = pick(made.targets)
    if to == "q.b.on" then
      return to .. " = " .. condition(depth)
    end
    local most = MOST[to] or 200
    return ("%s = m.clamp(%s, %d, %d)"):format(to, expression(depth), UNSIGNED[to] and 0 or -most, most)
  end

  local function statement(depth)
    local which = random(9)
    if which == 9 and #made.truths < 20 then
      local text = condition(depth)
      made.truths[#made.truths + 1] = "t" .. #made.truths + 1
      return ("local %s = %s"):format(made.truths[#made.truths], text)
    elseif which == 1 then
      return ("for _ = 1, %d do %s end"):format(random(made.wild and pick { 4, 40, 400 } or 4),
        store(math.min(depth, 2)))
    elseif which <= 4 and #made.locals < 40 then
      local text, size = small(expression(depth), 1e9, 200)
      made.locals[#made.locals + 1] = "v" .. #made.locals + 1
      return ("local %s = %s"):format(made.locals[#made.locals], text), size
    end
    return store(depth)
  end

  local function write()
    made = { wild = kind == "wild", has_b = random(2) == 1, locals = {}, truths = {}, fields = {},
      targets = {} }
    for _, name in ipairs(FLOATS) do
      made.fields[#made.fields + 1], made.targets[#made.targets + 1] = name, name
    end
    made.targets[#made.targets + 1] = "q.a.i"
    for _, name in ipairs(made.has_b and OTHERS or {}) do
      made.fields[#made.fields + 1], made.targets[#made.targets + 1] = name, name
    end
    made.targets[#made.targets + 1] = made.has_b and "q.b.on" or nil
    local lines = { "local m = ...", "return function(q, dt)" }
    for _ = 1, random(pick { 3, 12, 30 }) do
      lines[#lines + 1] = statement(random(4))
    end
    lines[#lines + 1] = store(3)
    lines[#lines + 1] = "end"
    return table.concat(lines, "\n")
  end

  return write(), made
end

return function(number, kind)
  local text, made = written(number, kind)
  return { query = { "a", made.has_b and "b" or nil },
    kernel = assert(load(text, "=random kernel " .. number))(shoal.math) }, text
end
