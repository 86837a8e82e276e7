-- Shoots sparks at the unit's target. Spells disable the wand while there is an ally to heal.
return require("lib.parts").shooter("wand", "spark", 1, 380, "#8a5cff")
