-- Tests of assets.json, assets.csv, assets.text and utf8.
local items = assets.json "data/items.json"
local csv, json_of = assets.csv, assets.json -- aliases, because the loader reads files that direct calls name literally

return {
  outside = {
    ["assets.json decodes JSON to Lua values and returns the same table each time"] = function(t)
      t.equal(items.sword.power, 3.25)
      t.equal(#items.list, 3)
      t.equal(items.list[2].name, "b")
      t.equal(items.whole, 9007199254740991)
      t.equal(items.none, nil)
      t.equal(items.sword.none, nil)
      t.is_true(rawequal(assets.json "data/items.json", items))
      local keys = {}
      for key, v in pairs(items.sword) do
        keys[#keys + 1] = key .. "=" .. tostring(v)
      end
      t.equal(table.concat(keys, " "), "cursed=true power=3.25")
      t.equal(json.encode(items.sword), '{"cursed":true,"power":3.25}')
      t.equal(next(items.empty), nil)
    end,
    ["data from assets/ is read-only at every level"] = function(t)
      t.fails(function() items.sword = nil end, "data/items.json is read-only", "sword cannot be set")
      t.fails(function() items.sword.power = 4 end, "data/items.json.sword is read-only")
      t.fails(function() items.shield = 4 end, "is read-only")
      t.fails(function() items.list[4] = 4 end, "data/items.json.list is read-only")
      t.fails(function() table.insert(items.list, 4) end, "table.insert")
      t.fails(function() rawset(items.list, 4, 4) end, "rawset")
      t.fails(function() rawset(items, "sword", 4) end, "rawset")
      t.fails(function() setmetatable(items, nil) end)
      t.equal(items.sword.power, 3.25)
      t.fails(function() assets.csv("data/waves.csv")[1].count = 3 end, "is read-only")
    end,
    ["an assemblage can be spawned with values from a file"] = function(t)
      local e = world.spawn("rock", items.rock)
      t.equal(e.transform.x, 12)
      t.equal(e.health.hp, 3)
      e:destroy()
    end,
    ["assets.csv returns a list of rows with quoted strings and numeric columns"] = function(t)
      local waves = assets.csv "data/waves.csv"
      t.equal(#waves, 3)
      t.equal(waves[1].name .. waves[2].name .. waves[3].name, "flybeewasp")
      t.equal(waves[1].count + 1, 4)
      t.equal(waves[2].count, nil)
      t.equal(waves[3].count, -0.5)
      t.equal(waves[1].code, "007")
      t.equal(waves[1]["what, it says"], 'a "b" c')
      t.equal(waves[2]["what, it says"], "two\nlines")
      t.equal(waves[3]["what, it says"], "")
      t.equal(waves[1].quoted, "1")
    end,
    ["an error in a CSV or JSON file names its line"] = function(t)
      t.fails(function() csv "data/more.csv" end,
        "assets/data/more.csv:3:5: the line has 3 fields, but the first line names 2")
      t.fails(function() csv "data/open.csv" end,
        "assets/data/open.csv:2:3: the closing quotation mark of a field is missing: add")
      t.fails(function() csv "data/behind.csv" end, "assets/data/behind.csv:2:3: expected a comma")
      t.fails(function() csv "data/twice.csv" end, "assets/data/twice.csv:1:3: two columns are named a")
      t.fails(function() csv "data/nameless.csv" end, "assets/data/nameless.csv:1:3: column 2 has no name")
      t.fails(function() json_of "data/broken.json" end, "assets/data/broken.json:3:")
    end,
    ["assets.text returns a file's text, and the error for a missing file suggests the nearest name"] = function(t)
      t.equal(assets.text "data/credits.txt", "Anna\nBen\n")
      t.equal(#assets.text("data/items.json") > 20, true)
      t.fails(function() assets.text "data/credit.txt" end, "did you mean data/credits.txt?")
      t.fails(function() assets.text "../game.lua" end, "assets/../game.lua not found")
      t.fails(function() assets.text "data/big.txt" end, "assets/data/big.txt not found")
    end,
    ["utf8 behaves as in Lua 5.3"] = function(t)
      local s, list = "aä€😀", {}
      for at, code in utf8.codes(s) do
        list[#list + 1] = at .. ":" .. code
      end
      t.equal(table.concat(list, " "), "1:97 2:228 4:8364 7:128512")
      t.equal(utf8.len(s), 4)
      t.equal(utf8.len(s, 2), 3)
      t.equal(utf8.len(s, -4), 1)
      t.equal(select("#", utf8.codepoint(s, 1, -1)), 4)
      t.equal((utf8.codepoint(s, 4)), 8364)
      t.equal(utf8.char(97, 228, 8364, 128512, 0, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF),
        s .. "\0\223\191\224\160\128\239\191\191\240\144\128\128\244\143\191\191")
      t.equal(utf8.char(), "")
      t.equal(utf8.offset(s, 3), 4)
      t.equal(utf8.offset(s, -1), 7)
      t.equal(utf8.offset(s, 5), #s + 1)
      t.equal(utf8.offset(s, 6), nil)
      t.equal(utf8.offset(s, 0, 6), 4)
      t.equal(utf8.offset("", 1), 1)
      list = {}
      for c in s:gmatch(utf8.charpattern) do
        list[#list + 1] = #c
      end
      t.equal(table.concat(list), "1234")
      for _, wrong in ipairs { "a\255", "a\192\128", "a\224\128\128", "a\244\144\128\128", "a\195", "a\128" } do
        local length, at = utf8.len(wrong)
        t.equal(tostring(length) .. at, "nil2")
        t.fails(function() for _ in utf8.codes(wrong) do t.equal(1, 1) end end, "not valid UTF-8")
        t.fails(function() utf8.codepoint(wrong, 2) end, "byte 2 is not valid UTF-8")
      end
      t.fails(function() utf8.char(-1) end, "utf8.char")
      t.fails(function() utf8.char(0x110000) end, "utf8.char")
      t.fails(function() utf8.len {} end, "utf8.len: expected a string")
      t.fails(function() utf8.len("a", 5) end, "byte 5 is out of range")
      t.fails(function() utf8.offset("ä", 1, 2) end, "in the middle of a character")
      t.fails(function() utf8.codepoint("a", 2) end, "byte 2 is out of range in a string of 1 bytes")
    end,
  },
}
