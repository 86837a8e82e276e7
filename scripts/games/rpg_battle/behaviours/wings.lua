-- Units with wings fly (systems/pose.lua), so units with swords prefer other targets (systems/minds.lua).
local parts = require "lib.parts"
return { destroy = parts.drop, render = function(self) parts.draw(self.entity, "wings") end }
