return {
  FlyingPart = { "key:1", "pad:x" }, SpellsPart = { "key:2", "pad:y" },
  MonsterControllerPart = { "key:3", "pad:b" }, StatsPart = { "key:4", "pad:rightshoulder" },
  again = { "key:space", "pad:a" },
}
