-- Functions of higher folders that base/ and schema/ call: the only late binding in the engine's Lua. Reason: these
-- folders write messages about entities and assemblages and close queries, all of which are built on them. The file
-- named at each field sets it when it is loaded, before any file of a game is.
---@class engine.late
---@field entity_title fun(id: integer): string schema/component.lua: "rock #12", for log lines
---@field close_queries fun() world/query.lua: closes the queries that were opened outside of systems
---@field no_member fun(component: engine.Component, name: any) systems/behaviour.lua: complains of a name that a
---behaviour does not have
---@field is_assemblage fun(name: any): boolean world/assemblage.lua
return {}
