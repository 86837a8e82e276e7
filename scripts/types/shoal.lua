---@meta
-- Definitions of Shoal's Lua API for the Lua language server (.luarc.json names this folder). This file is never run.
-- The types of a game's components, events and names are general here; `./shoal types GAME` writes exact types.

---Names declared in the game's files, for completion. A running game may define additional names.
---@alias shoal.names.Assemblage string
---@alias shoal.names.Component string a component of the game or a built-in one; a component without fields is a tag
---@alias shoal.names.Event string
---@alias shoal.names.State string a state of an assemblage
---@alias shoal.names.Sequence string
---@alias shoal.names.Scene string
---@alias shoal.names.System string
---@alias shoal.names.Action string an action of input.lua
---@alias shoal.names.Asset string path of a file in assets/

-- --- entities

---An entity. Can be compared with `==`, used as a table key, and printed: `entity(index:generation "name")`.
---`e.health.hp` reads and writes a field; accessing a component that the entity lacks raises an error.
---@class shoal.Entity
---@field in_sequence any current step of the sequence: `e.in_sequence.main.step`
---@field saying shoal.Saying
---@field [string] any
local Entity = {}

---Returns true if the entity is alive. May be called for any entity, even one destroyed long ago. In the system that
---destroys the entity, the result is false from then on.
---@return boolean
function Entity:alive() end

---Destroys the entity and its descendants in the transform tree: immediately outside systems; in a system, when the
---system ends, so that its fields can be read until then. Returns false if the entity is not alive or this system has
---already destroyed it.
---@return boolean
function Entity:destroy() end

---Returns true if the entity has a component or, with `target`, a pair with this target; false if it is dead.
---@param component shoal.names.Component
---@param target? shoal.Entity the target of a pair
---@return boolean
function Entity:has(component, target) end

---Adds a component. If the entity already has the component, sets only the given values.
---@param component shoal.names.Component
---@param values? table<string, any> | any fields that differ from their defaults; for a component with a single field, its value
---@param instance? string name of the instance, for `t.many` components
---@return shoal.Entity self
---@overload fun(self: shoal.Entity, component: shoal.names.Component, target: shoal.Entity, values?: table<string, any>): shoal.Entity
function Entity:add(component, values, instance) end

---Sets fields of a component that the entity has or that was added in this system.
---@param component shoal.names.Component
---@param values table<string, any> | any
---@param instance? string name of the instance, for `t.many` components
---@return shoal.Entity self
---@overload fun(self: shoal.Entity, component: shoal.names.Component, target: shoal.Entity, values: table<string, any>): shoal.Entity
function Entity:set(component, values, instance) end

---Removes a component, one of its named instances, or one pair.
---@param component shoal.names.Component
---@param instance? string | shoal.Entity name of the instance, or target of the pair (default: all of them)
---@return boolean removed false if the entity did not have the component, instance or pair
function Entity:remove(component, instance) end

---Disables a component, so that queries skip it; its values are kept. Without an argument, disables the whole entity.
---@param component? shoal.names.Component
---@return shoal.Entity self
function Entity:disable(component) end

---Reverses e:disable: queries find the component or, without an argument, the whole entity again.
---@param component? shoal.names.Component
---@return shoal.Entity self
function Entity:enable(component) end

---Enters a state of the entity's assemblage: adds the components of the new state, and removes those that only the
---previous state has. Sets the fields that the new state declares, unless the previous state declares the same value.
---Other fields of components that both states have keep their values.
---@param state shoal.names.State
---@return shoal.Entity self
function Entity:enter(state) end

---Returns the current state of the entity.
---@return string? state nil if its assemblage has no states, or the entity is dead
function Entity:state() end

---Returns the children of the entity.
---@return shoal.Entity[] children in the order in which they were added; empty if the entity is dead
function Entity:children() end

---Returns the child that the entity's assemblage declares under this name: `e:child("turret")`.
---@param name string | integer the name, or the position in a list of children
---@return shoal.Entity? child nil if the entity has no such child, or is dead
function Entity:child(name) end

---Returns the parent of the entity; nil if the entity has no parent or is dead.
---@return shoal.Entity?
function Entity:parent() end

---Returns the assemblage from which the entity was spawned. Also works for a dead entity, until its index is reused.
---@return string? assemblage nil if it was spawned without an assemblage
function Entity:assemblage() end

---Returns all components and fields of the entity as tables: component → field → value; for `t.many` components,
---component → instance → field → value.
---@return table<string, table<string, any>>
function Entity:describe() end

---Returns the entity as JSON: `assemblage`, `state`, `name`, `id`, `parent` and `components` with all fields that are
---not read-only. world.spawn(json.decode(e:json())) spawns an equal entity. As in SQL, entity fields are ids, or 0 for
---no entity; components that the entity lacks are false.
---@param options? { children?: boolean } children: include the children that come from the assemblage (default: false)
---@return string
function Entity:json(options) end

---Starts the sequence sequences/NAME.lua at its first step, or stops the current sequence if `name` is nil. Without an
---argument, returns the name of the current sequence. When a sequence completes, the event sequence_ended { entity,
---sequence } is emitted; it is not emitted when the sequence is stopped or replaced.
---@param name? shoal.names.Sequence
---@return shoal.Entity | string? result the entity; without an argument, the name, or nil if no sequence is running
function Entity:sequence(name) end

---Answers the text or question that the entity's sequence shows; the sequence then continues.
---@param choice? integer number of the choice, from 1 (default: 1)
---@return boolean answered false if no step was waiting
function Entity:answer(choice) end

---Emits the event with this entity in its field `entity`. Handlers of systems receive the event as usual; of all
---behaviours, only behaviours of this entity receive it.
---@param event shoal.names.Event
---@param values? table
function Entity:send(event, values) end

-- --- built-in components

-- All other built-in components are in builtin.lua.

---A colour: a vector or a list of its components, each 0 … 1, or "#rrggbb[aa]".
---@alias shoal.Colour shoal.Vector | number[] | string

---The text that a sequence shows until it is answered.
---@class shoal.Saying
---@field text string
---@field who string name of the speaker
---@field choices string the choices of a question, one per line
---@field answer integer number of the choice, 0 until the player has answered

-- --- columns and queries

---The values of a field in all rows: `x[i]` for i = 1 … q.count. An index out of range raises an error.
---@class shoal.Column
---@field raw fun(self: shoal.Column, i: integer): number the stored number; for an entity field, the entity's id, for use as a key: world.lookup("health").hp[id]
---@field [integer] any

