---@meta
---@diagnostic disable: duplicate-doc-alias, duplicate-doc-field
-- Written by shoal --types from the declarations of the game and its plugins.

-- box2d, version 1
---@class shoal.Box2d
---@field gravity_x number (px/s²)
---@field gravity_y number (px/s²)
---@field steps integer of a tick: more hold higher stacks
---@field field string PLUGIN.FUNCTION of x, y that gives a force for each unit of mass, in px/s²

---@class shoal.Box2dBody
---@field kind "dynamic" | "static" | "kinematic"
---@field form "box" | "circle"
---@field width number (px)
---@field height number (px)
---@field radius number (px)
---@field density number
---@field friction number
---@field bounce number
---@field vx number (px/s)
---@field vy number (px/s)
---@field spin number (rad/s)
---@field upright boolean it does not turn

---@class shoal.Entity
---@field box2d shoal.Box2d
---@field box2d_body shoal.Box2dBody

shoal.plugins.box2d = {}

---The first body in the way; shoal.none where there is none.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@return shoal.Entity entity
---@return number x
---@return number y
function shoal.plugins.box2d.ray(x1, y1, x2, y2) end

---Makes a body faster.
---@param e shoal.Entity
---@param vx number
---@param vy number
function shoal.plugins.box2d.push(e, vx, vy) end

-- data, version 1
---@class shoal.Data
---@field initial string what it begins with: inventory.gold = 10; title = Countess; brave = true
---@field count integer read only: how many values it holds

---@class shoal.Entity
---@field data shoal.Data

shoal.plugins.data = {}

---The value at a path such as "inventory.gold"; nil where there is none.
---@param e shoal.Entity
---@param path string
---@return number | boolean | string | shoal.Entity | number[] | nil value
function shoal.plugins.data.get(e, path) end

---Writes a number, text, entity, true or false, or a list of numbers; nil takes the value away.
---@param e shoal.Entity
---@param path string
---@param value number | boolean | string | shoal.Entity | number[] | nil
function shoal.plugins.data.set(e, path, value) end

---Adds to a number, from 0 where there is none.
---@param e shoal.Entity
---@param path string
---@param number number
---@return number sum
function shoal.plugins.data.add(e, path, number) end

---Takes away a value and all below it: "inventory" takes along "inventory.gold".
---@param e shoal.Entity
---@param path string
---@return number count
function shoal.plugins.data.remove(e, path) end

---The i-th path, from 1; "" past the last one.
---@param e shoal.Entity
---@param i number
---@return string path
function shoal.plugins.data.path(e, i) end

---The number at that path of many at once.
---@param entities shoal.Entity[] | shoal.Column
---@param path string
---@param otherwise number
---@return shoal.Column values
---@return integer count
function shoal.plugins.data.numbers(entities, path, otherwise) end

-- grass, version 1
---@class shoal.Grass
---@field kind string a .grass file below assets/; none: the plugin's own meadow
---@field width number of the field, around the entity (px)
---@field height number (px)
---@field density number times the blades that the kind has
---@field seed integer
---@field layer integer
---@field marked boolean its edges and its blades are shown, for people at work

---@class shoal.GrassFoot
---@field radius number how far around it blades are parted (px)
---@field force number
---@field shadow number the radius of a soft shadow below it; 0: none (px)

---@class shoal.GrassWind
---@field force number times the wind of the kinds
---@field angle number where it blows to (rad)

---@class shoal.Entity
---@field grass shoal.Grass
---@field grass_foot shoal.GrassFoot
---@field grass_wind shoal.GrassWind

shoal.plugins.grass = {}

-- mesh, version 1
---@class shoal.Lens
---@field active boolean the first one fills the screen; beside a viewport, its view
---@field eye shoal.Vector | number[]
---@field target shoal.Vector | number[]
---@field fov number from bottom to top (rad)
---@field near number
---@field far number
---@field layer integer in which the picture lies

---@class shoal.Mesh
---@field model string cube, sphere, ball, cylinder, cone, pyramid, torus, disc, plane, or an .obj file below assets/
---@field offset shoal.Vector | number[] of the part, in the entity's pose
---@field rotation shoal.Vector | shoal.Quat | number[]
---@field size shoal.Vector | number[]
---@field colour shoal.Colour
---@field glow number 0: lit by the sun; 1: light of its own
---@field visible boolean

