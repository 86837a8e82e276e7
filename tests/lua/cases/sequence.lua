-- e:sequence and e:answer: sequential steps whose position is part of the world.
local seen = require("lib.seen")

local function list_running_steps(e)
  local list = {}
  for _, row in ipairs(world.sql("SELECT instance, doing FROM in_sequence WHERE entity = ? ORDER BY instance", e)) do
    list[#list + 1] = row.instance .. " " .. row.doing
  end
  return table.concat(list, " | ")
end

-- Waits at most `max_ticks` ticks for the next recorded lines. Returns the number of ticks and the lines.
local function wait_for_lines(t, max_ticks)
  seen.take()
  for tick = 1, max_ticks do
    t.wait()
    local said = seen.take()
    if said ~= "" then
      return tick .. " " .. said
    end
  end
  return nil
end

return {
  outside = {
    ["invalid arguments of e:sequence and e:answer are errors"] = function(t)
      local e, dead = world.spawn("rock"), world.spawn("rock")
      dead:destroy()
      t.fails(function() e:sequence("intrp") end, "unknown sequence intrp", "did you mean intro?")
      t.fails(function() e:sequence(3) end, "unknown sequence 3")
      t.fails(function() dead:sequence("intro") end, "e:sequence()", "is dead: destroyed at tick")
      t.fails(function() dead:answer() end, "e:answer()", "is dead")
      t.fails(function() e:answer(0) end, "the number of a choice (from 1), got 0")
      t.fails(function() e:answer("yes") end, "the number of a choice (from 1), got text \"yes\"")
      t.is_false(e:answer())
      t.equal(e:sequence(), nil)
      e:sequence(nil)
      e:sequence("intro")
      t.equal(e:sequence(), "intro")
      e:sequence("talk")
      t.equal(e:sequence(), "talk")
      e:sequence(nil)
      t.equal(e:sequence(), nil)
      t.equal(world.count("in_sequence"), 0)
      e:destroy()
    end,
  },
  inside = {
    ["the steps of a sequence run sequentially, each at its time"] = function(t)
      local e = world.spawn("rock", { health = { hp = 5 } })
      e:sequence("intro")
      t.equal(wait_for_lines(t, 30), "7 intro waited 1")
      t.equal(list_running_steps(e), "main tween")
      t.equal(wait_for_lines(t, 30), "6 intro moved 60 | ended transform.x true")
      t.equal(wait_for_lines(t, 20), nil)
      t.equal(list_running_steps(e), "main wait_for")
      e.health.hp = 0
      t.equal(wait_for_lines(t, 30), "4 intro heard 60")
      t.equal(list_running_steps(e), "main all | main/8:1 wait | main/8:2 wait")
      t.equal(wait_for_lines(t, 30), "3 intro in between 60")
      t.equal(list_running_steps(e), "main all | main/8:1 wait")
      t.equal(wait_for_lines(t, 30), "3 intro both 60 | intro through 60 | end of intro true")
      t.equal(list_running_steps(e), "")
      e:destroy()
    end,
    ["the position in a sequence is restored with the world"] = function(t)
      local e = world.spawn("rock", { health = { hp = 0 } })
      e:sequence("intro")
      t.wait(21)
      local s = world.snapshot()
      t.wait(3)
      local first = list_running_steps(e)
      t.wait(30)
      t.equal(list_running_steps(e), "")
      world.restore(s)
      t.wait(4)
      t.equal(list_running_steps(e), first)
      e:sequence(nil)
      t.wait(2)
      seen.take()
      e:destroy()
    end,
    ["a `say` step waits for an answer or until its time is over"] = function(t)
      local e = world.spawn("rock", { health = { hp = 7 } })
      e:sequence("talk")
      t.wait(5)
      t.equal(e.saying.who .. ": " .. e.saying.text .. e.saying.choices, "Anna: Hello")
      t.is_true(e:answer())
      t.wait(2)
      t.equal(e.saying.who .. ": " .. e.saying.text, ": hp 7")
      t.wait(8)
      t.equal(e.saying.text .. " " .. e.saying.choices, "Really? Yes\nNo\nNever")
      t.fails(function() e:answer(4) end, "expected a choice from 1 to 3, got 4")
      e:answer(2)
      t.wait(2)
      t.equal(e.saying.text, "Really?")
      e:answer()
      t.wait(2)
      t.equal(e.health.hp, 1)
      t.equal(e.saying.text, "one")
      e:answer()
      t.wait(2)
      t.equal(e.saying.text, "two")
      e:remove("saying")
      t.wait(2)
      t.is_false(e:has("saying"))
      t.is_false(e:has("in_sequence"))
      e:sequence("talk")
      t.wait(2)
      e:answer()
      t.wait(9)
      e:answer(3)
      t.wait(2)
      t.equal(e.health.hp, -1)
      e:sequence(nil)
      t.wait()
      t.is_false(e:has("saying"))
      e:destroy()
    end,
    ["a step may end its own sequence or destroy its entity"] = function(t)
      local list = {}
      for hp = 1, 4 do
        list[hp] = world.spawn("rock", { health = { hp = hp } })
        list[hp]:sequence("changes")
      end
      t.wait(2)
      t.is_false(list[1]:alive())
      t.equal(list[2]:sequence() .. list[2].health.hp, "intro2")
      t.equal(tostring(list[3]:sequence()) .. list[3].health.hp, "nil3")
      t.equal(list[4]:sequence() .. list[4].health.hp, "changes1000")
      for hp = 2, 4 do
        list[hp]:destroy()
      end
    end,
    ["a disabled sequence does not advance"] = function(t)
      local e = world.spawn("rock")
      e:sequence("intro")
      t.wait(2)
      e:disable("in_sequence")
      t.equal(wait_for_lines(t, 10), nil)
      e:enable("in_sequence")
      t.equal(wait_for_lines(t, 10), "5 intro waited 1")
      e:destroy()
    end,
  },
}