---A list of a component or event: its values are items[1] to items[#items], then nil. ipairs iterates over it.
---@class shoal.ListValue
---@field add fun(self: shoal.ListValue, v: any) appends a value; raises an error if the list is full
---@field remove fun(self: shoal.ListValue, i: integer): any removes value i and closes the gap; returns the value
---@field [integer] any

---The lists of all rows: `q.bag.items[i]` is a shoal.ListValue.
---@class shoal.ListColumn
---@field [integer] shoal.ListValue | any[]

---The columns of a component, by field.
---@class shoal.Columns
---@field [string] shoal.Column | table<string, shoal.Column>

---The rows of a query: `q.transform.x[i]`. Valid until the end of the system that opened the query.
---@class shoal.View
---@field count integer number of rows; `#q` would always be 0 in Lua 5.1, so files that use it are rejected
---@field entity shoal.Column
---@field has table<string, table<integer, boolean>> true for rows that have an optional component: q.has.shield[i]
---@field destroy_all fun(self: shoal.View): integer destroys all matching entities; returns their number
---@field add fun(self: shoal.View, component: string, values?: table) adds a component to all matching entities
---@field remove fun(self: shoal.View, component: string) removes a component from all matching entities
---@field [string] shoal.Columns

---The unread events with one name, passed to a handler: `ev.a[i]` for i = 1 … ev.count.
---@class shoal.Events
---@field count integer
---@field [string] shoal.Column

---Event handlers of a system, by event: `on = { scored = function(ev) … end }`.
---@class shoal.Handlers
---@field [string] fun(ev: shoal.Events, dt: number)

---The singletons of the game, by name; `./shoal types GAME` writes their definitions.
---@class shoal.Singles
---@field [string] any

---The conditions of a query.
---@class shoal.Query
---@field [integer] string components that every matching entity has
---@field without? string | string[] components that matching entities lack
---@field any? string | string[] components of which every matching entity has at least one
---@field optional? string | string[] components that matching entities may have; q.has.NAME[i] is true for rows that have NAME
---@field without_disabled? boolean false: also matches disabled entities and components (default: true)
---@field [string] any a pair: `likes = apples` matches entities that like apples. In a system's declaration the target is the name of an entity (`likes = "apples"`) or a field of a singleton (`likes = "goal.at"`)

-- --- tables that files return

---A step of a sequence; sequences/NAME.lua returns a list of steps. Each step has exactly one of the fields wait, call,
---wait_for, say, choice, tween, all, label and jump, except that a choice may also have say.
---@class shoal.Step
---@field name? string target of jumps; identifies the step after a reload
---@field when? fun(e: shoal.Entity): any skips the step if the result is false or nil
---@field wait? number | fun(e: shoal.Entity): number seconds
---@field call? fun(e: shoal.Entity)
---@field wait_for? fun(e: shoal.Entity): any waits until the result is neither false nor nil
---@field say? string | fun(e: shoal.Entity): string text to show until it is answered
---@field who? string | fun(e: shoal.Entity): string name of the speaker
---@field choice? any[] strings, or { text, jump = "name", call = function(e) end }
---@field tween? string path of a field, "transform.x"
---@field of? string name of the entity to tween (default: the entity of the sequence)
---@field to? any a value, or a function of the entity
---@field from? any
---@field seconds? number duration of a tween; maximum duration of a wait_for or say
---@field ease? shoal.Ease
---@field delay? number seconds before the tween starts
---@field times? integer number of runs of a tween, or of jumps
---@field forever? boolean the tween repeats without end
---@field back? boolean every second run of the tween goes backwards
---@field all? (shoal.Step | shoal.Step[])[] steps or lists of steps that run in parallel
---@field label? string name of this position, a target of jumps
---@field jump? string name of the step to continue with

---The table that game.lua returns.
---@class shoal.Game
---@field title? string
---@field width? integer logical width of the screen in pixels (default: 1280)
---@field height? integer logical height of the screen in pixels (default: 720)
---@field tick_rate? integer ticks per second (default: 60)
---@field plugins? string[] names of the plugins to load
---@field native? boolean true requests `require "ffi"`, which is granted only to trusted games
---@field tests? boolean the game is a test suite: functions may keep state between ticks, and it cannot be rewound or replayed
---@field start? fun() called once for a new world, not after a reload
---@field scene? string initial scene
---@field id? string identifies the game's saves: letters, digits, _ and - (default: the name of the game's folder)
---@field version? string version of the game, for packages: "1.2.0" (default: "1.0")
---@field layers? string[] names of at most 32 collision layers, for categories and masks
---@field addons? (string | shoal.AddonEntry)[] names and paths of add-ons
---@field autosave? integer seconds of game time between saves named "autosave"; 0: no such saves (default: 0)
---@field window? shoal.GameWindow
---@field fonts? string[] fallback fonts for characters missing in the font of the text; the engine's fonts follow
---@field multiplayer? { players: integer[] } the minimum and maximum number of players: { players = { 2, 8 } }
---@field serve? shoal.Serve the rooms of a served world, for `./shoal serve`
---@field chronicle? table<string, string> events that a served world keeps, and for how long: { trade = "90 days", quest_done = "forever" }
---@field dead_zone? number part of a stick's range that counts as centred, 0 … 0.9 (default: 0.2)
---@field buses? table<string | integer, number | string | shoal.Bus> sound buses: a name, a volume, or all properties
---@field budget? shoal.Budget limits of scripts: CPU time and the steps of SQL queries
---@field rewind? boolean false: players of a package cannot rewind with F9 and F10 (default: true)
---@field clips? boolean false: players of a package cannot save a clip with F12 (default: true)
---@field history? integer megabytes of memory for rewinding; 0: no rewinding (default: 64)

---The rooms of a served world.
---@class shoal.Serve
---@field accounts? "invite" new players need the code of an invitation (default: all players may join)
---@field rooms table<string, shoal.ServedRoom> rooms by name: lowercase letters, digits and _

