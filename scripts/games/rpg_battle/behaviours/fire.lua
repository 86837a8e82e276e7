-- Shoots burning arrows, which deal 1.5 times the damage. A card replaces a ranger's bow with this behaviour.
return require("lib.parts").shooter("fire", "fire", 1.5, 560, "#ff7a2a")
