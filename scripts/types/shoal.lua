---@meta
-- What a game's files can see, for the Lua language server (.luarc.json points here). Nothing of this runs. A game's
-- own components are reached through fields that no server can know: they are `any`, until ./shoal types says them.

---Names that stand in the game's files: ./shoal types writes which there are. Others may come while it runs.
---@alias shoal.names.Assemblage string
---@alias shoal.names.Component string of components; a component without fields is a tag
---@alias shoal.names.Event string
---@alias shoal.names.State string of assemblages
---@alias shoal.names.Sequence string
---@alias shoal.names.Scene string
---@alias shoal.names.System string
---@alias shoal.names.Action string of input.lua
---@alias shoal.names.Asset string

--------------------------------------------------------------------------------------------------------------- entities

---An entity. Compares with `==`, serves as a table key, prints as `entity(index:generation "name")`. `e.health.hp`
---reads and writes a field; a component that it lacks is an error that says so.
---@class shoal.Entity
---@field in_sequence any the step of its sequence: `e.in_sequence.main.step`
---@field saying shoal.Saying
---@field [string] any
local Entity = {}

---Is it alive? Safe for every entity, also for one of long ago. False at once to the system that destroys it.
---@return boolean
function Entity:alive() end

---Destroys it and everything below it in the transform tree: at once outside systems, else when the system ends. False
---for one that is not alive or that this system has destroyed already; its fields can be read until the system ends.
---@return boolean
function Entity:destroy() end

---@param component shoal.names.Component
---@param target? shoal.Entity has it a pair that points at this one?
---@return boolean
function Entity:has(component, target) end

---Adds a component, or leaves it as it is when it is there and writes only the values given.
---@param component shoal.names.Component
---@param values? table<string, any> | any the fields that differ from the defaults; a bare value for a component of one field
---@param instance? string the name, for components that are `t.many`
---@return shoal.Entity self
---@overload fun(self: shoal.Entity, component: shoal.names.Component, target: shoal.Entity, values?: table<string, any>): shoal.Entity
function Entity:add(component, values, instance) end

---Writes fields of a component that it has, or is about to get.
---@param component shoal.names.Component
---@param values table<string, any> | any
---@param instance? string
---@return shoal.Entity self
---@overload fun(self: shoal.Entity, component: shoal.names.Component, target: shoal.Entity, values: table<string, any>): shoal.Entity
function Entity:set(component, values, instance) end

---@param component shoal.names.Component
---@param instance? string | shoal.Entity without it every instance goes; with an entity, the pair that points at it
---@return boolean had false when there was nothing to remove
function Entity:remove(component, instance) end

---Hides a component from queries, with its values kept; without a name, the whole entity.
---@param component? shoal.names.Component
---@return shoal.Entity self
function Entity:disable(component) end

---Ends what e:disable with the same name began.
---@param component? shoal.names.Component
---@return shoal.Entity self
function Entity:enable(component) end

---Enters a state of its assemblage. Fields that it names are written, unless the state that is left named them with the
---same value; the others of components that both have are kept.
---@param state shoal.names.State
---@return shoal.Entity self
function Entity:enter(state) end

---@return string? state nil when its assemblage has none
function Entity:state() end

---@return shoal.Entity[] children in the order in which they came
function Entity:children() end

---@return shoal.Entity?
function Entity:parent() end

---@return string? assemblage the one it was spawned from
function Entity:assemblage() end

---Every component and field, as plain tables.
---@return table<string, table<string, any>>
function Entity:describe() end

---What it has as JSON: component → field → value, defaults too; an entity is its id, as in SQL, and 0 is none.
---@return string
function Entity:json() end

---Goes through the steps of sequences/NAME.lua, from the first one on; nil stops it. Without a name: the one that it is
---in. The end emits sequence_ended { entity, sequence }.
---@param name? shoal.names.Sequence
---@return shoal.Entity | string?
function Entity:sequence(name) end

---Answers what a step of its sequence says: it goes on from there.
---@param choice? integer the number of a choice
---@return boolean heard false when there was nothing to answer
function Entity:answer(choice) end

---Emits the event with this entity in its field `entity`. Of behaviours only those of this entity handle it.
---@param event shoal.names.Event
---@param values? table
function Entity:send(event, values) end

---------------------------------------------------------------------------------------------------- built-in components
-- builtin.lua has the others.

---@alias shoal.Colour shoal.Vector | number[] | string

---What a step of a sequence says, until it is answered.
---@class shoal.Saying
---@field text string
---@field who string
---@field choices string a line each
---@field answer integer 0: none yet

---------------------------------------------------------------------------------------------------- columns and queries

---One field of all rows: `x[i]`, 1 … q.count. Every access is checked.
---@class shoal.Column
---@field raw fun(self: shoal.Column, i: integer): number what is stored: an entity's id as a number, for lookups
---@field [integer] any

---Those of a component, by field.
---@class shoal.Columns
---@field [string] shoal.Column | table<string, shoal.Column>

---What a query gives: `q.transform.x[i]`. Good while the system that got it runs.
---@class shoal.View
---@field count integer how many rows; `#q` would be 0 in this Lua and is refused where a file is loaded
---@field entity shoal.Column
---@field has table<string, table<integer, boolean>> which optional components are there: q.has.shield[i]
---@field destroy_all fun(self: shoal.View): integer destroys everything that matches; how many there were
---@field add fun(self: shoal.View, component: string, values?: table) adds a component to everything that matches
---@field remove fun(self: shoal.View, component: string)
---@field [string] shoal.Columns

---What a handler gets: `ev.a[i]` for i = 1 … ev.count.
---@class shoal.Events
---@field count integer
---@field [string] shoal.Column

---Of a system, by event: `on = { scored = function(ev) … end }`.
---@class shoal.Handlers
---@field [string] fun(ev: shoal.Events, dt: number)

