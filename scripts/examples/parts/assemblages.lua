return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { background = "#f3e7cf" } } },
  villager = { components = { name = "villager", StatsPart = { health = 50, damage = 0 } } },
  monster = { components = { name = "monster", pose = {},
    StatsPart = { health = 100, damage = 2 },
    FlyingPart = { speed = 20 },    -- without this line, the monster does not fly
    SpellsPart = { healRate = 5 },  -- without this line, it does not cast spells
    MonsterControllerPart = {},     -- its target is set by systems/parts.lua
  } },
}