---@class shoal.Pose
---@field position shoal.Vector | number[] right-handed, y up
---@field rotation shoal.Vector | shoal.Quat | number[]
---@field scale number

---@class shoal.Sun
---@field direction shoal.Vector | number[]
---@field ambient number
---@field fog shoal.Vector | number[]
---@field fog_from number
---@field fog_to number no fog unless it is more than fog_from

---@class shoal.Entity
---@field lens shoal.Lens
---@field mesh shoal.Mesh
---@field pose shoal.Pose
---@field sun shoal.Sun

shoal.plugins.mesh = {}

---The rotation by an angle around an axis.
---@param x number
---@param y number
---@param z number
---@param angle number
---@return number qx
---@return number qy
---@return number qz
---@return number qw
function shoal.plugins.mesh.turn(x, y, z, angle) end

---First rotation a, then b.
---@param ax number
---@param ay number
---@param az number
---@param aw number
---@param bx number
---@param by number
---@param bz number
---@param bw number
---@return number qx
---@return number qy
---@return number qz
---@return number qw
function shoal.plugins.mesh.after(ax, ay, az, aw, bx, by, bz, bw) end

-- nav, version 1
---@class shoal.Nav
---@field cell number side of a cell (px)
---@field left number (px)
---@field top number (px)
---@field width number (px)
---@field height number (px)

---@class shoal.NavAgent
---@field goal shoal.Entity where it heads for; anything with a transform
---@field dir_x number read only: which way, of length 1; 0 at the goal and where there is no way
---@field dir_y number read only
---@field distance number read only: how long the way is; -1: there is none (px)

---@class shoal.NavObstacle
---@field kind "box" | "circle"
---@field width number (px)
---@field height number (px)
---@field radius number (px)
---@field cost integer 0: a wall; else how many times as slow the ground is
---@field enabled boolean

---@class shoal.Entity
---@field nav shoal.Nav
---@field nav_agent shoal.NavAgent
---@field nav_obstacle shoal.NavObstacle

shoal.plugins.nav = {}

---The middles of the cells on the way; none where there is no way.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@return shoal.Column x
---@return integer count
---@return shoal.Column y
---@return integer count
function shoal.plugins.nav.path(x1, y1, x2, y2) end

---How slow the ground is there, 1 for free; 0 in walls and outside.
---@param x number
---@param y number
---@return number cost
function shoal.plugins.nav.cost(x, y) end

-- net, version 2
---@class shoal.Net
---@field listen boolean others may connect
---@field port integer where; 0: any that is free
---@field bound integer read only: the port that it is; 0: none
---@field address string HOST:PORT to be connected to; nothing: nowhere
---@field connected boolean read only
---@field peers integer read only: that are connected
---@field echo boolean what a peer says is sent back

---@class shoal.Entity
---@field net shoal.Net

shoal.plugins.net = {}

---says something to a peer, in this tick
---@param peer number
---@param text string
function shoal.plugins.net.send(peer, text) end

-- physics, version 1
---@class shoal.Collider
---@field kind "circle" | "box" | "polygon" | "segment"
---@field radius number of a circle (px)
---@field width number of a box; of a segment without points (px)
---@field height number of a box (px)
---@field corner number how round corners are; half a segment's thickness (px)
---@field points string of a polygon, whose convex hull counts, or a segment: x,y x,y …
---@field offset_x number (px)
---@field offset_y number (px)
---@field turn number (rad)
---@field friction number
---@field bounce number
---@field surface_x number how fast the surface runs, as a conveyor belt's
---@field surface_y number
---@field sensor boolean tells of contacts and stops nothing
---@field enabled boolean
---@field category integer
---@field mask integer
---@field group integer those of one group but 0 pass through each other

---@class shoal.Joint
---@field kind "pivot" | "pin" | "slide" | "spring" | "groove" | "turn_spring" | "turn_limit" | "gear" | "motor"
---@field a shoal.Entity
---@field b shoal.Entity none: the world
---@field ax number anchor, in the space of a
---@field ay number
---@field bx number anchor, in the space of b
---@field by number
---@field length number of a pin or spring, below 0: as far as they are; rest angle of a turn_spring; phase
---@field min number
---@field max number a groove runs from a's anchor to (min, max)
---@field stiffness number
---@field damping number
---@field ratio number
---@field rate number (rad/s)
---@field max_force number 0: no limit
---@field collide boolean

