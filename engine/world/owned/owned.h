// The built-in component `owned` of a game with served rooms (world/owned.lua): entities that belong to a player's
// account and travel with the player. Each row has a lasting number, `item`, which no other entity of the served world
// has: the number of the room times 2^32, plus a counter. Such numbers are exact in a double. Items that operators add
// have higher numbers.
//
// A player's group consists of the entities whose `owned.player` is the player, and of the children of these entities,
// and their children, unless a different player owns them. A child of a group may lack the component, or have the
// player 0.
#ifndef SHOAL_OWNED_OWNED_H
#define SHOAL_OWNED_OWNED_H

#include "base/array.h"
#include "ecs/world.h"

#define OWNED_MAX_ENTITIES 256u                 // maximum size of a group
#define OWNED_ROOM_ITEMS 4294967296.0           // maximum number of items per room
#define OWNED_LOSS_ITEMS 16777216.0             // item numbers that a room skips after it has lost records
#define OWNED_MAX_ITEM (INT64_C(1) << 53)       // exclusive upper limit of item numbers
#define OWNED_MAX_ROOM ((INT64_C(1) << 20) - 1) // highest number of a room
// Items that operators add (host/room/room_items.h) have the numbers from OWNED_FIRST_GIVEN on, which no room gives.
#define OWNED_FIRST_GIVEN (INT64_C(1) << 52)

typedef struct owned_o owned_o;

// Starts to number the items of a world, and to limit groups. Returns the object, or NULL if the world lacks the
// component.
owned_o *owned_create(world_o *w);
void owned_destroy(owned_o *o); // accepts NULL; the world must still exist

// Makes the world the room with the number `room`, so that new items get numbers of this room. Renumbers items that
// were created before the room was known. Numbering continues after numbers of the room that are already in use.
void owned_set_room(world_o *w, int64_t room);
// Numbers the next items from `item` on, unless the next number is already higher.
void owned_set_next_item(world_o *w, int64_t item);
// Returns the next item number and increments the counter.
int64_t owned_take_number(world_o *w);
// Skips OWNED_LOSS_ITEMS numbers, which lost records may have given to items.
void owned_skip_lost_items(world_o *w);

// An entity of a group.
typedef struct owned_entity_t {
  shoal_entity entity;
  int64_t item;   // number of the item; for an entity without a number, the number that it gets
  bool is_direct; // true if the component names the player; false for a child
} owned_entity_t;

// Writes the group of a player (1 to 32) to `out`, sorted by item. Returns its size. If the group is larger than
// OWNED_MAX_ENTITIES, the remaining entities are omitted. `given`: number of new numbers in earlier groups of the same
// record; increased by the number of entities that lack a number. May be NULL.
uint32_t owned_list_group(world_o *w, uint32_t player, uint32_t *given, owned_entity_t out[OWNED_MAX_ENTITIES]);

// An item and its owner.
typedef struct owned_item_t {
  int64_t item;
  uint32_t player; // number of the player to whose group the item belongs, regardless of the group's size; 0: no owner
} owned_item_t;

typedef ARRAY(owned_item_t) owned_items_t;

// Appends all numbered items of the world, with the players who own them, to `out`, which is allocated with `memory`.
void owned_list_items(world_o *w, allocator_t *memory, owned_items_t *out);
// Returns true if the group of a player is larger than OWNED_MAX_ENTITIES.
bool owned_exceeds_limit(world_o *w, uint32_t player);
// Sets `owned.player` of all entities of the player to 0.
void owned_release(world_o *w, uint32_t player);
// Destroys the group of a player, and skips the numbers that owned_list_group has given to children without a number.
// Children of the group that belong to a different player lose their parent. Entities of the player above the maximum
// size of a group lose their owner. Returns the number of destroyed entities. Call between two ticks.
uint32_t owned_destroy_group(world_o *w, uint32_t player);

// Destroys an entity and its children. Children that belong to a player survive without a parent. Call between two
// ticks.
void owned_destroy_copy(world_o *w, shoal_entity copy);

// Sets kept[i] to 1 for the index i of each entity that belongs to a player's group, regardless of its size. These
// entities lose parents that do not belong to a group. Elements of `kept`: the number of used entity indices.
void owned_keep(world_o *w, uint8_t *kept);

// Returns the entity with this number, or SHOAL_ENTITY_NONE if no living entity has it.
shoal_entity owned_find_item(world_o *w, int64_t item);
// Gives an entity this number and sets its player (0: no player). Adds the component if the entity lacks it. Returns
// true on success, or false with an error if the entity cannot get the component. Call between two ticks.
bool owned_set_item(world_o *w, shoal_entity e, int64_t item, uint32_t player, error_info_t *error);

#endif
