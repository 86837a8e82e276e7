-- Shoots arrows at the unit's target.
return require("lib.parts").shooter("bow", "arrow", 1, 520, "#4a2f1a")