---The game's own, by name: `./shoal types GAME` writes which there are.
---@class shoal.Singles
---@field [string] any

---@class shoal.Query
---@field [integer] string
---@field without? string | string[]
---@field any? string[]
---@field optional? string | string[]
---@field without_disabled? boolean false: what is disabled is seen too (default: true)
---@field [string] any a relation: `likes = apples`, those that point at it; of what a system declares `likes = "apples"`, the entity of this name, or `likes = "goal.at"`, whom the field of a single names

------------------------------------------------------------------------------------------------------ what files return

---sequences/NAME.lua returns a list of these. One of wait, call, wait_for, say, choice, tween, all, label and jump.
---@class shoal.Step
---@field name? string for jumps, and to find it after a reload
---@field when? fun(e: shoal.Entity): any it is left out when that is not true
---@field wait? number | fun(e: shoal.Entity): number seconds
---@field call? fun(e: shoal.Entity)
---@field wait_for? fun(e: shoal.Entity): any
---@field say? string | fun(e: shoal.Entity): string
---@field who? string | fun(e: shoal.Entity): string
---@field choice? any[] texts, or { text, jump = "name", call = function(e) end }
---@field tween? string "transform.x"
---@field of? string the name of another entity that is moved
---@field to? any a value, or a function of the entity
---@field from? any
---@field seconds? number of a tween; the longest time of a wait_for and a say
---@field ease? shoal.Ease
---@field delay? number
---@field times? integer of a tween, and of a jump
---@field forever? boolean
---@field back? boolean
---@field all? (shoal.Step | shoal.Step[])[]
---@field label? string
---@field jump? string

