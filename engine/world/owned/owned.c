// Numbers the items of players, and finds the group of a player.
#include "owned/owned.h"

#include "base/array.h"
#include "base/assert.h"
#include "ecs/ranges.h"
#include "ecs/relation.h"
#include "platform/player_input.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT "owned"
#define SINGLETON "shoal.room"
#define COUNTER "items" // field of the singleton: the number of the newest item; 0: no item
#define LIMIT_TEXT                                                                                                     \
  "player %u owns %u entities, which is the maximum: destroy some of them, or let one entity stand for several things"

struct owned_o {
  world_o *world;
  uint32_t manager;
  // Number of entities that each player has received by commands that are not applied yet, since the world_moment
  // `moment`.
  uint64_t moment;
  uint32_t pending[PLAYER_MAX + 1];
  // Owners at the last check, which rejected writes restore. All machines have equal values, because all values were
  // checked when a tick ends, and between two ticks only the engine changes owners (`is_synced`).
  ARRAY(uint8_t) owners; // owners, indexed by entity index
  ARRAY(uint8_t) column; // copy of the column `player`, if the manager's `moves` is still `moves`
  uint64_t moves;
  bool is_synced; // false once the engine has changed owners: the next check then accepts all values
  allocator_t memory;
};

typedef struct owned_columns_t {
  manager_o *manager; // manager of the component; NULL if the world lacks it
  uint32_t player, item;
} owned_columns_t;

static owned_columns_t find_columns(world_o *w) {
  manager_o *m = world_find_manager(w, COMPONENT);
  int32_t player = m ? manager_find_column(m, "player") : -1, item = m ? manager_find_column(m, "item") : -1;
  bool is_builtin =
      player >= 0 && item >= 0 && m->schema.fields[item].type == FIELD_F64 && m->schema.fields[player].type == FIELD_U8;
  return is_builtin ? (owned_columns_t){m, (uint32_t)player, (uint32_t)item} : (owned_columns_t){NULL, 0, 0};
}

typedef ARRAY(shoal_entity) tree_t;

static uint32_t get_player(const owned_columns_t *c, uint32_t row) {
  return (uint32_t)columns_get(&c->manager->columns, row, c->player);
}

// Sets the player of a row between two ticks.
static void set_player(const owned_columns_t *c, uint32_t row, uint32_t player) {
  columns_set(&c->manager->columns, row, c->player, player);
  if (c->manager->hooks.restored) // owned_create has set the hooks
    c->manager->hooks.restored(c->manager->hooks.context, c->manager->world, c->manager);
}

static int64_t get_item(const owned_columns_t *c, uint32_t row) {
  return (int64_t)columns_get(&c->manager->columns, row, c->item);
}

// --- numbers

static double get_counter(world_o *w) {
  manager_o *m = world_find_manager(w, SINGLETON);
  int32_t column = m && m->count > 0 ? manager_find_column(m, COUNTER) : -1;
  return column >= 0 ? columns_get(&m->columns, 0, (uint32_t)column) : 0;
}

static void set_counter(world_o *w, double value) {
  manager_o *m = world_find_manager(w, SINGLETON);
  int32_t column = m && m->count > 0 ? manager_find_column(m, COUNTER) : -1;
  if (column >= 0)
    columns_set(&m->columns, 0, (uint32_t)column, value);
}

// Numbers new rows. Rows of a save or of a different world already have a number.
static void number_added_rows(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  owned_o *o = context;
  owned_columns_t c = find_columns(w);
  double counter = get_counter(w);
  if (c.manager != m)
    return;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = shoal_entity_index(m->owner[rows[i]]);
    if (index < o->owners.count)
      o->owners.items[index] = 0; // the owner of a new row is checked
    if (get_item(&c, rows[i]) == 0)
      columns_set(&m->columns, rows[i], c.item, ++counter);
  }
  set_counter(w, counter);
}

void owned_set_next_item(world_o *w, int64_t item) {
  if (get_counter(w) < (double)(item - 1))
    set_counter(w, (double)(item - 1));
}

int64_t owned_take_number(world_o *w) {
  set_counter(w, get_counter(w) + 1);
  return (int64_t)get_counter(w);
}

