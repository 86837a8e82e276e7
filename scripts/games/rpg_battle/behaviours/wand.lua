-- Shoots sparks, weak ones; a staff puts it to rest while somebody is to be healed.
return require("lib.parts").shooter("wand", "spark", 1, 380, "#8a5cff")
