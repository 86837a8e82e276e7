-- Spawns a copy of every entity from its JSON and compares the copy's JSON with it. Run with --exec; returns the number
-- of compared entities and the differences. At most 100 entities of each assemblage are compared.
local MAX_OF_KIND = 100

-- Returns the path of the first difference; nil if the tables are equal. `ids`: entities of `a` → entities of `b`.
local function find_difference(a, b, ids, path)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a ~= b and ids[a] ~= b and ("%s: %s became %s"):format(path, tostring(a), tostring(b)) or nil
  end
  for key, v in pairs(a) do
    local found = find_difference(v, b[key], ids, path .. "." .. key)
    if found then
      return found
    end
  end
  for key, v in pairs(b) do
    if a[key] == nil then
      return ("%s.%s: nil became %s"):format(path, key, tostring(v))
    end
  end
end

local function pair_ids(a, b, ids)
  ids[a.id] = b.id
  for name, child in pairs(a.children or {}) do
    if child and b.children and b.children[name] then
      pair_ids(child, b.children[name], ids)
    end
  end
  return ids
end

local function check(e, options)
  local text = e:json(options)
  local copy = world.spawn(json.decode(text))
  local a, b = json.decode(text), json.decode(copy:json(options))
  copy:destroy()
  return find_difference(a, b, pair_ids(a, b, {}), tostring(e))
end

local count, of_kind, problems = 0, {}, {}
for _, row in ipairs(world.sql("SELECT entity FROM entities")) do
  local e = row.entity
  local kind = e:assemblage() or ""
  of_kind[kind] = (of_kind[kind] or 0) + 1
  if of_kind[kind] <= MAX_OF_KIND then
    count = count + 1
    problems[#problems + 1] = check(e) or check(e, { children = true })
  end
end
return ("%d entities, %d differences\n%s"):format(count, #problems, table.concat(problems, "\n"))
