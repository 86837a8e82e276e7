-- Shoots burning arrows; replaces a bow.
return require("lib.parts").shooter("fire", "fire", 1.5, 560, "#ff7a2a")
