-- Shoots weak sparks; a staff disables it while there is someone to heal.
return require("lib.parts").shooter("wand", "spark", 1, 380, "#8a5cff")