// Numbers the rows again that were added before the room was known, such as the rows of the game's first scene, which
// would have the same numbers in each room.
static void renumber_early_rows(world_o *w) {
  owned_columns_t c = find_columns(w);
  for (uint32_t row = 0; c.manager && row < c.manager->count; ++row)
    if (get_item(&c, row) < OWNED_ROOM_ITEMS)
      columns_set(&c.manager->columns, row, c.item, (double)owned_take_number(w));
}

void owned_set_room(world_o *w, int64_t room) {
  shoal_assert(room >= 0 && room <= OWNED_MAX_ROOM, "room %lld is out of range", (long long)room);
  double first = (double)room * OWNED_ROOM_ITEMS;
  if (get_counter(w) < first)
    set_counter(w, first);
  if (room > 0)
    renumber_early_rows(w);
}

void owned_skip_lost_items(world_o *w) {
  set_counter(w, get_counter(w) + OWNED_LOSS_ITEMS);
}

// --- groups

// Appends the children of `e` that no player owns to `out`, up to a total of `max` entities. Returns the new count.
static uint32_t add_children(world_o *w, const owned_columns_t *c, shoal_entity e, owned_entity_t *out, uint32_t count,
                             uint32_t max) {
  shoal_entity children[OWNED_MAX_ENTITIES];
  uint32_t child_count = transform_list_children(w, e, children, OWNED_MAX_ENTITIES);
  for (uint32_t i = 0; i < child_count && i < OWNED_MAX_ENTITIES && count < max; ++i) {
    uint32_t row = manager_row(c->manager, children[i]);
    if (row == ROW_NONE || get_player(c, row) == 0)
      out[count++] = (owned_entity_t){children[i], row == ROW_NONE ? 0 : get_item(c, row), false};
  }
  return count;
}

static int compare_items(const void *a, const void *b) {
  const owned_entity_t *x = a, *y = b;
  return (x->item > y->item) - (x->item < y->item);
}

// Like owned_list_group, with at most `max` entities.
static uint32_t list_group(world_o *w, uint32_t player, uint32_t *given, owned_entity_t *out, uint32_t max) {
  shoal_assert(player >= 1 && player <= PLAYER_MAX, "player %u is out of range [1, %u]", player, PLAYER_MAX);
  owned_columns_t c = find_columns(w);
  uint32_t count = 0;
  if (!c.manager)
    return 0;
  for (uint32_t row = 0; row < c.manager->count && count < max; ++row)
    if (get_player(&c, row) == player)
      out[count++] = (owned_entity_t){c.manager->owner[row], get_item(&c, row), true};
  if (count == 0)
    return 0;
  // The children get their numbers in this order.
  qsort(out, count, sizeof *out, compare_items);
  for (uint32_t i = 0; i < count; ++i)
    count = add_children(w, &c, out[i].entity, out, count, max);
  uint32_t none = 0;
  given = given ? given : &none;
  for (uint32_t i = 0; i < count; ++i)
    if (out[i].item == 0)
      out[i].item = (int64_t)get_counter(w) + ++*given;
  qsort(out, count, sizeof *out, compare_items);
  return count;
}

uint32_t owned_list_group(world_o *w, uint32_t player, uint32_t *given, owned_entity_t out[OWNED_MAX_ENTITIES]) {
  return list_group(w, player, given, out, OWNED_MAX_ENTITIES);
}

// Appends the children of `parent` that no player owns.
static void append_unowned_children(world_o *w, const owned_columns_t *c, shoal_entity parent, allocator_t *memory,
                                    tree_t *tree) {
  uint32_t first = tree->count, count = transform_list_children(w, parent, NULL, 0), end = first;
  if (count == 0)
    return;
  array_reserve(memory, tree, first + count);
  transform_list_children(w, parent, tree->items + first, count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = manager_row(c->manager, tree->items[first + i]);
    if (row == ROW_NONE || get_player(c, row) == 0)
      tree->items[end++] = tree->items[first + i];
  }
  tree->count = end;
}

// Sets players[row] to `player` for all descendants of `root` that no player owns. Skips entities that a player owns,
// with their descendants. `tree`: buffer.
static void mark_children(world_o *w, const owned_columns_t *c, shoal_entity root, uint8_t player, uint8_t *players,
                          allocator_t *memory, tree_t *tree) {
  tree->count = 0;
  append_unowned_children(w, c, root, memory, tree);
  for (uint32_t i = 0; i < tree->count; ++i) {
    uint32_t row = manager_row(c->manager, tree->items[i]);
    if (row != ROW_NONE)
      players[row] = player;
    append_unowned_children(w, c, tree->items[i], memory, tree);
  }
}

