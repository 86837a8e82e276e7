local functions = require("lib.state_functions")

return {
  rock = { components = { transform = { x = 1 }, motion = { vx = 20 }, health = {} } },
  pebble = { is = "rock", components = { motion = { vy = 5 } }, without = { "health" } },
  vehicle = { components = { transform = {}, health = { hp = 7 } } },
  tank = {
    is = "vehicle",
    components = { gun = { left = { heat = 1 }, right = {} } },
    children = { turret = { components = { transform = { y = 8 } } } },
    states = {
      initial = "alive",
      alive = { motion = { vx = 3 }, burning = {} },
      dying = { lifetime = { seconds = 2 }, motion = { vx = 9 } },
    },
  },
  heavy_tank = {
    is = "tank",
    components = { gun = { left = { cooldown = 9 }, rear = { heat = 2 } } },
    states = { initial = "alive", alive = { motion = { vx = 1 } }, stuck = { frozen = {} } },
  },
  convoy = { components = { transform = {} }, children = { first = { is = "rock" }, lead = { is = "tank" }, {} } },
  unarmed_tank = { is = "tank", components = { gun = false, label = "unarmed" } },
  rearmed_tank = { is = "unarmed_tank", components = { gun = { top = { heat = 4 } } } },
  dozing = { components = { label = "doze", marker = {}, disabled = { marker = {} } } },
  prober = { components = { transform = {}, probe = {} } },
  short = { components = { label = "hello", burning = {}, frozen = {} } },
  bare_parent = {
    components = { health = {} },
    children = { left = { components = { label = "l" } }, right = { is = "pebble" } },
  },
  kite = {
    components = { glider = { lift = 3 } },
    states = { initial = "flying", flying = { pilot = {} }, parked = { marker = {} } },
  },
  tethered_kite = { is = "kite", components = { transform = { x = 5 } } },
  cargo = { components = { marker = {} }, states = { initial = "placed", placed = { transform = {} }, stored = {} } },
  painting = { components = { appearance = { colors = { r = 0.25, deep = { kind = "loud" } } },
    dial = { left = { heat = { now = 2 } } } } },
  sketch = { is = "painting", components = { appearance = { colors = { g = 0.75 } } } },
  sack = { components = { bag = { items = { 3, 4 } } } },
  both = { is = { "rock", "vehicle" } },
  health = { components = { transform = {}, health = {} } }, -- has the same name as one of its components
  crew = { components = { transform = {} }, children = { zoe = {}, {}, adam = {}, {}, bob = {} } },
  larger_crew = { is = "crew", children = { ida = {}, adam = { label = "again" }, cid = {} } },
  computed_crew = { components = { transform = {} }, children = functions.crew() },

  -- The ship from the state machine example of the Ash framework: its appearance depends on its state.
  ship = {
    components = { transform = {}, display = { view = "nothing", size = 3 } },
    states = {
      initial = "playing",
      playing = { display = { view = "ship" }, motion = {} },
      destroyed = { display = { view = "wreck" }, lifetime = function(e) return { seconds = e.display.size } end },
      drifting = { display = { view = "wreck" }, label = function() return "adrift" end },
      adrift = { label = functions.adrift, motion = { spin = 2 } },
      still_adrift = { label = functions.adrift },
    },
  },
  keeper = {
    components = { transform = {} },
    states = {
      initial = "armed",
      armed = {
        gun = { left = { heat = 1, keep = true }, right = {} }, shield = { power = 4, keep = true },
        marker = { keep = true },
      },
      unarmed = {},
      shielded = { shield = { power = 9 } },
    },
  },
  shared_keeper = { -- `calm` and `wild` set the same power; `odd` sets a different power, and `loose` sets none
    states = {
      initial = "calm",
      calm = { shield = { power = 4, keep = true } },
      wild = { shield = { power = 4, keep = true } },
      odd = { shield = { power = 9, keep = true } },
      loose = { shield = { keep = true } },
      bare = {},
    },
  },
  namesake = {
    components = { transform = {} },
    states = {
      initial = "fresh",
      fresh = { label = function(e) return tostring(e:name()) .. " at " .. e.transform.x end },
    },
    children = { tag = { is = "chancy", states = { initial = "named", named = { label = function(e)
      return "child " .. tostring(e:name())
    end } } } },
  },
  keeps_no_more = { is = "keeper", states = { initial = "armed", armed = { shield = { keep = false } } } },
  chancy = {
    components = { label = "fresh" },
    children = { part = { is = "ship", states = { initial = "drifting" } } },
    states = { initial = "first", first = { shield = function() return { power = 2 + world.random(0, 0) } end } },
  },
  careless = {
    states = {
      initial = "well", well = { label = "well" },
      throws = { shield = functions.throws }, spawns = { shield = functions.spawns },
      destroys = { shield = functions.destroys },
      enters = { shield = functions.enters }, nothing = { shield = functions.nothing },
      rubbish = { shield = functions.rubbish },
      text = { shield = functions.text }, writes = { shield = functions.writes },
    },
  },
}