---game.lua
---@class shoal.Game
---@field title? string
---@field width? integer
---@field height? integer
---@field tick_rate? integer ticks per second (default: 60)
---@field plugins? string[]
---@field native? boolean asks for `require "ffi"`
---@field tests? boolean a suite of tests: its functions may keep what they like between ticks, and nothing of it is rewound or replayed
---@field start? fun() once for a fresh world, not on reload
---@field scene? string the first scene
---@field id? string what saves belong to: letters, digits, _ and - (default: the name of the game's folder)
---@field autosave? integer seconds of the game between two saves under the name "autosave", 0 for never (default: 0)
---@field window? shoal.GameWindow
---@field fonts? string[] asked for characters that a text's own font has not, before the engine's
---@field dead_zone? number how far a stick may move and still rest, 0 … 0.9 (default: 0.2)
---@field buses? table<string | integer, number | string | shoal.Bus> of sounds: a volume, a name alone, or all of it
---@field budget? shoal.Budget milliseconds of the processor's time that scripts have before they are stopped
---@field history? integer megabytes for going back in time, 0 for none (default: 64)

---The window that a game opens; `width` and `height` of the game itself are the logical size.
---@class shoal.GameWindow
---@field width? integer of its inside at the start (default: the logical size)
---@field height? integer
---@field scale? "fit" | "integer" | "stretch" how the logical size fills it: as large as fits (default), a whole number of pixels for each, all of it
---@field filter? "smooth" | "pixels" of images that are drawn larger than they are (default: "smooth")
---@field fullscreen? boolean
---@field resizable? boolean (default: true)
---@field vsync? boolean frames wait for the screen (default: true)
---@field icon? string an image: its picture among other windows

---@class shoal.Bus
---@field volume? number 0 … 1 (default: 1)
---@field under? string | string[] buses: while something is heard there, this one is lowered
---@field duck? number to which part of its volume (default: 0.4)
---@field attack? number seconds in which it goes down (default: 0.1)
---@field release? number seconds in which it comes back (default: 0.6)
---@field lowpass? number hertz above which it is softer, 20 … 20000; 0: none (default: 0)
---@field reverb? number 0 … 1 (default: 0)

---0 is for ever. On a slow machine they are longer by as much as it is slower; `--budget` overrides them.
---@class shoal.Budget
---@field system? integer a piece of a system (default: 100, and 1000 without a window or --watch)
---@field start? integer a `start` of the game, a system or a scene, a behaviour's `create` (default: 30000)
---@field load? integer reading the files; `stop`, `migrate` and --exec (default: 30000)
---@field sql? integer a question of a script, in steps of SQLite's machine, which no machine makes longer and no option overrides (default: 2000000)

---systems/NAME.lua. One of `update`, `each` is its body.
---@class shoal.System
---@field phase? "input" | "pre_update" | "update" | "post_update" | "render" | "demand" (default: "update")
---@field when? table<string, table<string, any>> fields of singles: it runs while they have these values, or one of a list
---@field query? shoal.Query
---@field queries? table<string, shoal.Query>
---@field update? fun(q: shoal.View, dt: number, arguments?: table) | fun(dt: number, arguments?: table)
---@field each? fun(e: shoal.Entity, dt: number, arguments?: table) `arguments` are those of world.run
---@field after? string | string[]
---@field before? string | string[]
---@field priority? integer lower runs earlier (default: 0)
---@field enabled? boolean false: off until world.system switches it on
---@field every? integer ticks; for the body only
---@field on? shoal.Handlers
---@field enter? fun(e: shoal.Entity) an entity begins to match its query
---@field leave? fun(e: shoal.Entity) an entity no longer matches; its last values can be read
---@field changed? fun(e: shoal.Entity) a component in its query has another value
---@field start? fun()
---@field stop? fun()
---@field reload? fun()
---@field doc? string what it does, for people: SELECT description FROM systems
---@field precision? "single" its body calculates in 32 bits, as its columns hold them; it is compiled as a whole
---@field compile? "required" its body must be compiled as a whole, or it is an error

---assemblages.lua returns these by name.
---@class shoal.Assemblage
---@field doc? string what it is, for people: SELECT description FROM assemblages
---@field is? string | string[]
---@field components? table<string, any> `gun = false` leaves one out
---@field without? string | string[]
---@field children? table<string | integer, shoal.Assemblage | table<string, any>> of a list in its order; components may be named directly
---@field states? table<string, any> `initial` and, by name, components: fields, `keep`, or a function of the entity

---`self` of a behaviour's functions: what `e.NAME` gives.
---@class shoal.Self
---@field entity shoal.Entity
---@field [string] any its fields and functions

---behaviours/NAME.lua: a component that has functions
---@class shoal.Behaviour
---@field fields? table<string, any> as a component's in components.lua
---@field create? fun(self: shoal.Self)
---@field update? fun(self: shoal.Self, dt: number)
---@field enable? fun(self: shoal.Self) after `create`, and when it is enabled again
---@field disable? fun(self: shoal.Self) when the entity or the behaviour is disabled
---@field destroy? fun(self: shoal.Self) reads the last values, and cannot write them
---@field on? table<string, fun(self: shoal.Self, ev: table)> by event, of which an entity field is `self.entity`
---@field any? boolean whether `on` gets all of its events, whichever entities they name
---@field render? fun(self: shoal.Self, dt: number) draws; the world cannot be changed in it
---@field after? string | string[] systems and behaviours that run before it
---@field before? string | string[]
---@field priority? integer the lower, the earlier
---@field when? table<string, table<string, any>> it runs while the single's field holds this
---@field doc? string
---@field [string] any functions of its own, `land = function(self, speed) … end`, called as `e.NAME:land(3)`

---scenes/NAME.lua
---@class shoal.Scene
---@field entities? shoal.SceneEntity[]
---@field format? 1
---@field start? fun()

---An entity of a scene, in Lua as in JSON; `false` stands for null
---@class shoal.SceneEntity
---@field assemblage? shoal.names.Assemblage
---@field components? table<shoal.names.Component, table|false> what differs from the assemblage; false leaves it out
---@field name? string|false
---@field id? string for references within the file
---@field parent? string|false the `id` or `name` of another entity of the file
---@field state? shoal.names.State
---@field children? table<string, shoal.SceneEntity|false> of the assemblage, by name

------------------------------------------------------------------------------------------------------------------ shoal

---@class shoal.FieldOptions
---@field min? number
---@field max? number
---@field unit? string
---@field doc? string
---@field cascade? "keep"|"clear"|"remove"|"destroy" of an entity: what happens when the one that it names dies

---@class shoal.RelationOptions
---@field many? boolean false: an entity points at one
---@field cascade? "keep"|"clear"|"remove"|"destroy" when the target dies (default: "remove")

---@class shoal.FieldType
---@overload fun(default?: any, options?: shoal.FieldOptions): shoal.FieldType

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
---@field enum fun(names: string[]): shoal.FieldType the first is the default
---@field vec2 shoal.FieldType
---@field vec3 shoal.FieldType
---@field vec4 shoal.FieldType
---@field quat shoal.FieldType
---@field many fun(fields: table): table several named instances per entity
---@field relation fun(fields?: table, options?: shoal.RelationOptions): table pairs: a component whose `target` names an entity
---@field single fun(fields: table): table one row: world.single.NAME
---@field metadata fun(fields: table): table not loaded

---In a component's declaration, beside its fields.
---@class shoal.Renewed
---@field doc? string what it is, for people: SELECT description FROM components
---@field renamed_from? string | table<string | integer, string> the old name of all of it, "vitality"; of fields, new name → old name, { balance = "stability" }; { "vitality", balance = "stability" }
---@field migrate? fun(old: shoal.Columns, new: shoal.Columns, q: shoal.View) old.hp[i], q.entity[i] → new.hp[i], for i = 1 … q.count

---Functions of numbers: min and max take the second of two that are equal, and of NaN.
---@class shoal.Math
---@field min fun(a: number, b: number): number
---@field max fun(a: number, b: number): number
---@field abs fun(a: number): number
---@field sqrt fun(a: number): number
---@field floor fun(a: number): number
---@field clamp fun(v: number, low: number, high: number): number
---@field lerp fun(a: number, b: number, t: number): number

---A value: never changes. Parts under x y z w, r g b a and 1 … 4; v.xy gives others.
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
---@field cross fun(v: shoal.Vector, w: shoal.Vector): any a vec3; of vec2 a number
---@field length fun(v: shoal.Vector): number
---@field length_squared fun(v: shoal.Vector): number
---@field distance fun(v: shoal.Vector, w: shoal.Vector): number
---@field normalize fun(v: shoal.Vector): shoal.Vector zero stays zero
---@field lerp fun(v: shoal.Vector, w: shoal.Vector, t: number): shoal.Vector
---@field min fun(v: shoal.Vector, w: shoal.Vector): shoal.Vector
---@field max fun(v: shoal.Vector, w: shoal.Vector): shoal.Vector
---@field abs fun(v: shoal.Vector): shoal.Vector
---@field floor fun(v: shoal.Vector): shoal.Vector
---@field reflect fun(v: shoal.Vector, normal: shoal.Vector): shoal.Vector
---@field angle fun(v: shoal.Vector, w: shoal.Vector): number radians
---@field unpack fun(v: shoal.Vector): number, number, number?, number?

---@class shoal.Quat
---@field x number
---@field y number
---@field z number
---@field w number
---@field [integer] number
---@operator add(shoal.Quat): shoal.Quat
---@operator sub(shoal.Quat): shoal.Quat
---@operator mul(shoal.Quat): shoal.Quat what comes last turns first
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
---@field slerp fun(q: shoal.Quat, r: shoal.Quat, t: number): shoal.Quat the short way round
---@field rotate fun(q: shoal.Quat, v: shoal.Vector): shoal.Vector
---@field axis fun(q: shoal.Quat): shoal.Vector
---@field angle fun(q: shoal.Quat): number radians
---@field unpack fun(q: shoal.Quat): number, number, number, number

---Sixteen numbers, column by column.
---@class shoal.Matrix
---@field [integer] number
---@operator mul(shoal.Matrix): shoal.Matrix
---@operator mul(shoal.Vector): shoal.Vector
---@operator len: integer
---@field get fun(m: shoal.Matrix, row: integer, column: integer): number
---@field inverse fun(m: shoal.Matrix): shoal.Matrix
---@field determinant fun(m: shoal.Matrix): number
---@field transpose fun(m: shoal.Matrix): shoal.Matrix
---@field point fun(m: shoal.Matrix, v: shoal.Vector): shoal.Vector a place
---@field direction fun(m: shoal.Matrix, v: shoal.Vector): shoal.Vector
---@field quat fun(m: shoal.Matrix): shoal.Quat of one that only turns
---@field unpack fun(m: shoal.Matrix): ...

---@class shoal.MakeQuat
---@field axis_angle fun(axis: shoal.Vector, radians: number): shoal.Quat
---@overload fun(...): shoal.Quat

---@class shoal.MakeMatrix
---@field translation fun(...): shoal.Matrix a vec3 or three numbers
---@field scaling fun(...): shoal.Matrix a vec3 or three numbers
---@field rotation fun(axis: shoal.Vector|shoal.Quat, radians?: number): shoal.Matrix
---@field perspective fun(fov: number, aspect: number, near: number, far: number): shoal.Matrix
---@field ortho fun(left: number, right: number, bottom: number, top: number, near: number, far: number): shoal.Matrix
---@field look_at fun(eye: shoal.Vector, target: shoal.Vector, up?: shoal.Vector): shoal.Matrix
---@overload fun(...): shoal.Matrix

---@class shoal
---@field vec2 fun(...): shoal.Vector numbers, vectors, a list, or a vector in a component
---@field vec3 fun(...): shoal.Vector
---@field vec4 fun(...): shoal.Vector
---@field quat shoal.MakeQuat
---@field mat4 shoal.MakeMatrix
---@field types shoal.Types
---@field none shoal.Entity no entity
---@field math shoal.Math
---@field plugins table<string, table<string, function>> what the game's plugins declare (--types FILE writes it down)
shoal = {}

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

---How far a value is when the part `t` of the time, 0 … 1, is over: what world.tween goes by, for loops of one's own.
---@param ease shoal.Ease
---@param t number
---@return number part 0 at 0 and 1 at 1
function shoal.ease(ease, t) end

---The one table that functions may keep between ticks; for a file's main chunk: `local paths = shoal.cache(function()
---return {} end)`. It is filled by `build` before the first function runs, and again, in place, whenever the world is
---brought back. `build` reads the world and does not change it.
---@generic T: table
---@param build fun(): T
---@return T
function shoal.cache(build) end

---What `draw` of a panel in the cockpit says which widgets there are with.
---@class shoal.CockpitWidgets
local panel = {}

---A line of text.
---@param text string
function panel:label(text) end

---A name, and what it is.
---@param label string
---@param value any
function panel:value(label, value) end

---A number and how it was since somebody looks, or a list of numbers.
---@param label string
---@param value number | number[]
function panel:plot(label, value) end

---A number that can be set: of an entity, `panel:slider("size", e, "rock.size", { 1, 50 })`, of a single,
---`panel:slider("force", "wind.force", { 0, 20 })`, or any, with the function that sets it.
---@param label string
---@param e shoal.Entity
---@param field string
---@param range? number[] that of the declaration by default
---@overload fun(self: shoal.CockpitWidgets, label: string, field: string, range?: number[])
---@overload fun(self: shoal.CockpitWidgets, label: string, value: number, range: number[], set: fun(value: number))
function panel:slider(label, e, field, range) end

---@param label string another one than those of the panel's other buttons
---@param press fun() may change the world
function panel:button(label, press) end

---@class shoal.CockpitPanel
---@field title string
---@field draw? fun(panel: shoal.CockpitWidgets, e?: shoal.Entity) reads the world; `e` is what is picked
---@field sql? string a question, in place of `draw`; its answer is a table
---@field plot? boolean the answer as lines, too

---@class shoal.CockpitCommand
---@field command string its name in the palette
---@field help? string
---@field run fun(e?: shoal.Entity) may change the world

---A panel or a command for the cockpit, while files are loaded, in cockpit.lua say. In the console and with --exec,
---with names: a press of a panel's button, `shoal.cockpit("Wind", "Stop")`, or a command.
---@param given shoal.CockpitPanel | shoal.CockpitCommand
---@overload fun(panel: string, widget?: string, value?: number, e?: shoal.Entity)
function shoal.cockpit(given) end

------------------------------------------------------------------------------------------------------------------ world

---@class shoal.World
---@field tick integer
---@field time number seconds of simulation
---@field single shoal.Singles the components that are `t.single`
world = {}

---Spawns an entity. Alive at once; inside a system its components come when the system ends.
---@param assemblage? shoal.names.Assemblage
---@param overrides? table<string, any> component → fields
---@return shoal.Entity
function world.spawn(assemblage, overrides) end

---Makes an assemblage, or makes one anew that the program has made before: living entities follow when the system has
---ended. Kept in the world; data alone, without functions.
---@param name string letters, digits and _; of no file
---@param assemblage shoal.Assemblage
function world.define(name, assemblage) end

---@param assemblage? shoal.names.Assemblage
---@param count integer
---@param fill? fun(q: shoal.View) writes the columns before the entities are there
---@return shoal.Entity[]
function world.spawn_many(assemblage, count, fill) end

---@param e any
---@return boolean
function world.alive(e) end

---How many of an assemblage are alive, or how many have a component.
---@param name shoal.names.Assemblage | shoal.names.Component
---@return integer
function world.count(name) end

---The first entity whose `name` component says so.
---@param name string
---@return shoal.Entity?
function world.find(name) end

---Gives a widget the focus, or takes it away (shoal.none); without an argument it only asks.
---@param e? shoal.Entity
---@return shoal.Entity? focused
function world.focus(e) end

---The entities that match now; those that die on the way are left out. Outside hot paths.
---@param ... string | shoal.Query
---@return fun(): shoal.Entity?
function world.each(...) end

---With `likes = apples`, or `likes = { apples, pears }`, those that have these pairs.
---@param query shoal.Query
---@return shoal.View
function world.query(query) end

---Who points at an entity: with any field of any component, or with one, "likes" or "bond.other". In the order of their
---ids. Where no field is named the second list says by which field each of them does.
---@param e shoal.Entity
---@param field? string
---@return shoal.Entity[] entities
---@return string[]? fields
function world.who_targets(e, field) end

---At whom an entity points, in the order in which its pairs were added.
---@param e shoal.Entity
---@param component shoal.names.Component
---@return shoal.Entity[]
function world.targets(e, component) end

---Returns how many rows of a component or single were added, removed or given another value since the first call.
---@param component shoal.names.Component
---@return integer
function world.changes(component) end

---How a query's columns are reached, and why: for print.
---@param query shoal.Query
---@return string
function world.explain(query) end

---For hot reads and writes across entities: `health.hp[id]`, by raw id or entity; nil when dead or without it.
---@param component shoal.names.Component
---@return shoal.Columns
function world.lookup(component) end

---@param event shoal.names.Event
---@param values? table<string, any>
function world.emit(event, values) end

---`count` events at once: `fill` writes their columns, `ev.power[i] = …`.
---@param event shoal.names.Event
---@param count integer
---@param fill fun(ev: shoal.Columns)
function world.emit_many(event, count, fill) end

---Emits the event in so many seconds, to the nearest tick. What waits is an entity with a `timer`: saved, rewound, in
---SQL; a disabled one stands still.
---@param seconds number
---@param event shoal.names.Event
---@param values? table<string, any> as world.emit takes them
---@return shoal.Entity timer for world.cancel
function world.after(seconds, event, values) end

---@param timer shoal.Entity what world.after returned
---@return boolean cancelled false when it has gone off
function world.cancel(timer) end

---@class shoal.TweenOptions
---@field from? any where it begins; where the field is, otherwise
---@field delay? number seconds before it begins
---@field times? integer how often it runs
---@field forever? boolean it never ends
---@field back? boolean every second time it runs back; twice, where `times` does not say
---@field next? any[] what follows: { to, seconds, ease, options }

---Brings a number or a vector of the entity to `to`, from the next tick on; another tween of the same path takes its
---place. It ends with its entity; then it emits tween_ended { entity, path }.
---@param e shoal.Entity
---@param path string "transform.x", "sprite.tint", "sprite.tint.a", "gun.left.heat"
---@param to any a number, or what the vector takes; nil stops what is on its way
---@param seconds? number
---@param ease? shoal.Ease "linear" where it is not said
---@param options? shoal.TweenOptions
function world.tween(e, path, to, seconds, ease, options) end

---The cells of a tilemap, columns and rows from 1.
---@class shoal.Tiles
local tiles = {}

---@param layer string
---@param x number column
---@param y number row
---@return integer tile its number in the map, 0 for none and outside
---@return integer flip how it is turned: 1 from left to right, 2 upside down, 4 over the diagonal
function tiles:get(layer, x, y) end

---Saved, rewound, and kept when the map is edited.
---@param layer string
---@param x number
---@param y number
---@param tile integer? 0 for none; nil: what the map says, from here on
---@param flip? integer
function tiles:set(layer, x, y, tile, flip) end

---Does the uppermost tile there that says so or not have the property `solid`?
---@param x number
---@param y number
---@return boolean
function tiles:solid(x, y) end

---The way from one cell to another around solid tiles, as a `path` takes it: the middles of the cells, the first one
---left out; nil where there is none.
---@param x1 number column
---@param y1 number row
---@param x2 number
---@param y2 number
---@param mask? integer bodies with one of these categories are in the way as well
---@return string? points
function tiles:way(x1, y1, x2, y2, mask) end

---@class shoal.TilesSize
---@field columns integer
---@field rows integer
---@field x integer the first column; 1, but for infinite maps
---@field y integer
---@field tile_width integer pixels
---@field tile_height integer

---@return shoal.TilesSize
function tiles:size() end

---The entities whose `body` overlaps a circle, the nearest first.
---@param x number
---@param y number
---@param radius number
---@param mask? integer only bodies with one of these categories
---@return shoal.Entity[]
function world.near(x, y, radius, mask) end

---The entity with the nearest `body`, or nil.
---@param x number
---@param y number
---@param mask? integer
---@return shoal.Entity?
function world.nearest(x, y, mask) end

---The entities whose `body` overlaps an upright box.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? integer
---@return shoal.Entity[]
function world.box(x1, y1, x2, y2, mask) end

---The first entity whose `body` lies on the way from one point to another, where the way enters it and the normal
---there; nil for nobody. Bodies that the way begins in are passed over.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param mask? integer
---@param stops? boolean true: solid tiles end it as well; e is their tilemap then
---@return shoal.Entity? e
---@return number x
---@return number y
---@return number nx
---@return number ny
function world.ray(x1, y1, x2, y2, mask, stops) end

---Opens the options screen: volumes, display, other settings, keys. The event options_closed says that it is left.
---@return shoal.Entity screen to be destroyed, if it shall close by itself
function world.options() end

---Where a point of the world is on the screen, in logical pixels, through a camera or the lowest one that is seen.
---@param x number
---@param y number
---@param camera? shoal.Entity
---@return number x
---@return number y
function world.to_screen(x, y, camera) end

---Where a point of the screen is in the world: through a camera, or the one whose view lies there, which comes third.
---@param x number in logical pixels, as input.mouse() gives it
---@param y number
---@param camera? shoal.Entity
---@return number x
---@return number y
---@return shoal.Entity? camera
function world.from_screen(x, y, camera) end

---@param e shoal.Entity one with a tilemap
---@return shoal.Tiles
function world.tiles(e) end

---From the world's stream, which is saved and replayed: 0 … 1 without arguments, else a whole number 1 … a or a … b.
---@param a? number
---@param b? number
---@return number
function world.random(a, b) end

---@return string hash of everything that the simulation depends on
function world.hash() end

---Ends the game when the tick has ended. false refuses a world.quit() of this tick, and a wish to close the window.
---@param on? boolean
function world.quit(on) end

---Starts the game anew when the tick has ended, in the same window, as Ctrl+F5 does. A replay ends there.
function world.restart() end

---@param on? boolean false goes on
function world.pause(on) end

---Switches a system on or off, from its next turn on. Kept in the world.
---@param name shoal.names.System
---@param on? boolean nil only asks
---@return boolean on is it switched on
function world.system(name, on) end

---Runs a system of phase "demand" now, over its query.
---@param name shoal.names.System
---@param arguments? table what its function gets behind the time
function world.run(name, arguments) end

---At the beginning of the next tick: every entity goes, those of scenes/NAME.lua come, and its `start` runs. Singles
---stay.
---@param name shoal.names.Scene
function world.scene(name) end

---At the beginning of the next tick: a scene beside those that are open. Its entities have the component in_scene.
---@param name shoal.names.Scene
function world.open(name) end

---At the beginning of the next tick: the entities of an open scene go, the others stay.
---@param name shoal.names.Scene
function world.close(name) end

---The whole world, exactly, for world.restore.
---@return any snapshot
function world.snapshot() end

---The entities, or those that a query names, as JSON: only what differs from their assemblages. With a name also a
---file, NAME.json in the folder of the game's saves, when the tick ends. A file of this kind in scenes/ is a scene.
---@param name? string
---@param query? table
---@return string text
function world.export(name, query) end

---Spawns what such a text says, or the file of that name: all of it or nothing. Returns the entities of its list, in
---order, and those that have an id in it, or a name that no other has, by that.
---@param source string
---@return shoal.Entity[] made
---@return table<string, shoal.Entity> named
function world.import(source) end

---Goes back to a snapshot: outside systems at once, in a system when the tick ends. Or to a tick, when this one ends:
---`world.restore(world.tick - 60)`; as far as the history reaches (game.lua's `history`, --history MB). With
---`{ replay = true }` the game then goes on with the input that those ticks had, and after them with live input; the
---timeline that was left is kept to be compared with, and the log says which tick is the first that differs.
---@param to any a snapshot or a tick
---@param options? { replay: boolean } with a tick
function world.restore(to, options) end

---What differs between two states.
---@class shoal.difference
---@field entity? shoal.Entity of an entity; of the world, a single or an event otherwise
---@field component? string or the event; nil: whether the entity is there
---@field instance? string of a named instance
---@field field? string nil: whether it has the component
---@field row? integer of an event: the how many-th that is there
---@field a any the value in the first state; nil: not there
---@field b any

---Which entities, components and fields differ between two snapshots; nil is now. Sorted: entities by index with their
---fields, then singles, events, and the world's own (random numbers, tick). `total` says how many there are in all.
---@param a? any
---@param b? any
---@param most? integer how many are listed; 100 by default
---@return shoal.difference[]
function world.compare(a, b, most) end

---Trails of where entities will be in the next ticks, drawn in a window: the game is forked and simulated ahead with
---the last input held, or with the input that was heard where the past is lived again. While the game is held or paused
---they follow every change of code. Calls add up; without arguments there are no ghosts any more. Nothing of it is part
---of the world.
---@param what? string|shoal.Entity|shoal.Entity[]|table an assemblage, component or name; an entity or a list of them; a query
---@param ticks? integer 120 by default
function world.ghosts(what, ticks) end

---The state that is kept of a tick, for world.compare; "old": of the timeline that was left last. nil
---when it is not kept. For tools and tests: how much is kept depends on the budget, so no simulation should ask.
---@param tick integer
---@param which? "old"
---@return any? snapshot
function world.past(tick, which) end

---Which ticks are kept: `first` to `last`, with `now` between them; `old` the same of the timeline that was left last;
---`again` while the game hears what was heard in it.
---@return { now: integer, first?: integer, last?: integer, old?: { first: integer, last: integer }, again: boolean }
function world.timeline() end

---Saves the world under this name, in the game's own folder for saves, when the tick ends. A failure is logged and
---shown.
---@param name string letters, digits, spaces, - _ and .
function world.save(name) end

---Goes on with the world that was saved under this name, from the end of this tick on. A save that is damaged, of
---another game, or changed by somebody is refused, and the world stays as it is.
---@param name string
---@return boolean found false when there is no such save, and nothing happens
---@return string? why
function world.load(name) end

---@class shoal.Slot
---@field name string
---@field tick? integer nil: it cannot be loaded, and `problem` says why
---@field time? number seconds of the game
---@field saved string when, "2026-11-21 18:30"
---@field picture? string an image, "save:NAME": what was on the screen; nil of a run without a window
---@field problem? string

---The saves that there are, by name. What the files say is part of the recording: ask when a screen opens, and not in
---every tick.
---@return shoal.Slot[]
function world.saves() end

---Deletes a save when the tick ends; a replay deletes none.
---@param name string
---@return boolean found
---@return string? why
function world.delete_save(name) end

---Rows as tables by column, `world.sql("SELECT entity, hp FROM health WHERE hp < ?", 10)`: every component, single and
---event is a table, and so are entities, entity_components, components, assemblages, assemblage_components, events and
---systems. `entity` and fields that hold one are handles. A game's scripts may read, up to 2,000,000 steps of SQLite's
---machine; chunks of --exec may also INSERT, UPDATE and DELETE, and get how many rows changed as a second result.
---@param question string
---@param ... any values for its `?`: numbers, texts, truths, entities, nil
---@return table<string, any>[] rows
---@return integer? changed
function world.sql(question, ...) end

---Pauses the game at the end of the first tick at which the query has a row.
---@param question string
---@param on boolean? false: it is watched no longer
function world.watch(question, on) end

-------------------------------------------------------------------------------------------------- input, drawing, sound

---@class shoal.Input
input = {}

---@param action shoal.names.Action
---@param player? integer 1 … 4: that one's pad and keys; nil for anybody
---@return boolean
function input.down(action, player) end

---Down in this tick and not in the last.
---@param action shoal.names.Action
---@param player? integer 1 … 4
---@return boolean
function input.pressed(action, player) end

---@param action shoal.names.Action
---@param player? integer 1 … 4
---@return boolean
function input.released(action, player) end

---@param action shoal.names.Action
---@param player? integer 1 … 4
---@return number value -1 … 1
function input.axis(action, player) end

---@return number x, number y in the game's logical size
function input.mouse() end

---@return string[] names of input.lua, sorted
function input.actions() end

---What makes an action now: what input.lua says, or the player has chosen.
---@param action shoal.names.Action
---@param part? "axis" | "negative" | "positive" of an axis
---@return string[] bindings
function input.bindings(action, part) end

---A key takes the place of the action's keys and mouse buttons, a button that of its buttons; a list that of all. In
---games with an id in game.lua, or a settings.lua: it is kept.
---@param action shoal.names.Action
---@param binding string | string[]
---@param part? "axis" | "negative" | "positive" of an axis
---@return string[] rivals actions that share a key with it
function input.bind(action, binding, part) end

---As input.lua says; nil for all.
---@param action? shoal.names.Action
function input.reset(action) end

---Keys that two actions share and input.lua does not give to both.
---@param action? string nil for all
---@return { binding: string, actions: string[] }[]
function input.conflicts(action) end

---The next key, button or stick that is pressed becomes it; Escape leaves it as it was, and false ends it. Meanwhile
---all actions rest. nil only asks.
---@param action? shoal.names.Action | false
---@param part? "axis" | "negative" | "positive" of an axis
---@return string? action that is listened for
---@return string? part
function input.listen(action, part) end

---What to press, on the device that was used last: "Space", "A", "Cross", "A / D".
---@param action shoal.names.Action
---@param player? integer 1 … 4
---@return string words "" for an action without keys
function input.prompt(action, player) end

---What a person reads for a binding.
---@param binding string
---@param kind? "pad" | "xbox" | "playstation" | "nintendo"
---@return string words
function input.label(binding, kind) end

---What was used last.
---@param player? integer 1 … 4
---@return "keyboard" | "pad" | "xbox" | "playstation" | "nintendo"
function input.device(player) end

---@return { number: integer, kind: "pad" | "xbox" | "playstation" | "nintendo" }[] those that are there
function input.pads() end

---Shakes the pads, or a player's. Changes nothing in the world; replays do not do it.
---@param strength number 0 … 1
---@param seconds number
---@param player? integer 1 … 4
function input.rumble(strength, seconds, player) end

---@class shoal.Window
window = {}

---Fills the screen, or no longer, when the tick has ended; nil only asks. Changes nothing in the world.
---@param on? boolean
---@return boolean on as the tick's input sample says; false without a window
function window.fullscreen(on) end

---How the logical size fills the window, when the tick has ended; nil only asks.
---@param mode? "fit" | "integer" | "stretch"
---@return "fit" | "integer" | "stretch" mode as the tick's input sample says
function window.scale(mode) end

---Frames wait for the screen, or do not, when the tick has ended; nil only asks.
---@param on? boolean
---@return boolean on as the tick's input sample says
function window.vsync(on) end

---Immediate drawing, in systems of phase "render".
---@class shoal.Draw
draw = {}

---With a camera: in its view alone, and in screen space from the corner of its view.
---@param name "world" | "screen"
---@param camera? shoal.Entity
function draw.space(name, camera) end

---@param layer integer
function draw.layer(layer) end

---0 … 1 each, a list of them, or "#rrggbb[aa]".
---@param r number | number[] | string
---@param g? number
---@param b? number
---@param a? number
function draw.colour(r, g, b, a) end
draw.color = draw.colour

---@param mode "alpha" | "add"
function draw.blend(mode) end

---@param name? string
function draw.font(name) end

---How texts look after it, besides colour and font. All may be left out; without a table as at the beginning.
---@class shoal.TextStyle
---@field outline? number[] | string its colour; black
---@field outline_width? number in the units of the text; 0
---@field shadow? number[] | string its colour; black, 0.6 of it
---@field shadow_x? number with shadow_y, how far it falls; both 0: there is none
---@field shadow_y? number
---@field line_spacing? number from line to line, of what the font says; 1
---@field valign? "top" | "middle" | "bottom" what y means
---@field shown? integer so many characters are seen; all
---@field markup? boolean [color=#ff8800], [size=32], [font=a.ttf] and [icon=coin.png] are tags; false
---@param options? shoal.TextStyle
function draw.text_style(options) end

---@param width? number
function draw.line(x1, y1, x2, y2, width) end

---@param filled? boolean
---@param width? number
function draw.circle(x, y, radius, filled, width) end

---@param filled? boolean
---@param width? number
function draw.rect(x, y, w, h, filled, width) end

---@param points number[] | number[][]
---@param filled? boolean
---@param width? number
function draw.polygon(points, filled, width) end

---@param text any
---@param x number
---@param y number
---@param size? number
---@param align? "left" | "center" | "right"
---@param wrap? number
function draw.text(text, x, y, size, align, wrap) end

--- In the render phase only, as all of draw.
---@param text any
---@param size? number
---@param wrap? number
---@return number width, number height
function draw.text_size(text, size, wrap) end

---@param name shoal.names.Asset
---@param x number
---@param y number
---@param angle? number
---@param scale_x? number
---@param scale_y? number
---@param frame? integer of the image's sheet, from 1; nil: the whole image
function draw.image(name, x, y, angle, scale_x, scale_y, frame) end

---What audio.set takes; audio.play as well.
---@class shoal.SoundChange
---@field volume? number 0 … 1
---@field pan? number -1 … 1
---@field pitch? number 0.05 … 20; 2 is an octave higher (default: 1)
---@field fade? number seconds in which the volume is reached (default: 0)
---@field x? number with y: where it is in the world
---@field y? number
---@field range? number from where on it is silent (default: 800)
---@field within? number up to where it is as loud as `volume` (default: 0)

---@class shoal.SoundOptions: shoal.SoundChange
---@field loop? boolean
---@field bus? string (default: "effects")
---@field pitch_variation? number 0.1: each time up to a tenth higher or lower

---@class shoal.Audio
audio = {}

---@param name shoal.names.Asset a file, or without its ending one of NAME.wav, NAME_1.wav, NAME_2.wav, …
---@param options? shoal.SoundOptions
---@return integer voice for audio.stop and audio.set; of a sound that cannot be played too
function audio.play(name, options) end

---@param voice? integer
---@param fade_s? number
function audio.stop(voice, fade_s) end

---@param voice integer
---@param options shoal.SoundChange what it does not name stays
function audio.set(voice, options) end

--- In the render phase only.
---@param voice integer
---@return boolean
function audio.playing(voice) end

---@param bus string | number of all buses, if it is a number
---@param volume? number 0 … 1
function audio.volume(bus, volume) end

---@class shoal.BusEffects
---@field lowpass? number hertz above which it is softer, 20 … 20000; 0: none (default: 0)
---@field reverb? number 0 … 1 (default: 0)
---@field fade? number seconds in which the low-pass is there (default: 0.3)

---@param bus string
---@param options? shoal.BusEffects what it does not name is none
function audio.effects(bus, options) end

---@class shoal.MusicChange
---@field at? "now" | "beat" | "bar"
---@field fade? number seconds

---@class shoal.MusicStart: shoal.MusicChange
---@field section? string (default: the piece's `first`)

---What music.lua declares. What plays is the single of the same name.
---@class shoal.Music
music = {}

---@param piece string one that plays already goes on
---@param options? shoal.MusicStart
function music.play(piece, options) end

---@param name string of the piece that plays
---@param options? shoal.MusicChange
function music.section(name, options) end

---@param name string
---@param volume number 0 … 1
function music.layer(name, volume) end

---@param name string
---@param options? { at?: "now" | "beat" | "bar" }
function music.sting(name, options) end

---@param options? shoal.MusicChange
function music.stop(options) end

---@return number beat since the piece began, growing evenly; 0 without a piece that has a tempo
---@return integer bar from 1; 0 for none
function music.beat() end

----------------------------------------------------------------------------------------------------------------- others

---@class shoal.Log
log = {}

---@param format string
function log.info(format, ...) end

---@param format string
function log.warn(format, ...) end

---@param format string
function log.error(format, ...) end

---Shown with --log debug.
---@param format string
function log.debug(format, ...) end

---@class shoal.Json
json = {}

---Keys are sorted, numbers read as the same numbers again, an empty table is {}. Not: NaN, circles, lists with holes,
---tables with names and numbers.
---@param v any
---@return string
function json.encode(v) end

---null is a value that is not there.
---@param s string
---@return any
function json.decode(s) end

---What settings.lua declares, and Shoal's own settings of a game with an id: `settings.music = 0.5`. A single of the
---world, filled from a file when it begins; what has changed is written into the file.
---@type table<string, any>
settings = {}

---@class shoal.Tr
---@overload fun(key: string, values?: table<string, string | number>): string
tr = {}

---What a column holds so that the text follows the language: `@menu.lives {"n":3}`.
---@param key string of strings/: "menu.lives"
---@param values? table<string, string | number> for what stands in braces; n chooses the plural form
---@return string reference
function tr.key(key, values) end

---@return string language that is shown: "en"
function tr.language() end

---The languages of strings/, the first one first, with their names in themselves.
---@return { id: string, name: string }[]
function tr.languages() end

---@class shoal.Assets
assets = {}

---@param name shoal.names.Asset
---@return boolean
function assets.exists(name) end

---A JSON file of the game's assets/: tables that nobody can change, the same every time.
---@param name shoal.names.Asset "items.json"
---@return any
function assets.json(name) end

---A CSV file of the game's assets/: a list of rows, whose fields are named by the first line.
---@param name shoal.names.Asset "waves.csv"
---@return table<string, string | number>[]
function assets.csv(name) end

---A file of the game's assets/, whole: .txt, .md, .json, .csv, .tsv.
---@param name shoal.names.Asset "credits.txt"
---@return string
function assets.text(name) end

---Begins to decode images and sounds, off the frame. An image is not drawn until it is there; a sound that is to be
---heard before is decoded at once. What cannot be loaded is said, and counts as there.
---@param names string[]
function assets.preload(names) end

---Is all there that was asked for, or has failed? With how many are there, of how many that were asked for since all
---was there. In a simulation the answer is recorded, as input is; without a window everything is there at once.
---@return boolean ready
---@return integer there
---@return integer asked
function assets.ready() end

---@class shoal.LoadingScreen
---@field title? string
---@field colour? string
---@field background? string

---A loading screen with a bar over everything, as long as assets.ready() is false; for systems of phase render.
---@param options? shoal.LoadingScreen
---@return boolean drawn
function assets.screen(options) end

---Asks for all files to be read again, as saving one does.
function reload() end