void owned_list_items(world_o *w, allocator_t *memory, owned_items_t *out) {
  owned_columns_t c = find_columns(w);
  tree_t tree = {0};
  uint32_t count = c.manager ? c.manager->count : 0;
  uint8_t *players = alloc_resize(memory, NULL, 0, count); // indexed by row: the player whose group contains the row
  for (uint32_t row = 0; row < count; ++row)
    players[row] = (uint8_t)get_player(&c, row);
  for (uint32_t row = 0; row < count; ++row)
    if (get_player(&c, row) != 0)
      mark_children(w, &c, c.manager->owner[row], players[row], players, memory, &tree);
  array_reserve(memory, out, out->count + count);
  for (uint32_t row = 0; row < count; ++row)
    if (get_item(&c, row) != 0)
      out->items[out->count++] = (owned_item_t){get_item(&c, row), players[row]};
  alloc_resize(memory, players, count, 0);
  array_free(memory, &tree);
}

bool owned_exceeds_limit(world_o *w, uint32_t player) {
  owned_entity_t group[OWNED_MAX_ENTITIES + 1];
  return list_group(w, player, NULL, group, OWNED_MAX_ENTITIES + 1) > OWNED_MAX_ENTITIES;
}

void owned_release(world_o *w, uint32_t player) {
  owned_columns_t c = find_columns(w);
  for (uint32_t row = 0; c.manager && row < c.manager->count; ++row)
    if (get_player(&c, row) == player)
      set_player(&c, row, 0);
}

static bool is_in_group(const owned_entity_t *group, uint32_t count, shoal_entity e) {
  for (uint32_t i = 0; i < count; ++i)
    if (group[i].entity == e)
      return true;
  return false;
}

// Writes the column in place, because a queued change might be applied after the destruction of the parent.
static void clear_parent(world_o *w, manager_o *transforms, shoal_entity e) {
  uint32_t row = manager_row(transforms, e), column = SHOAL_COLUMN_INDEX(transform, parent);
  columns_set(&transforms->columns, row, column, 0);
  relation_report_written_rows(w, transforms->id, column, &row, 1);
}

// Removes the parent of children that are not in the group, because a parent's children are destroyed with it.
static void detach_children(world_o *w, shoal_entity e, const owned_entity_t *group, uint32_t count) {
  shoal_entity children[OWNED_MAX_ENTITIES];
  manager_o *transforms = builtin_find(w, "transform");
  uint32_t child_count, detached;
  do {
    child_count = transform_list_children(w, e, children, OWNED_MAX_ENTITIES);
    detached = 0;
    for (uint32_t i = 0; i < child_count && i < OWNED_MAX_ENTITIES; ++i)
      if (!is_in_group(group, count, children[i])) {
        clear_parent(w, transforms, children[i]);
        ++detached;
      }
  } while (detached > 0 && child_count > OWNED_MAX_ENTITIES);
}

uint32_t owned_destroy_group(world_o *w, uint32_t player) {
  shoal_assert(!world_is_deferring(w), "the group of player %u can be destroyed only between two ticks", player);
  owned_entity_t group[OWNED_MAX_ENTITIES];
  uint32_t given = 0, count = owned_list_group(w, player, &given, group);
  for (uint32_t i = 0; i < count; ++i)
    detach_children(w, group[i].entity, group, count);
  set_counter(w, get_counter(w) + given);
  transform_update_child_lists(w); // the destruction of a parent uses these lists
  for (uint32_t i = 0; i < count; ++i)
    if (world_is_alive(w, group[i].entity)) // the destruction of a parent has not destroyed it yet
      world_destroy_entity(w, group[i].entity);
  owned_release(w, player);
  return count;
}