---@class shoal.Physics
---@field enabled boolean
---@field gravity_x number (px/s²)
---@field gravity_y number (px/s²)
---@field damping number part of every velocity that is lost in a second
---@field iterations integer

---@class shoal.RigidBody
---@field kind "dynamic" | "kinematic" | "static" kinematic: moves by its velocity and pushes, but is not pushed
---@field mass number
---@field moment number against turning; 0: from the colliders
---@field fixed_rotation boolean
---@field gravity number times the world's
---@field damping number part of the velocity that is lost in a second
---@field vx number (px/s)
---@field vy number (px/s)
---@field spin number (rad/s)
---@field force_x number for the next step
---@field force_y number for the next step
---@field torque number for the next step

---@class shoal.Entity
---@field collider shoal.Collider
---@field joint shoal.Joint
---@field physics shoal.Physics
---@field rigid_body shoal.RigidBody

shoal.plugins.physics = {}

---The first collider in the way of a ray as thick as 2 × radius: shoal.none where there is none.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param radius number
---@param mask number
---@return shoal.Entity entity
---@return number x
---@return number y
---@return number nx
---@return number ny
---@return number part
function shoal.plugins.physics.ray(x1, y1, x2, y2, radius, mask) end

---Many rays at once; a ray that meets nothing ends where it was to end, with part 1.
---@param x1 number[] | shoal.Column
---@param y1 number[] | shoal.Column
---@param x2 number[] | shoal.Column
---@param y2 number[] | shoal.Column
---@param mask number
---@return shoal.Column entities
---@return integer count
---@return shoal.Column x
---@return integer count
---@return shoal.Column y
---@return integer count
---@return shoal.Column part
---@return integer count
function shoal.plugins.physics.rays(x1, y1, x2, y2, mask) end

---Colliders within a circle, nearest first.
---@param x number
---@param y number
---@param radius number
---@param mask number
---@return shoal.Column entities
---@return integer count
---@return shoal.Column distances
---@return integer count
function shoal.plugins.physics.near(x, y, radius, mask) end

---Colliders whose upright boxes meet this one.
---@param left number
---@param top number
---@param right number
---@param bottom number
---@param mask number
---@return shoal.Column entities
---@return integer count
function shoal.plugins.physics.in_box(left, top, right, bottom, mask) end

---What touched this collider in the last step.
---@param e shoal.Entity
---@return shoal.Column entities
---@return integer count
function shoal.plugins.physics.touching(e) end

---An impulse: changes the velocity by it over the mass.
---@param e shoal.Entity
---@param x number
---@param y number
function shoal.plugins.physics.push(e, x, y) end

-- spatial, version 1
---@class shoal.Neighbours
---@field radius number (px)
---@field mask integer
---@field count integer read only: how many there are within the radius
---@field centre_x number read only: the mean of where they are; its own place where there is none
---@field centre_y number read only
---@field e1 shoal.Entity read only
---@field d1 number read only (px)
---@field e2 shoal.Entity read only
---@field d2 number read only (px)
---@field e3 shoal.Entity read only
---@field d3 number read only (px)
---@field e4 shoal.Entity read only
---@field d4 number read only (px)
---@field e5 shoal.Entity read only
---@field d5 number read only (px)
---@field e6 shoal.Entity read only
---@field d6 number read only (px)
---@field e7 shoal.Entity read only
---@field d7 number read only (px)
---@field e8 shoal.Entity read only
---@field d8 number read only (px)

---@class shoal.Spatial
---@field category integer searches find those that have a bit of their mask

---@class shoal.Entity
---@field neighbours shoal.Neighbours
---@field spatial shoal.Spatial

shoal.plugins.spatial = {}

---Everything within the radius of each place, nearest first: those of place i are entities[starts[i] + 1] to
---entities[starts[i + 1]].
---@param x number[] | shoal.Column
---@param y number[] | shoal.Column
---@param radius number
---@param mask number
---@return shoal.Column starts
---@return integer count
---@return shoal.Column entities
---@return integer count
---@return shoal.Column distances
---@return integer count
function shoal.plugins.spatial.within(x, y, radius, mask) end

---The k nearest to each place, k entries a place; shoal.none at infinity where there are fewer.
---@param x number[] | shoal.Column
---@param y number[] | shoal.Column
---@param k number
---@param radius number
---@param mask number
---@return shoal.Column entities
---@return integer count
---@return shoal.Column distances
---@return integer count
function shoal.plugins.spatial.nearest(x, y, k, radius, mask) end