---A room of a served world, or several rooms with the same settings.
---@class shoal.ServedRoom
---@field scene? string scene of a new room (default: the game's first scene)
---@field count? integer number of rooms, from 1 to 64, named `mine-1`, `mine-2`, … (default: one room, named `mine`)
---@field players? integer maximum number of players, from 1 to 32 (default: the maximum of `multiplayer`)
---@field enter? boolean false: players cannot join the room directly (default: true)
---@field sleeps? boolean false: the room keeps running while it has no players (default: true)

---An add-on with a different name: { "../my/enemies", as = "foes" }.
---@class shoal.AddonEntry
---@field [1] string name or path
---@field as? string name of the add-on in this game

---The table that addon.lua returns.
---@class shoal.Addon
---@field name string name by which other add-ons require it
---@field version string two or three numbers, "1.2.0"
---@field requires? table<string, string> versions of other add-ons, { menu = ">=1.0" }
---@field layers? string[] collision layers, which follow the game's layers
---@field native? boolean true: the add-on contains native code, which requires --trust
---@field plugins? string[] names of plugins
---@field licence? string
---@field doc? string description shown to users

---The window of a game. The logical size is the `width` and `height` of shoal.Game.
---@class shoal.GameWindow
---@field width? integer initial width of the content in pixels (default: the logical width)
---@field height? integer
---@field scale? "fit" | "integer" | "stretch" | "expand" how the logical size is scaled to the window: as large as possible (default), by an integer factor, stretched, or as large as possible with a picture that fills the window
---@field filter? "smooth" | "pixels" filter for enlarged images (default: "smooth")
---@field fullscreen? boolean true: starts in full-screen mode (default: false)
---@field resizable? boolean true: the user can resize the window (default: true)
---@field vsync? boolean true: synchronizes frames with the display (default: true)
---@field icon? string image asset for the window's icon
---@field expand_in_match? boolean true: the scale "expand" also shows more in a match over a network, where it otherwise acts like "fit" so that all players see the same part of the world (default: false)
---@field run_in_background? boolean true: a package or a fullscreen game continues while it lacks the focus (default: false)

---A sound bus of a game.
---@class shoal.Bus
---@field volume? number 0 … 1 (default: 1)
---@field under? string | string[] buses that lower the volume of this bus while they play
---@field duck? number factor by which the volume is lowered (default: 0.4)
---@field attack? number seconds until the volume is lowered (default: 0.1)
---@field release? number seconds until the volume is restored (default: 0.6)
---@field lowpass? number cut-off frequency of the low-pass filter in hertz, 20 … 20000; 0: no filter (default: 0)
---@field reverb? number 0 … 1 (default: 0)

---Limits of scripts; 0: no limit. `system`, `start` and `load` are milliseconds of CPU time; they are scaled up on slow
---machines, and `--budget` overrides them.
---@class shoal.Budget
---@field system? integer one call to a system's function (default: 100; 1000 in packages and in headless runs without --watch)
---@field start? integer `start` of the game, a system or a scene; `create` of a behaviour (default: 30000)
---@field load? integer loading of the files; `stop`, `migrate` and --exec (default: 30000)
---@field sql? integer SQLite instructions per query of a script; neither scaled nor overridden (default: 2000000)

---The table that systems/NAME.lua returns. Its body is either `update` or `each`.
---@class shoal.System
---@field phase? "input" | "pre_update" | "update" | "post_update" | "render" | "demand" (default: "update")
---@field when? table<string, table<string, any>> fields of singletons: the system runs only while they have these values (or one of a list of values)
---@field scene? string | string[] the system runs only while this scene, or one of these, is open
---@field query? shoal.Query
---@field queries? table<string, shoal.Query> several queries in place of `query`: q.NAME
---@field update? fun(q: shoal.View, dt: number, arguments?: table) | fun(dt: number, arguments?: table)
---@field each? fun(e: shoal.Entity, dt: number, arguments?: table) `arguments`: from world.run
---@field after? string | string[] systems that run before this one
---@field before? string | string[] systems that run after this one
---@field priority? integer lower runs earlier (default: 0)
---@field enabled? boolean false: disabled until world.system enables it
---@field every? integer the body runs in every n-th tick, whose `dt` is then the length of n ticks; handlers run in every
---tick (default: 1)
---@field on? shoal.Handlers
---@field enter? fun(e: shoal.Entity) called when an entity starts to match the query
---@field leave? fun(e: shoal.Entity) called when an entity stops matching; its last values can be read
---@field changed? fun(e: shoal.Entity) called when a required component of the query has a new value
---@field start? fun() called once before the first run
---@field stop? fun() called when a reload removes the system
---@field reload? fun() called after a reload
---@field doc? string description, shown by SELECT description FROM systems
---@field precision? "single" the body calculates with 32-bit floats, as stored in columns, and is compiled as a whole
---@field compile? "required" raises an error when the body cannot be compiled as a whole

---A template for entities; assemblages.lua returns templates by name.
---@class shoal.Assemblage
---@field doc? string description, shown by SELECT description FROM assemblages
---@field is? string | string[] assemblages from which it inherits; on conflicts, later assemblages take precedence
---@field components? table<string, any> component → fields; `gun = false` removes an inherited component
---@field without? string | string[] inherited components to remove
---@field children? table<string | integer, shoal.Assemblage | table<string, any>> by name, or a list; components may be given directly
---@field renamed_from? string | string[] former names of the assemblage, the latest first
---@field states? table<string, any> `renamed_from` maps names of states to their former names; `initial` names the first state; each state maps components to their fields, which may include `keep = true`, or to a function of the entity that returns the fields

---`self` in the functions of a behaviour; also the value of `e.NAME`.
---@class shoal.Self
---@field entity shoal.Entity
---@field [string] any fields and functions of the behaviour

---The table that behaviours/NAME.lua returns: a component with functions.
---@class shoal.Behaviour
---@field fields? table<string, any> as in components.lua
---@field create? fun(self: shoal.Self)
---@field update? fun(self: shoal.Self, dt: number)
---@field enable? fun(self: shoal.Self) called after `create`, and when the entity or the behaviour is enabled again
---@field disable? fun(self: shoal.Self) called when the entity or the behaviour is disabled
---@field destroy? fun(self: shoal.Self) can read the last values but not write them
---@field on? table<string, fun(self: shoal.Self, ev: table)> handlers of events that name `self.entity` in an entity field
---@field any? boolean true: `on` handles all events, no matter which entities they name, except events sent to another entity
---@field render? fun(self: shoal.Self, dt: number) draws; cannot change the world
---@field after? string | string[] systems and behaviours that run before this one
---@field before? string | string[] systems and behaviours that run after this one
---@field priority? integer lower runs earlier (default: 0)
---@field when? table<string, table<string, any>> fields of singletons: the behaviour runs only while they have these values
---@field scene? string | string[] the behaviour runs only while this scene, or one of these, is open
---@field doc? string description
---@field [string] any other functions: `land = function(self, speed) … end` is called as `e.NAME:land(3)`

---A category or a mask: the name of a layer in game.lua, a list of names, "all", or a number whose bits are layers.
---@alias shoal.Layers string|string[]|integer

---The table that scenes/NAME.lua returns.
---@class shoal.Scene
---@field entities? shoal.SceneEntity[]
---@field format? 1
---@field saved? boolean false: saves do not contain the scene and its entities (default: true)
---@field start? fun() called after the entities have been spawned

---An entity of a scene, in Lua or JSON; `false` in Lua stands for null.
---@class shoal.SceneEntity
---@field assemblage? shoal.names.Assemblage
---@field components? table<shoal.names.Component, table|false> differences from the assemblage; false removes a component
---@field name? string|false value of the component `name`
---@field id? string identifies the entity in this file
---@field parent? string|false `id` or `name` of another entity in the file
---@field state? shoal.names.State
---@field children? table<string, shoal.SceneEntity|false> named children of the assemblage

-- --- shoal

---Options of a field, after its default value: `t.f32(0, { min = 0, unit = "m/s" })`.
---@class shoal.FieldOptions
---@field min? number smallest value of the field: smaller values are clamped; the cockpit shows their number
---@field max? number largest value of the field
---@field unit? string shown by the inspector and in definitions
---@field doc? string description
---@field nan? boolean true permits NaN in a number or vector without a range; by default, NaN is replaced with the default and reported
---@field cascade? "keep"|"clear"|"remove"|"destroy" for an entity field: what happens when the entity in the field is destroyed (default: "keep")

---Options of t.relation.
---@class shoal.RelationOptions
---@field many? boolean false: at most one pair per entity (default: true)
---@field cascade? "keep"|"clear"|"remove"|"destroy" what happens when the target is destroyed (default: "remove")

---A field type. Call it with a default value and options: `t.i32(100)`.
---@class shoal.FieldType
---@overload fun(default?: any, options?: shoal.FieldOptions): shoal.FieldType

---Field types, and wrappers for the fields of a component; often `local t = shoal.types`.
---@class shoal.Types
---@field f32 shoal.FieldType
---@field f64 shoal.FieldType
---@field i8 shoal.FieldType
---@field i16 shoal.FieldType
---@field i32 shoal.FieldType
---@field u8 shoal.FieldType
---@field u16 shoal.FieldType
---@field u32 shoal.FieldType
---@field bool shoal.FieldType
---@field entity shoal.FieldType
---@field string shoal.FieldType
---@field asset shoal.FieldType
---@field mat4 shoal.FieldType
---@field enum fun(names: string[]): shoal.FieldType choices; the first is the default
---@field vec2 shoal.FieldType
---@field vec3 shoal.FieldType
---@field vec4 shoal.FieldType
---@field quat shoal.FieldType
---@field list fun(of: shoal.FieldType, capacity: integer, default?: any[]): shoal.FieldType up to `capacity` values (at most 63), e.bag.items[1]
---@field many fun(fields: table): table up to 1,024 named instances per entity
---@field relation fun(fields?: table, options?: shoal.RelationOptions): table pairs of entities: adds the entity field `target`
---@field single fun(fields: table): table singleton: one row per world, world.single.NAME
---@field metadata fun(fields: table): table data for tools and error messages, loaded into the world only with --metadata

---Keys of a component's declaration that are not fields.
---@class shoal.Renewed
---@field doc? string description, shown by SELECT description FROM components
---@field renamed_from? string | table<string | integer, string | string[]> former name of the component, "vitality"; former names of fields by new name, { balance = "stability" }; or both, { "vitality", balance = "stability" }. After several renames, the latest former name comes first: { "vigour", "vitality", balance = { "poise", "stability" } }
---@field migrate? fun(old: shoal.Columns, new: shoal.Columns, q: shoal.View) converts rows i = 1 … q.count: reads old.hp[i], writes new.hp[i]

---Math functions, some of which the library `math` lacks. If a and b are equal, or one of them is NaN, min and max
---return b.
---@class shoal.Math
---@field min fun(a: number, b: number): number
---@field max fun(a: number, b: number): number
---@field abs fun(a: number): number
---@field sqrt fun(a: number): number
---@field floor fun(a: number): number
---@field clamp fun(v: number, low: number, high: number): number
---@field lerp fun(a: number, b: number, t: number): number

---An immutable vector. Its components are named x y z w, r g b a or 1 … 4; v.xy returns the vector of v.x and v.y.
---@class shoal.Vector
---@field x number
---@field y number
---@field z number
---@field w number
---@field r number
---@field g number
---@field b number
---@field a number
---@field [integer] number
---@operator add(shoal.Vector): shoal.Vector
---@operator sub(shoal.Vector): shoal.Vector
---@operator mul(shoal.Vector|number): shoal.Vector
---@operator div(shoal.Vector|number): shoal.Vector
---@operator unm: shoal.Vector
---@operator len: integer
---@field dot fun(v: shoal.Vector, w: shoal.Vector): number
---@field cross fun(v: shoal.Vector, w: shoal.Vector): any a vec3; for two vec2 a number
---@field length fun(v: shoal.Vector): number
---@field length_squared fun(v: shoal.Vector): number
---@field distance fun(v: shoal.Vector, w: shoal.Vector): number
---@field normalize fun(v: shoal.Vector): shoal.Vector returns a zero vector unchanged
---@field lerp fun(v: shoal.Vector, w: shoal.Vector, t: number): shoal.Vector
---@field min fun(v: shoal.Vector, w: shoal.Vector): shoal.Vector
---@field max fun(v: shoal.Vector, w: shoal.Vector): shoal.Vector
---@field abs fun(v: shoal.Vector): shoal.Vector
---@field floor fun(v: shoal.Vector): shoal.Vector
---@field reflect fun(v: shoal.Vector, normal: shoal.Vector): shoal.Vector
---@field angle fun(v: shoal.Vector, w: shoal.Vector): number radians
---@field unpack fun(v: shoal.Vector): number, number, number?, number?

---An immutable quaternion, for rotations in 3D.
---@class shoal.Quat
---@field x number
---@field y number
---@field z number
---@field w number
---@field [integer] number
---@operator add(shoal.Quat): shoal.Quat
---@operator sub(shoal.Quat): shoal.Quat
---@operator mul(shoal.Quat): shoal.Quat the right operand rotates first
---@operator mul(shoal.Vector): shoal.Vector
---@operator mul(number): shoal.Quat
---@operator div(number): shoal.Quat
---@operator unm: shoal.Quat
---@field dot fun(q: shoal.Quat, r: shoal.Quat): number
---@field length fun(q: shoal.Quat): number
---@field length_squared fun(q: shoal.Quat): number
---@field normalize fun(q: shoal.Quat): shoal.Quat
---@field conjugate fun(q: shoal.Quat): shoal.Quat
---@field inverse fun(q: shoal.Quat): shoal.Quat
---@field lerp fun(q: shoal.Quat, r: shoal.Quat, t: number): shoal.Quat
---@field slerp fun(q: shoal.Quat, r: shoal.Quat, t: number): shoal.Quat along the shorter arc
---@field rotate fun(q: shoal.Quat, v: shoal.Vector): shoal.Vector
---@field axis fun(q: shoal.Quat): shoal.Vector
---@field angle fun(q: shoal.Quat): number radians
---@field unpack fun(q: shoal.Quat): number, number, number, number

---An immutable 4 × 4 matrix, column-major.
---@class shoal.Matrix
---@field [integer] number
---@operator mul(shoal.Matrix): shoal.Matrix
---@operator mul(shoal.Vector): shoal.Vector
---@operator len: integer
---@field get fun(m: shoal.Matrix, row: integer, column: integer): number
---@field inverse fun(m: shoal.Matrix): shoal.Matrix
---@field determinant fun(m: shoal.Matrix): number
---@field transpose fun(m: shoal.Matrix): shoal.Matrix
---@field point fun(m: shoal.Matrix, v: shoal.Vector): shoal.Vector transforms a position
---@field direction fun(m: shoal.Matrix, v: shoal.Vector): shoal.Vector transforms a direction
---@field quat fun(m: shoal.Matrix): shoal.Quat the rotation of a pure rotation matrix
---@field unpack fun(m: shoal.Matrix): ...

---Creates quaternions: from x, y, z and w or, without arguments, the identity.
---@class shoal.MakeQuat
---@field axis_angle fun(axis: shoal.Vector, radians: number): shoal.Quat
---@overload fun(...): shoal.Quat

---Creates matrices: from 16 numbers in column-major order or a list of them, from a quaternion or, without arguments,
---the identity.
---@class shoal.MakeMatrix
---@field translation fun(...): shoal.Matrix a vec3 or three numbers
---@field scaling fun(...): shoal.Matrix a vec3 or three numbers
---@field rotation fun(axis: shoal.Vector|shoal.Quat, radians?: number): shoal.Matrix
---@field perspective fun(fov: number, aspect: number, near: number, far: number): shoal.Matrix
---@field ortho fun(left: number, right: number, bottom: number, top: number, near: number, far: number): shoal.Matrix
---@field look_at fun(eye: shoal.Vector, target: shoal.Vector, up?: shoal.Vector): shoal.Matrix
---@overload fun(...): shoal.Matrix

---@class shoal
---@field vec2 fun(...): shoal.Vector from numbers, vectors, a list, or a vector field
---@field vec3 fun(...): shoal.Vector
---@field vec4 fun(...): shoal.Vector
---@field quat shoal.MakeQuat
---@field mat4 shoal.MakeMatrix
---@field types shoal.Types
---@field none shoal.Entity the value of an entity field that refers to no entity
---@field math shoal.Math
---@field plugins table<string, table<string, function>> functions of the game's plugins (./shoal types GAME writes their types)
shoal = {}

---The name of an easing curve, which maps elapsed time to progress.
---@alias shoal.Ease
---| "linear"
---| "quad_in"
---| "quad_out"
---| "quad_in_out"
---| "cubic_in"
---| "cubic_out"
---| "cubic_in_out"
---| "quart_in"
---| "quart_out"
---| "quart_in_out"
---| "quint_in"
---| "quint_out"
---| "quint_in_out"
---| "sine_in"
---| "sine_out"
---| "sine_in_out"
---| "expo_in"
---| "expo_out"
---| "expo_in_out"
---| "circ_in"
---| "circ_out"
---| "circ_in_out"
---| "back_in"
---| "back_out"
---| "back_in_out"
---| "elastic_in"
---| "elastic_out"
---| "elastic_in_out"
---| "bounce_in"
---| "bounce_out"
---| "bounce_in_out"

---Returns the eased progress after the fraction `t` (0 … 1) of the duration, using the same curves as world.tween.
---@param ease shoal.Ease
---@param t number
---@return number progress 0 at t = 0, 1 at t = 1
function shoal.ease(ease, t) end

---Returns a table that functions may keep between ticks; they must not keep any other table. Call shoal.cache in the
---main chunk of a file: `local paths = shoal.cache(function() return {} end)`. The table is filled with the result of
---`build` before the first function runs, and again whenever the world is restored. `build` may read the world but must
---not change it.
---@generic T: table
---@param build fun(): T
---@return T
function shoal.cache(build) end

---Adds widgets to a panel in the cockpit; the argument of a panel's `draw`.
---@class shoal.CockpitWidgets
local panel = {}

---Adds a line of text.
---@param text string
function panel:label(text) end

---Adds a label and a value.
---@param label string
---@param value any
function panel:value(label, value) end

---Plots a list of numbers, or the values of a number since the panel was opened.
---@param label string
---@param value number | number[]
function panel:plot(label, value) end

---Adds a slider for a field of an entity, `panel:slider("size", e, "rock.size", { 1, 50 })`; for a field of a
---singleton, `panel:slider("force", "wind.force", { 0, 20 })`; or for any other number, with a function that stores a
---new value.
---@param label string
---@param e shoal.Entity
---@param field string
---@param range? number[] { min, max } (default: the `min` and `max` of the field's declaration)
---@overload fun(self: shoal.CockpitWidgets, label: string, field: string, range?: number[])
---@overload fun(self: shoal.CockpitWidgets, label: string, value: number, range: number[], set: fun(value: number))
function panel:slider(label, e, field, range) end

---Adds a button.
---@param label string unique among the buttons of the panel
---@param press fun() may change the world
function panel:button(label, press) end

---A panel of the cockpit, with either `draw` or `sql`.
---@class shoal.CockpitPanel
---@field title string
---@field draw? fun(panel: shoal.CockpitWidgets, e?: shoal.Entity) adds the widgets, and must not change the world; `e` is the selected entity
---@field sql? string a query in place of `draw`; its result is shown as a table
---@field plot? boolean also plots the result

---A command of the cockpit.
---@class shoal.CockpitCommand
---@field command string name in the command palette
---@field help? string
---@field run fun(e?: shoal.Entity) may change the world

---Declares a panel or a command of the cockpit; for use in the main chunk of a file such as cockpit.lua. In the console
---and with --exec, runs a command, presses a button or moves a slider: `shoal.cockpit("Wind", "Stop")`.
---@param given shoal.CockpitPanel | shoal.CockpitCommand
---@overload fun(panel: string, widget?: string, value?: number, e?: shoal.Entity)
function shoal.cockpit(given) end

-- --- world

---The world: its entities, components, events and scenes.
---@class shoal.World
---@field tick integer number of ticks since the world was created
---@field time number simulated seconds
---@field room? string name of the room in a served world, such as "mine-2"; nil in all other games
---@field single shoal.Singles the singletons (`t.single`), by name
world = {}

---Spawns an entity. It is alive immediately and can be read and changed; inside a system, queries, `world.count` and
---SQL see it when the system ends.
---@param assemblage? shoal.names.Assemblage
---@param overrides? table<string, any> component → fields; `children = { turret = { … } }` gives values to children, by
---name or by position in a list
---@return shoal.Entity
---@overload fun(entity: table): shoal.Entity spawns an entity of a scene, such as json.decode(e:json())
function world.spawn(assemblage, overrides) end

---Defines or redefines an assemblage while the game runs. Living entities of a redefined assemblage are updated at the
---end of the system. The definition is stored in the world and must not contain functions or `keep = true`.
---@param name string letters, digits and _; not the name of an assemblage in a file
---@param assemblage shoal.Assemblage
function world.define(name, assemblage) end

---Spawns `count` entities and returns them.
---@param assemblage? shoal.names.Assemblage
---@param count integer
---@param fill? fun(q: shoal.View) writes the initial values of the entities: `q.transform.x[i] = …`
---@return shoal.Entity[]
function world.spawn_many(assemblage, count, fill) end

---Returns true if `e` is an entity that is alive.
---@param e any
---@return boolean
function world.alive(e) end

---Returns the number of rows of a component or, if no component has this name, of living entities of an assemblage.
---@param name shoal.names.Assemblage | shoal.names.Component
---@return integer
function world.count(name) end

---Returns the first entity whose component `name` has this value; nil if no entity has this name.
---@param name string
---@return shoal.Entity?
function world.find(name) end

---Moves the focus to a widget; nil and shoal.none remove the focus. Without an argument, only returns the focused
---widget.
---@param e? shoal.Entity
---@return shoal.Entity? focused nil if no widget has the focus
function world.focus(e) end

---Iterates over the entities that match when the loop starts, and skips entities destroyed during the loop. Slower than
---the query of a system, so avoid it in code that runs often.
---@param ... string | shoal.Query names of components, or one query
---@return fun(loop?: integer): shoal.Entity? next returns the next entity; nil after the last one
---@return integer loop the argument that `for` passes to `next`; omit it to call `next` in a later run, too
function world.each(...) end

---Opens a query. `likes = apples`, or `likes = { apples, pears }`, restricts it to entities with these pairs.
---@param query shoal.Query
---@return shoal.View
function world.query(query) end

---Returns the entities that refer to `e` through one field: "bond.other", or "likes" for the targets of its pairs.
---Without `field`, returns the entities that refer to `e` through any field, ordered by component and field; the second
---list then contains the field of each entity.
---@param e shoal.Entity
---@param field? string
---@return shoal.Entity[] entities
---@return string[]? fields only without `field`
function world.who_targets(e, field) end

---Returns the living targets of an entity's pairs of a component, in the order in which the pairs were added.
---@param e shoal.Entity
---@param component shoal.names.Component
---@return shoal.Entity[]
function world.targets(e, component) end

---Returns the number of rows of a component or singleton that were added, removed or changed since the first call.
---@param component shoal.names.Component
---@return integer
function world.changes(component) end

---Returns a description of how a query accesses its columns, and why.
---@param query shoal.Query
---@return table description can be printed; its fields contain the same information
function world.explain(query) end

---Returns the columns of a component indexed by entity or raw id, `health.hp[id]`, for fast access to other entities.
---An element is nil if the entity is dead or lacks the component.
---@param component shoal.names.Component
---@return shoal.Columns
function world.lookup(component) end

---Emits an event.
---@param event shoal.names.Event
---@param values? table<string, any>
function world.emit(event, values) end

---Emits `count` events with the same name. `fill` writes their columns: `ev.power[i] = …`.
---@param event shoal.names.Event
---@param count integer
---@param fill fun(ev: shoal.Columns)
function world.emit_many(event, count, fill) end

---Emits an event after a number of seconds, rounded to the nearest tick but not before the next tick. The pending
---event is an entity with the component `timer`, so it is saved, rewound and visible in SQL. Disabling the entity
---stops the timer.
---@param seconds number
---@param event shoal.names.Event
---@param values? table<string, any> as in world.emit
---@return shoal.Entity timer for world.cancel
function world.after(seconds, event, values) end

---Cancels a pending event.
---@param timer shoal.Entity result of world.after
---@return boolean cancelled false if the event was already emitted or cancelled
function world.cancel(timer) end

---Options of world.tween.
---@class shoal.TweenOptions
---@field from? any start value (default: the value of the field when the tween starts)
---@field delay? number seconds before the tween starts (default: 0)
---@field times? integer number of runs (default: 1, or 2 with `back`)
---@field forever? boolean true: repeats without end
---@field back? boolean true: every second run goes backwards
---@field next? any[] the following tween: { to, seconds, ease, options }

---Animates a number or vector field of an entity to `to`, starting with the next tick. The tween replaces any running
---tween of the same path, and stops when the entity is destroyed. When the tween ends, or when the entity loses the
---component, the event tween_ended { entity, path } is emitted; `entity` is shoal.none for a field of a singleton.
---@param e shoal.Entity | shoal.Singles the entity; world.single for a field of a singleton, "score.value"
---@param path string "transform.x", "sprite.tint", "sprite.tint.a", "gun.left.heat"
---@param to any a number, or a value for the vector; nil stops the running tween
---@param seconds? number duration of one run; may be omitted only if `to` is nil
---@param ease? shoal.Ease (default: "linear")
---@param options? shoal.TweenOptions
function world.tween(e, path, to, seconds, ease, options) end

---The cells of a tilemap. Columns and rows start at 1.
---@class shoal.Tiles
local tiles = {}

---Returns the tile of a cell.
---@param layer string
---@param x number column
---@param y number row
---@return integer tile number of the tile in the map; 0 if the cell is empty or outside the layer
---@return integer flip sum of 1 (mirrored left to right), 2 (upside down), 4 (mirrored along the diagonal)
function tiles:get(layer, x, y) end

---Sets the tile of a cell. The change is saved and rewound, and survives edits of the map file.
---@param layer string
---@param x number
---@param y number
---@param tile integer? 0 empties the cell; nil restores the tile of the map file
---@param flip? integer as returned by tiles:get (default: 0)
function tiles:set(layer, x, y, tile, flip) end

---Returns true if a cell is solid. The topmost tile in the cell that has the property `solid` decides.
---@param x number
---@param y number
---@return boolean
function tiles:solid(x, y) end

---Returns the tile of a tile object of the map.
---@param id integer number of the object in the editor, such as e.map_object.id
---@return integer tile number of the tile in the map; 0 if the object has no tile
---@return integer flip as returned by tiles:get
function tiles:object(id) end

---Returns the tileset of a tile.
---@param tile integer number of the tile in the map, as returned by tiles:get
---@return string? name of the tileset; nil if no tileset has the tile
---@return integer? id number of the tile in the tileset, from 0
function tiles:tileset(tile) end

---Returns a shortest path around solid tiles from one cell to another, in the format of the component `path`: the
---centres of all cells on the path except the first. Returns nil if no path exists, or if the search visits 2^20 cells.
---@param x1 number column
---@param y1 number row
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers also avoids bodies with one of these categories
---@return string? points
function tiles:way(x1, y1, x2, y2, mask) end

---The size of a map and of its cells.
---@class shoal.TilesSize
---@field columns integer
---@field rows integer
---@field x integer first column; 1 except in infinite maps
---@field y integer first row
---@field tile_width integer pixels
---@field tile_height integer

---Returns the size of the map.
---@return shoal.TilesSize
function tiles:size() end

---Returns the entities whose `body` overlaps a circle, the nearest one first. While a system runs, all searches return
---results for the moment at which the system started.
---@param x number
---@param y number
---@param radius number
---@param mask? shoal.Layers only bodies with one of these categories
---@param list? shoal.Entity[] table to fill and return instead of a new one
---@return shoal.Entity[]
function world.near(x, y, radius, mask, list) end

---Returns the number of entities that `world.near` returns.
---@param x number
---@param y number
---@param radius number
---@param mask? shoal.Layers
---@return integer
function world.near_count(x, y, radius, mask) end

---Returns the entity whose `body` is nearest to a point; nil if no body is found.
---@param x number
---@param y number
---@param mask? shoal.Layers
---@return shoal.Entity?
function world.nearest(x, y, mask) end

---Returns the `k` entities whose `body` is nearest to a point, the nearest one first; fewer if there are fewer bodies.
---@param x number
---@param y number
---@param k integer 0 to 65536
---@param mask? shoal.Layers
---@param list? shoal.Entity[] table to fill and return instead of a new one
---@return shoal.Entity[]
function world.nearest_many(x, y, k, mask, list) end

---Returns the entities whose `body` overlaps an axis-aligned box.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers
---@param list? shoal.Entity[] table to fill and return instead of a new one
---@return shoal.Entity[]
function world.box(x1, y1, x2, y2, mask, list) end

---Returns the first entity whose `body` is hit by the segment from one point to another, the entry point, and the
---outward surface normal there. Returns nil if nothing is hit. Ignores bodies that contain the start of the segment.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? shoal.Layers
---@param stops? boolean true: solid tiles can also be hit; the entity returned is then the tilemap
---@return shoal.Entity? e
---@return number? x
---@return number? y
---@return number? nx
---@return number? ny
function world.ray(x1, y1, x2, y2, mask, stops) end

---Opens the options screen, with tabs for volumes, display, other settings, and keys. When the player closes it, the
---event options_closed is emitted. In a match, the options open only on this player's machine and show the settings of
---that machine; they are not part of the world, and options_closed is not emitted.
---@param player? integer number of the player who requests the options; required in a match, otherwise ignored
---@return shoal.Entity? screen destroy it to close the screen; nil in a match
function world.options(player) end

---Returns the position on the screen, in logical pixels, of a point in the world. Without `camera`, uses the bottommost
---visible camera.
---@param x number
---@param y number
---@param camera? shoal.Entity
---@return number x
---@return number y
function world.to_screen(x, y, camera) end

---Returns the position in the world of a point on the screen, and the camera used (nil if no camera is visible).
---Without `camera`, uses the topmost visible camera at that point or, if no camera covers it, the bottommost one.
---@param x number in logical pixels, like the result of input.mouse()
---@param y number
---@param camera? shoal.Entity
---@return number x
---@return number y
---@return shoal.Entity? camera
function world.from_screen(x, y, camera) end

---Returns an object for reading and setting the cells of an entity's tilemap.
---@param e shoal.Entity entity with a `tilemap`
---@return shoal.Tiles
function world.tiles(e) end

---Returns a random number from the world's stream, which is saved and replayed. Without arguments, the number is at
---least 0 and less than 1; with one argument, it is from 1 to `a`; with two, from `a` to `b`. It is an integer if both
---ends of the range are integers.
---@param a? number
---@param b? number
---@return number
function world.random(a, b) end

---Returns a hash of the world, that is, of everything that the simulation depends on.
---@return string hash 16 hexadecimal digits
function world.hash() end

---Quits the game at the end of the tick. `false` cancels a request to quit that was made in this tick by world.quit()
---or by closing the window. In a match, asks the player whether to leave the match, on the player's machine.
---@param request? boolean|integer false, or the number of the player who quits; required in a match, otherwise ignored
function world.quit(request) end

---Restarts the game at the end of the tick, in the same window, as Ctrl+F5 does. A replay ignores this call: it ends
---where the recorded game restarted.
function world.restart() end

---Pauses or resumes the game at the end of the tick. Systems in phase "input" continue to run during the pause.
---@param on? boolean false resumes the game (default: true)
function world.pause(on) end

---Returns true if the game is paused. world.pause takes effect at the end of the current tick or, during a pause, at
---the end of the current frame.
---@return boolean
function world.is_paused() end

---Enables or disables a system, from its next run on. The world stores this state.
---@param name shoal.names.System
---@param on? boolean nil only returns the current state
---@return boolean enabled
function world.system(name, on) end

---Runs a system in phase "demand" immediately.
---@param name shoal.names.System
---@param arguments? table passed to `update` or `each` as the last argument
function world.run(name, arguments) end

---Switches to a scene at the start of the next tick: destroys all entities, spawns the entities of scenes/NAME.lua or
---scenes/NAME.json, and calls the `start` of the scene. Singletons are kept.
---@param name shoal.names.Scene
function world.scene(name) end

---Opens a scene at the start of the next tick, in addition to the scenes that are already open. Its entities get the
---component in_scene.
---@param name shoal.names.Scene
function world.open(name) end

---Closes a scene at the start of the next tick, which destroys its entities.
---@param name shoal.names.Scene
function world.close(name) end

---Returns an exact copy of the world for world.restore.
---@return any snapshot
function world.snapshot() end

---Returns all entities, or the entities that match a query, as a JSON text that contains only the differences from
---their assemblages. With a name, also writes the text to NAME.json in the folder of the game's saves at the end of the
---tick. Put that file into scenes/ to use it as a scene.
---@param name? string
---@param query? table
---@return string text
function world.export(name, query) end

---Spawns the entities in a string from world.export, or in a file that world.export wrote. Raises an error and spawns
---no entity if any of them is invalid. Returns the entities in order, a table of entities by id or unique name, and a
---list of the references to other entities that could not be resolved.
---@param source string the text, or the name of the file
---@return shoal.Entity[] made
---@return table<string, shoal.Entity> named
---@return string[] lost
function world.import(source) end

---Restores a snapshot: immediately outside systems, otherwise at the end of the tick. With the number of a tick, as in
---`world.restore(world.tick - 60)`, rewinds to that tick at the end of the current tick, or to the oldest tick in the
---history (`history` of game.lua, --history MB). With `{ replay = true }`, the recorded input of the following ticks is
---replayed before live input continues; the log reports the first tick that differs from the abandoned timeline, which
---is kept for comparison.
---@param to any a snapshot or a tick
---@param options? { replay: boolean } with a tick
function world.restore(to, options) end

---A difference between two snapshots.
---@class shoal.difference
---@field entity? shoal.Entity nil for singletons, events and the world itself
---@field component? string component or event; nil if only one snapshot has the entity
---@field instance? string name of the instance
---@field field? string nil if only one snapshot has the component
---@field row? integer number of the event
---@field a any value in the first snapshot; nil if missing
---@field b any value in the second snapshot

---Returns a list of the differences between two snapshots; nil stands for the current world. First come entities,
---sorted by index, then singletons, events, and the world itself (random numbers, tick). The field `total` of the list
---is the total number of differences, which may exceed the length of the list.
---@param a? any
---@param b? any
---@param most? integer maximum length of the list (default: 100)
---@return shoal.difference[]
function world.compare(a, b, most) end

---Draws trails along the predicted positions of entities. A second copy of the game simulates ahead, with the recorded
---input of later ticks or, if there is no such input, with the last input held. While the game is paused, each reload
---updates the trails. Each call adds trails; a call without arguments removes all of them. Trails are not part of the
---world.
---@param what? string|shoal.Entity|shoal.Entity[]|table name of an assemblage, a component or entities; an entity or a list of entities; or a query
---@param ticks? integer length of the prediction, 1 … 3600 (default: 120)
function world.ghosts(what, ticks) end

---Returns the snapshot of a past tick for world.compare, or nil if the history does not contain that tick. With "old",
---returns the snapshot of the abandoned timeline. For tools and tests only: the number of snapshots in the history
---depends on memory, so the simulation must not use them.
---@param tick integer
---@param which? "old"
---@return any? snapshot
function world.past(tick, which) end

---Returns a table with the current tick (`now`), the range of ticks in the history (`first`, `last`), the range of the
---abandoned timeline (`old`), and `again`, which is true if recorded input is being replayed.
---@return { now: integer, first?: integer, last?: integer, old?: { first: integer, last: integer }, again: boolean }
function world.timeline() end

---@class shoal.SaveOptions
---@field toast? boolean false shows no message on success (default: true)

---Saves the world under a name in the saves folder, at the end of the tick. A failure is logged and shown to the
---player. At most 16 saves can be written or deleted in one tick; they are processed in the order of the calls.
---@param name string letters, digits, spaces, - _ and .
---@param options? shoal.SaveOptions
function world.save(name, options) end

---Loads a save at the end of this tick, after saves have been written and deleted. A save that is damaged, modified or
---from another game is rejected, and the world is not changed.
---@param name string
---@param options? shoal.SaveOptions
---@return boolean found false if the save does not exist, or is written or deleted in this tick
---@return string? problem
function world.load(name, options) end

---A save in the saves folder.
---@class shoal.Slot
---@field name string
---@field tick? integer nil if the save cannot be loaded; see `problem`
---@field time? number simulated seconds
---@field saved string date and time at which the save was written: "2026-11-21 18:30"
---@field picture? string screenshot as an image asset, "save:NAME"; nil without a window
---@field problem? string

---Returns the saves, sorted by name. Call it when a screen opens, not every tick, because each result is recorded.
---@return shoal.Slot[]
function world.saves() end

---Deletes a save at the end of the tick. A replay deletes nothing. Returns false if the save neither exists nor is
---written in this tick, or if it was already deleted in this tick.
---@param name string
---@param options? shoal.SaveOptions
---@return boolean found
---@return string? problem
function world.delete_save(name, options) end

---Runs an SQL query: `world.sql("SELECT entity, hp FROM health WHERE hp < ?", 10)`. Returns a list of rows, each a
---table by column. Every component, singleton and event is an SQL table; other tables are entities,
---entity_components, components, assemblages, assemblage_components, assemblage_values, events and systems. The column
---`entity` and entity fields contain entities. Scripts can only read, with at most 2,000,000 SQLite instructions per
---query (`budget.sql` of game.lua). Chunks from --exec and the console may also INSERT, UPDATE and DELETE.
---@param question string
---@param ... any values for the `?` in the query: numbers, strings, booleans, entities, nil
---@return table<string, any>[] rows
---@return integer? changed number of changed rows, only in a chunk from --exec or the console
function world.sql(question, ...) end

---Runs an SQL query after each tick. When the query returns a row, the game is paused and the watch is removed.
---@param question string an SQL SELECT
---@param on boolean? false removes the watch
function world.watch(question, on) end

-- --- input, drawing, sound

---The players of a game that declares them with `multiplayer` in game.lua.
---@class shoal.Players
players = {}

---@class shoal.Player
---@field number integer
---@field name string
---@field colour { r: number, g: number, b: number, a: number }
---@field account integer number of the player's account in a served world; 0 elsewhere
---@field ping? integer milliseconds; only in render systems
---@field connected? boolean only in render systems
---@field is_local? boolean the player plays on this machine; only in render systems

---Returns the players that have joined, by number.
---@return shoal.Player[]
function players.list() end

---Returns true in a match over a network.
---@return boolean
function players.in_match() end

---Returns the first player of this machine; nil if no player on this machine has joined. Only in render systems.
---@return shoal.Player?
function players.me() end

---Makes a player leave this room of a served world for another one. The room's record of the next tick contains the
---departure. If the new room does not open within 10 seconds, the player returns.
---@param player integer
---@param room string name in `serve.rooms` of game.lua, such as "mine" (the first room with a free place) or "mine-2"
function players.move(player, room) end

---Sets the number of players on this machine, from the next tick on. Ignored in a match over a network.
---@param count integer within `players` in game.lua
function players.set_local(count) end

---Input actions, which input.lua maps to keys, buttons and axes.
---@class shoal.Input
input = {}

---Returns true if an action is held.
---@param action shoal.names.Action
---@param player? integer 1 … 4, or up to the maximum in game.lua: only this player (default: any player)
---@return boolean
function input.down(action, player) end

---Returns true if an action is held in this tick and was not held in the previous one.
---@param action shoal.names.Action
---@param player? integer 1 … 4, or up to the maximum in game.lua
---@return boolean
function input.pressed(action, player) end

---Returns true if an action was held in the previous tick and is not held in this one.
---@param action shoal.names.Action
---@param player? integer 1 … 4, or up to the maximum in game.lua
---@return boolean
function input.released(action, player) end

---Returns the value of an axis.
---@param action shoal.names.Action
---@param player? integer 1 … 4, or up to the maximum in game.lua
---@return number value -1 … 1
function input.axis(action, player) end

---Movement of a player's mouse in this tick, in logical pixels: multiples of 1/64.
---@class shoal.PlayerMouse
---@field dx number positive to the right
---@field dy number positive down

---Returns the position of the mouse in logical pixels or, with a player's number, the position of this player's pointer
---in the world. Games that declare players must pass the number, except in render systems.
---@class shoal.Mouse
---@field dx number movement since the previous tick in logical pixels, positive to the right
---@field dy number positive down
---@field [integer] shoal.PlayerMouse by player, in games that declare players
---@overload fun(player?: integer): number, number
input.mouse = nil

---Returns the names of all actions.
---@return string[] names sorted
function input.actions() end

---Returns the current bindings of an action: the player's choice or, without a choice, the bindings in input.lua.
---@param action shoal.names.Action
---@param part? "axis" | "negative" | "positive" part of an axis (default: "axis")
---@return string[] bindings
function input.bindings(action, part) end

---Binds an action. A key or mouse button replaces the action's keys and mouse buttons, a pad button or axis replaces
---its pad buttons and axes, and a list replaces all its bindings. The game must have an id in game.lua, or a
---settings.lua.
---@param action shoal.names.Action
---@param binding string | string[]
---@param part? "axis" | "negative" | "positive" part of an axis (default: "axis")
---@return string[] rivals other actions that now share a binding with this one, although input.lua does not declare it for both
function input.bind(action, binding, part) end

---Restores the bindings of input.lua.
---@param action? shoal.names.Action (default: all actions)
function input.reset(action) end

---Returns the bindings that several actions share, except those that input.lua declares for all of these actions.
---@param action? string only the bindings of this action (default: the bindings of all actions)
---@return { binding: string, actions: string[] }[]
function input.conflicts(action) end

---Binds the action to the next key, button or stick that the player uses; Escape cancels. While this is pending, the
---values of all actions are 0. `false` cancels; nil only returns the pending action.
---@param action? shoal.names.Action | false
---@param part? "axis" | "negative" | "positive" part of an axis (default: "axis")
---@return string? action the action to be bound; nil if none is pending
---@return string? part
function input.listen(action, part) end

---Returns the prompt for an action on the most recently used device: "Space", "A", "Cross", "A / D".
---@param action shoal.names.Action
---@param player? integer 1 … 4
---@return string text "" for an action without bindings
function input.prompt(action, player) end

---Returns the name of a binding, as shown to players.
---@param binding string
---@param kind? "pad" | "xbox" | "playstation" | "nintendo" kind of the pad (default: "pad")
---@return string text
function input.label(binding, kind) end

---Returns the most recently used device.
---@param player? integer 1 … 4: the device of this player
---@return "keyboard" | "pad" | "xbox" | "playstation" | "nintendo"
function input.device(player) end

---Returns the connected pads.
---@return { number: integer, kind: "pad" | "xbox" | "playstation" | "nintendo" }[] pads
function input.pads() end

---Vibrates all pads, or the pad of one player. The effect is not part of the world and is skipped in replays.
---@param strength number 0 … 1
---@param seconds number
---@param player? integer 1 … 4
function input.rumble(strength, seconds, player) end

---The window of the game.
---@class shoal.Window
window = {}

---Enters or leaves full-screen mode at the end of the tick; nil only returns the state. The state of the window is not
---part of the world.
---@param on? boolean
---@return boolean on state in the tick's input sample; false without a window
function window.fullscreen(on) end

---Sets, at the end of the tick, how the logical size is scaled to the window; nil only returns the mode.
---@param mode? "fit" | "integer" | "stretch" | "expand"
---@return "fit" | "integer" | "stretch" | "expand" mode in the tick's input sample
function window.scale(mode) end

---Enables or disables vertical synchronization at the end of the tick; nil only returns the state.
---@param on? boolean
---@return boolean on state in the tick's input sample
function window.vsync(on) end

---Returns the part of screen space that the window of this machine shows, for systems in phase "render". With the scale
---"expand", it may be larger than the logical screen; otherwise it is 0, 0 and the logical size.
---@return number x left edge in logical pixels
---@return number y top edge
---@return number width
---@return number height
function window.area() end

---Sets the mouse pointer of this machine while the game has the focus. Missing fields have their defaults, so `{}` is
---the normal pointer. Shoal's menus and tools, and a paused game, also show the normal pointer.
---@param settings shoal.Pointer
function window.pointer(settings) end

---@class shoal.Pointer
---@field shown? boolean false: the pointer is hidden
---@field confined? boolean true: the pointer cannot leave the window
---@field relative? boolean true: the pointer is hidden and stays in place; read input.mouse.dx and input.mouse.dy
---@field image? string image asset; its centre, or the pivot of its sheet, marks the position

---Immediate drawing, for systems in phase "render".
---@class shoal.Draw
draw = {}

---Selects world or screen space. With a camera, draws only in the camera's view; the origin of screen space is then the
---top left corner of that view.
---@param name "world" | "screen"
---@param camera? shoal.Entity
function draw.space(name, camera) end

---Selects the layer. Higher layers are drawn on top of lower ones.
---@param layer integer
function draw.layer(layer) end

---Selects the colour: components 0 … 1, a list of them, or "#rrggbb[aa]".
---@param r number | number[] | string
---@param g? number
---@param b? number
---@param a? number
function draw.colour(r, g, b, a) end
draw.color = draw.colour

---Selects the blend mode.
---@param mode "alpha" | "add"
function draw.blend(mode) end

---Selects a font; without a name, the default font.
---@param name? string
function draw.font(name) end

---The style of text, except colour and font.
---@class shoal.DrawTextStyle
---@field outline? number[] | string colour of the outline (default: black)
---@field outline_width? number in pixels of the text (default: 0)
---@field shadow? number[] | string colour of the shadow (default: black with alpha 0.6)
---@field shadow_x? number horizontal offset of the shadow (default: 0); without any offset, no shadow is drawn
---@field shadow_y? number vertical offset of the shadow (default: 0)
---@field line_spacing? number factor of the font's line height (default: 1)
---@field valign? "top" | "middle" | "bottom" edge of the text at y (default: "top")
---@field shown? integer number of characters to draw (default: all)
---@field markup? boolean true: [color=#ff8800], [size=32], [font=a.ttf] and [icon=coin.png] are tags (default: false)

---Sets the style of text drawn after this call; without options, resets it to the default.
---@param options? shoal.DrawTextStyle
function draw.text_style(options) end

---Draws a line.
---@param width? number (default: 2)
function draw.line(x1, y1, x2, y2, width) end

---Draws a filled circle, or its outline, with the centre at x, y.
---@param filled? boolean false: only the outline (default: true)
---@param width? number width of the outline (default: 2)
function draw.circle(x, y, radius, filled, width) end

---Draws a filled rectangle, or its outline, with the top left corner at x, y.
---@param filled? boolean false: only the outline (default: true)
---@param width? number width of the outline (default: 2)
function draw.rect(x, y, w, h, filled, width) end

---Draws a filled polygon, or its outline. The polygon must not intersect itself.
---@param points number[] | number[][] { x1, y1, x2, y2, … } or { { x1, y1 }, … }
---@param filled? boolean false: only the outline (default: true)
---@param width? number width of the outline (default: 2)
function draw.polygon(points, filled, width) end

---Draws text. x is its left end, centre or right end, depending on `align`; y is its top, unless the style has
---`valign`.
---@param text any
---@param x number
---@param y number
---@param size? number font size (default: 24)
---@param align? "left" | "center" | "right" (default: "left")
---@param wrap? number maximum width of a line in pixels; 0: no limit (default: 0)
function draw.text(text, x, y, size, align, wrap) end

---Returns the size of text in pixels. Like all functions of `draw`, it can be called only in the render phase.
---@param text any
---@param size? number font size (default: 24)
---@param wrap? number maximum width of a line in pixels; 0: no limit (default: 0)
---@return number width, number height
function draw.text_size(text, size, wrap) end

---Draws an image with its centre, or the pivot of its sheet, at x, y.
---@param name shoal.names.Asset
---@param x number
---@param y number
---@param angle? number radians (default: 0)
---@param scale_x? number (default: 1)
---@param scale_y? number (default: scale_x)
---@param frame? integer frame of the image's sheet, from 1 (default: the whole image)
function draw.image(name, x, y, angle, scale_x, scale_y, frame) end

---Options of audio.set and audio.play. The defaults apply to audio.play.
---@class shoal.SoundChange
---@field volume? number 0 … 1 (default: 1)
---@field pan? number -1 (left) … 1 (right) (default: 0)
---@field pitch? number 0.05 … 20; 2 is an octave higher (default: 1)
---@field fade? number seconds until the volume is reached (default: 0)
---@field x? number position in the world; needs y as well
---@field y? number
---@field range? number distance in pixels at which the sound becomes silent (default: 800)
---@field within? number distance in pixels up to which the sound has its full volume (default: 0)

---Options of audio.play.
---@class shoal.SoundOptions: shoal.SoundChange
---@field loop? boolean true: repeats until it is stopped (default: false)
---@field bus? string (default: "effects")
---@field pitch_variation? number random change of the pitch: 0.1 is up to 10 % higher or lower (default: 0)

---Sounds and the buses through which they are mixed.
---@class shoal.Audio
audio = {}

---Plays a sound and returns its voice.
---@param name shoal.names.Asset a file; without an extension, one of NAME.wav, NAME_1.wav, NAME_2.wav … at random
---@param options? shoal.SoundOptions
---@return integer voice for audio.stop and audio.set; a valid number even if the sound cannot be played
function audio.play(name, options) end

---Stops a voice; without an argument, stops all voices.
---@param voice? integer
---@param fade_s? number duration of the fade-out in seconds (default: 0)
function audio.stop(voice, fade_s) end

---Changes a voice that is playing.
---@param voice integer
---@param options shoal.SoundChange only these properties change
function audio.set(voice, options) end

---Returns true if a voice is playing. Can be called only in the render phase.
---@param voice integer
---@return boolean
function audio.playing(voice) end

---Sets the volume of a bus, or of all buses.
---@param bus string | number name of the bus, or the volume of all buses
---@param volume? number 0 … 1
function audio.volume(bus, volume) end

---Effects of a bus.
---@class shoal.BusEffects
---@field lowpass? number cut-off frequency of the low-pass filter in hertz, 20 … 20000; 0: no filter (default: 0)
---@field reverb? number 0 … 1 (default: 0)
---@field fade? number seconds until the cut-off frequency is reached (default: 0.3)

---Sets the effects of a bus.
---@param bus string
---@param options? shoal.BusEffects effects that are not given are turned off
function audio.effects(bus, options) end

---Options of functions that change the music.
---@class shoal.MusicChange
---@field at? "now" | "beat" | "bar" time of the change (default: "now"; for music.section, the `at` in music.lua)
---@field fade? number duration of the crossfade in seconds (default: the piece's duration in music.lua)

---Options of music.play.
---@class shoal.MusicStart: shoal.MusicChange
---@field section? string (default: the piece's `first`)

---Plays the pieces that music.lua declares. The singleton `music` stores their state.
---@class shoal.Music
music = {}

---Starts a piece. If the piece is already playing, it continues; a `section` in `options` then changes its section.
---@param piece string name in music.lua
---@param options? shoal.MusicStart
function music.play(piece, options) end

---Switches to a section of the current piece, or of the piece that is about to start. May be called every tick: a
---section that is already playing does not start again.
---@param name string name of the section
---@param options? shoal.MusicChange
function music.section(name, options) end

---Sets the volume of the layers with this name in all pieces, relative to the volume that the section gives them.
---@param name string
---@param volume number 0 … 1
function music.layer(name, volume) end

---Plays a stinger of the current piece or, if the current piece has none of this name, of the first piece that has one.
---@param name string
---@param options? { at?: "now" | "beat" | "bar" } time at which the stinger starts (default: the `at` of the stinger)
function music.sting(name, options) end

---Fades out and stops the music.
---@param options? shoal.MusicChange
function music.stop(options) end

---Returns the position in the current piece.
---@return number beat number of beats since the piece started, with a fraction; 0 if no piece with a tempo is playing
---@return integer bar number of the bar, from 1; 0 if no piece with a tempo is playing
function music.beat() end

-- --- other globals

---Writes lines to the log, with the current tick, system and entity. The formats are the same as for string.format.
---@class shoal.Log
log = {}

---Logs a message.
---@param format string
function log.info(format, ...) end

---Logs a warning.
---@param format string
function log.warn(format, ...) end

---Logs an error.
---@param format string
function log.error(format, ...) end

---Logs a message that is shown only with --log debug.
---@param format string
function log.debug(format, ...) end

---Conversion of values to and from JSON.
---@class shoal.Json
json = {}

---Encodes a value as JSON. Keys are sorted, numbers are exact, and an empty table is {}. Raises an error for values
---that JSON cannot represent, such as NaN, cycles, lists with gaps, and tables with both string keys and indices.
---@param v any
---@return string
function json.encode(v) end

---Decodes a JSON text. null becomes nil, so members that are null are omitted.
---@param s string
---@return any
function json.decode(s) end

---Settings of the player: those declared in settings.lua and, if the game has an id, Shoal's own. Write a setting with
---`settings.music = 0.5`. Settings are stored in a singleton of the world. They are read from a file when the game
---starts, and changes are written to that file.
---@type table<string, any>
settings = {}

---Returns the text with this key in strings/ in the current language: `tr "menu.start"`.
---@class shoal.Tr
---@overload fun(key: string, values?: table<string, string | number>): string
tr = {}

---Returns a reference to a string, `@menu.lives {"n":3}`, for a string field. The reference is resolved each time it is
---drawn, so it follows changes to the language.
---@param key string key in strings/: "menu.lives"
---@param values? table<string, string | number> values for the names in braces; `n` selects the plural form
---@return string reference
function tr.key(key, values) end

---Returns the current language.
---@return string language "en"
function tr.language() end

---Returns the languages of strings/, the default first. `name` is the native name of the language: "Deutsch".
---@return { id: string, name: string }[]
function tr.languages() end

---Questions about the events that a served world keeps (`chronicle` in game.lua).
---@class shoal.Chronicle
chronicle = {}

---Sends a query to the world's database. Returns an entity with the component `question`, which the event `answered`
---names once it has its answer. A question can read the views chronicle_EVENT and account, and must end within one
---second.
---@param sql string a SELECT statement with parameters: "SELECT count(*) AS n FROM chronicle_trade WHERE good = $1"
---@param ... number | string | boolean values of $1, $2 …
---@return shoal.Entity question
function chronicle.ask(sql, ...) end

---Returns the rows of an answer, each a table by column name; nil and a message if the question has failed or has no
---answer yet. NULL is nil, and booleans are 0 and 1. An answer has at most 100 rows and 3,000 bytes; if rows were cut
---off, e.question.cut is true.
---@param e shoal.Entity result of chronicle.ask
---@return table<string, any>[]? rows
---@return string? problem
function chronicle.rows(e) end

---Access to the files in assets/: reads data files, and loads images and sounds in the background.
---@class shoal.Assets
assets = {}

---Returns true if a file exists in the game's or the engine's assets/.
---@param name shoal.names.Asset
---@return boolean
function assets.exists(name) end

---Returns the content of a JSON file in the game's assets/ as read-only tables. Every call returns the same tables.
---@param name shoal.names.Asset "items.json"
---@return any
function assets.json(name) end

---Returns the content of a CSV file in the game's assets/ as a list of read-only rows. The first line names the
---columns. A column whose fields are all numbers contains numbers, and nil for an empty field.
---@param name shoal.names.Asset "waves.csv"
---@return table<string, string | number>[]
function assets.csv(name) end

---Returns the content of a text file in the game's assets/: .txt, .md, .json, .csv, .tsv.
---@param name shoal.names.Asset "credits.txt"
---@return string
function assets.text(name) end

---Starts decoding images and sounds in the background. Images are not drawn until they are loaded; a sound that is
---played before it is loaded is decoded immediately. Fonts, and files of plugins such as meshes, are loaded within one
---frame. A file that cannot be loaded is reported, and then counts as loaded.
---@param names string[]
function assets.preload(names) end

---Returns true if all requested assets are complete (loaded or failed), the number of complete assets, and the number
---of requested assets. Both numbers count from the last time that all assets were complete. The results are recorded
---like input. Without a window, everything counts as loaded immediately.
---@return boolean ready
---@return integer loaded
---@return integer requested
function assets.ready() end

---Options of assets.screen.
---@class shoal.LoadingScreen
---@field title? string (default: "Loading")
---@field colour? string colour of the title and the progress bar (default: "#e8ecf4")
---@field background? string (default: "#0b0d14")

---Draws a loading screen with a progress bar while assets.ready() is false. Call it in a system in phase "render".
---@param options? shoal.LoadingScreen
---@return boolean drawn false if all assets are loaded
function assets.screen(options) end

---Reloads all files of the game at the end of the tick, as when a file is saved.
function reload() end