void owned_destroy_copy(world_o *w, shoal_entity copy) {
  owned_columns_t c = find_columns(w);
  owned_entity_t tree[OWNED_MAX_ENTITIES] = {{copy, 0, true}};
  uint32_t count = 1;
  for (uint32_t i = 0; c.manager && i < count; ++i)
    count = add_children(w, &c, tree[i].entity, tree, count, OWNED_MAX_ENTITIES);
  for (uint32_t i = 0; c.manager && i < count; ++i)
    detach_children(w, tree[i].entity, tree, count);
  transform_update_child_lists(w); // the destruction of a parent uses these lists
  world_destroy_entity(w, copy);
}

// Marks an entity and the children of its tree that no player owns.
static void mark_tree(world_o *w, const owned_columns_t *c, shoal_entity root, uint8_t *kept) {
  tree_t tree = {0};
  allocator_t memory = {0};
  array_push(&memory, &tree, root);
  for (uint32_t i = 0; i < tree.count; ++i) {
    shoal_entity e = tree.items[i];
    if (kept[shoal_entity_index(e)])
      continue;
    kept[shoal_entity_index(e)] = 1;
    append_unowned_children(w, c, e, &memory, &tree);
  }
  array_free(&memory, &tree);
}

void owned_keep(world_o *w, uint8_t *kept) {
  owned_columns_t c = find_columns(w);
  const entities_t *entities = world_entities(w);
  manager_o *transforms = builtin_find(w, "transform");
  for (uint32_t row = 0; c.manager && row < c.manager->count; ++row)
    if (get_player(&c, row) != 0)
      mark_tree(w, &c, c.manager->owner[row], kept);
  for (uint32_t i = 1; i < entities->used; ++i) {
    shoal_entity e = i | (shoal_entity)entities->generation[i] << SHOAL_ENTITY_INDEX_BITS;
    shoal_entity parent = kept[i] ? transform_find_parent(w, e) : SHOAL_ENTITY_NONE;
    if (parent != SHOAL_ENTITY_NONE && !kept[shoal_entity_index(parent)])
      clear_parent(w, transforms, e);
  }
  transform_update_child_lists(w);
}

// --- single items

shoal_entity owned_find_item(world_o *w, int64_t item) {
  owned_columns_t c = find_columns(w);
  for (uint32_t row = 0; c.manager && row < c.manager->count; ++row)
    if (get_item(&c, row) == item)
      return c.manager->owner[row];
  return SHOAL_ENTITY_NONE;
}

bool owned_set_item(world_o *w, shoal_entity e, int64_t item, uint32_t player, error_info_t *error) {
  owned_columns_t c = find_columns(w);
  if (!c.manager)
    return error_set(error, "the world has no component " COMPONENT);
  if (manager_row(c.manager, e) == ROW_NONE && !world_add_component(w, e, c.manager->id, 0, error))
    return false;
  uint32_t row = manager_row(c.manager, e);
  columns_set(&c.manager->columns, row, c.item, (double)item);
  set_player(&c, row, player);
  return true;
}

// --- the limit

// Refuses to give an entity to a player whose group is full.
static bool check_value(void *context, world_o *w, manager_o *m, shoal_entity e, uint32_t column, double value,
                        error_info_t *error) {
  owned_o *o = context;
  owned_columns_t c = find_columns(w);
  owned_entity_t group[OWNED_MAX_ENTITIES];
  uint32_t player = value >= 1 && value <= PLAYER_MAX ? (uint32_t)value : 0, row = manager_row(m, e);
  if (c.manager != m || column != c.player || player == 0 || (row != ROW_NONE && get_player(&c, row) == player))
    return true;
  uint64_t moment = world_moment(w);
  if (moment != o->moment)
    memset(o->pending, 0, sizeof o->pending);
  o->moment = moment;
  if (owned_list_group(w, player, NULL, group) + o->pending[player] >= OWNED_MAX_ENTITIES)
    return error_set(error, LIMIT_TEXT, player, OWNED_MAX_ENTITIES);
  ++o->pending[player];
  return true;
}

// --- the limit: values that were written in place, and rows that were added

typedef struct claim_t {
  uint32_t row;
  int64_t item;
} claim_t;

typedef ARRAY(claim_t) claims_t;

static uint32_t get_checked_player(const owned_o *o, const manager_o *m, uint32_t row) {
  uint32_t index = shoal_entity_index(m->owner[row]);
  return index < o->owners.count ? o->owners.items[index] : 0;
}

