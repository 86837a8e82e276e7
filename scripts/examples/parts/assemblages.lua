return {
  eye = { components = { transform = { x = 640, y = 360 }, camera = { background = "#f3e7cf" } } },
  villager = { components = { name = "villager", StatsPart = { health = 50, damage = 0 } } },
  monster = { components = { name = "monster", pose = {},
    StatsPart = { health = 100, damage = 2 },
    FlyingPart = { speed = 20 },    -- without this line, the monster does not fly
    SpellsPart = { healRate = 5 }, -- without this line, the monster casts no spells
    MonsterControllerPart = {}, -- systems/parts.lua sets the target of this part
  } },
}