// Stores the current owners for the next check.
static void sync_owners(owned_o *o, const world_o *w, const owned_columns_t *c) {
  const manager_o *m = c->manager;
  const uint8_t *players = m->data[c->player];
  array_reserve(&o->memory, &o->owners, world_entities((world_o *)w)->used + 1);
  while (o->owners.count <= world_entities((world_o *)w)->used)
    o->owners.items[o->owners.count++] = 0;
  array_reserve(&o->memory, &o->column, m->count);
  o->column.count = m->count;
  for (uint32_t row = 0; row < m->count; ++row) {
    o->owners.items[shoal_entity_index(m->owner[row])] = players[row];
    o->column.items[row] = players[row];
  }
  o->moves = m->moves;
  o->is_synced = true;
}

static int compare_claims(const void *a, const void *b) {
  const claim_t *x = a, *y = b;
  return (x->item < y->item) - (x->item > y->item); // newest items first
}

// Lists the rows that a player has received since the last check, newest items first. Returns the total number of the
// player's rows.
static uint32_t list_claims(owned_o *o, const owned_columns_t *c, uint32_t player, claims_t *out) {
  uint32_t owned = 0;
  out->count = 0;
  for (uint32_t row = 0; row < c->manager->count; ++row) {
    if (get_player(c, row) != player)
      continue;
    ++owned;
    if (get_checked_player(o, c->manager, row) != player)
      array_push(&o->memory, out, ((claim_t){row, get_item(c, row)}));
  }
  if (out->count > 1)
    qsort(out->items, out->count, sizeof *out->items, compare_claims);
  return owned;
}

// Returns a player's newly received entities, newest items first, to their former owners until the group fits the
// limit. Returns true if an entity was returned.
static bool reject_claims(owned_o *o, world_o *w, const owned_columns_t *c, uint32_t player, claims_t *claims) {
  char message[192];
  uint32_t owned = list_claims(o, c, player, claims), rejected = 0;
  while (rejected < claims->count && (owned - rejected > OWNED_MAX_ENTITIES || owned_exceeds_limit(w, player))) {
    uint32_t row = claims->items[rejected++].row;
    columns_set(&c->manager->columns, row, c->player, get_checked_player(o, c->manager, row));
  }
  if (rejected == 0)
    return false;
  (void)snprintf(message, sizeof message, LIMIT_TEXT, player, OWNED_MAX_ENTITIES);
  world_report_write(w, c->manager, c->player, claims->items[0].row, message);
  return true;
}

static bool has_changed(const owned_o *o, const owned_columns_t *c) {
  const manager_o *m = c->manager;
  return o->moves != m->moves || o->column.count != m->count ||
         (m->count > 0 && memcmp(m->data[c->player], o->column.items, m->count) != 0);
}

static void check_written(void *context, world_o *w) {
  owned_o *o = context;
  owned_columns_t c = find_columns(w);
  if (!c.manager || (o->is_synced && !has_changed(o, &c)))
    return;
  claims_t claims = {0};
  // A rejected entity returns to a player whose group may have grown meanwhile, so that player is checked again.
  for (uint32_t player = 1; o->is_synced && player <= PLAYER_MAX;)
    player = reject_claims(o, w, &c, player, &claims) ? 1 : player + 1;
  array_free(&o->memory, &claims);
  sync_owners(o, w, &c);
}

static void accept_restored(void *context, world_o *w, manager_o *m) {
  (void)w;
  (void)m;
  ((owned_o *)context)->is_synced = false;
}

// --- life cycle

owned_o *owned_create(world_o *w) {
  owned_columns_t c = find_columns(w);
  if (!c.manager)
    return NULL;
  owned_o *o = alloc_object(sizeof *o);
  o->world = w;
  o->manager = c.manager->id;
  world_set_hooks(
      w, o->manager,
      &(manager_hooks_t){
          .context = o, .added = number_added_rows, .check_value = check_value, .restored = accept_restored});
  world_set_written_check(w, check_written, o);
  return o;
}

void owned_destroy(owned_o *o) {
  if (!o)
    return;
  world_set_hooks(o->world, o->manager, NULL);
  world_set_written_check(o->world, NULL, NULL);
  array_free(&o->memory, &o->owners);
  array_free(&o->memory, &o->column);
  free(o);
}
