// Checks whether a state fits the world, and builds the state's indexes, query rows and commands. Data to be installed
// uses the world's allocator; everything else is freed with the view. Functions that check or build return true on
// success, and false if the state is invalid.
#include "snapshot/state_build.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/relation.h"

#include <string.h>

enum {
  FLAG_SPAWNED = 1, // flag: a queued command will create the entity's first rows
  FLAG_LISTED = 2   // flag: the entity is in the list that is being checked for duplicates
};

static bool set_damaged(state_build_t *b, const char *problem) {
  return state_set_damaged(b->error, problem);
}

// Allocates zeroed memory from the world's allocator. Returns NULL for 0 bytes.
static void *alloc_zeroed(state_build_t *b, uint32_t count, size_t bytes) {
  void *memory = alloc_resize(b->a, NULL, 0, count * bytes);
  return memory ? memset(memory, 0, count * bytes) : NULL;
}

static bool is_alive(const state_build_t *b, shoal_entity e) {
  const state_view_t *v = b->v;
  uint32_t i = shoal_entity_index(e);
  return (e >> 30) == 0 && i != 0 && i < v->info->entities_used && v->alive[i] &&
         v->generation[i] == shoal_entity_generation(e);
}

static const char *get_text(const state_build_t *b, uint32_t id) {
  return strings_text(b->v->strings, id);
}

// --- rows

static uint32_t find_row_of_entity(const built_rows_t *rows, shoal_entity e) {
  uint32_t row = index_get(rows->pages, rows->page_count, e);
  return row != 0 && rows->owner[row - 1] == e ? row - 1 : ROW_NONE;
}

// Copies the index of an earlier component with the same owners, such as a component that is always added together with
// the component of `rows`. Returns true on success, or false if no earlier component has the same owners.
static bool copy_index(state_build_t *b, built_rows_t *rows) {
  const built_rows_t *same = NULL;
  for (const built_rows_t *earlier = b->managers; earlier < rows && !same; ++earlier)
    if (earlier->manager && earlier->kind == SCHEMA_COMPONENT && earlier->count == rows->count &&
        memcmp(earlier->owner, rows->owner, rows->count * sizeof *rows->owner) == 0)
      same = earlier;
  if (!same)
    return false;
  rows->page_count = same->page_count;
  rows->pages = index_copy(same->pages, same->page_count, b->a);
  return true;
}

static bool index_single_rows(state_build_t *b, built_rows_t *rows) {
  if (rows->count > 0 && copy_index(b, rows))
    return true;
  for (uint32_t row = 0; row < rows->count; ++row) {
    if (!is_alive(b, rows->owner[row]))
      return false;
    uint32_t *slot = index_slot(&rows->pages, &rows->page_count, rows->owner[row], b->a);
    if (*slot != 0)
      return false;
    *slot = row + 1;
  }
  return true;
}

static bool has_world_entities(const state_build_t *b) {
  const entities_t *e = &b->w->entities;
  uint32_t used = b->v->info->entities_used;
  return used == e->used && memcmp(b->v->alive, e->alive, used) == 0 &&
         memcmp(b->v->generation, e->generation, used) == 0;
}

static bool are_alive(const state_build_t *b, const shoal_entity *entities, uint32_t count) {
  bool alive = true;
  for (uint32_t i = 0; i < count && alive && !b->has_world_entities; ++i)
    alive = is_alive(b, entities[i]);
  return alive;
}

// Shares the index of the world's component if its rows have the same owners and chains, as in most components after a
// rollback of a few ticks. Such rows need no validation, except that their owners must be alive. Returns true on
// success, or false if there are no rows, if the rows differ, or if an owner is dead.
static bool share_world_index(state_build_t *b, built_rows_t *rows) {
  const manager_o *m = rows->manager;
  size_t bytes = rows->count * sizeof *rows->owner;
  rows->is_unchanged = rows->count > 0 && m->count == rows->count && memcmp(m->owner, rows->owner, bytes) == 0 &&
                       (rows->kind != SCHEMA_MANY || memcmp(m->next, rows->source->next, bytes) == 0) &&
                       are_alive(b, rows->owner, rows->count);
  if (!rows->is_unchanged)
    return false;
  rows->page_count = m->page_count;
  rows->pages = index_copy(m->pages, m->page_count, b->a);
  return true;
}

// Indexes the first row of each entity's chain: the row that is not the `next` of any other row. Returns true on
// success, or false if an owner is not alive, if a chain contains rows of several entities, if an entity has several
// chains, if chains merge, or if rows form a cycle.
static bool index_chains(state_build_t *b, built_rows_t *rows) {
  const uint32_t *next_of = rows->source->next;
  uint8_t *is_next = alloc_zeroed(b, rows->count, 1);
  bool valid = true;
  for (uint32_t row = 0; row < rows->count && valid; ++row) {
    uint32_t next = next_of[row];
    valid = is_alive(b, rows->owner[row]) &&
            (next == ROW_NONE || (rows->owner[next] == rows->owner[row] && !is_next[next]));
    if (valid && next != ROW_NONE)
      is_next[next] = 1;
  }
  uint32_t visited = 0;
  for (uint32_t row = 0; row < rows->count && valid; ++row) {
    if (is_next[row])
      continue;
    uint32_t *slot = index_slot(&rows->pages, &rows->page_count, rows->owner[row], b->a);
    valid = *slot == 0;
    *slot = row + 1;
    for (uint32_t link = row; valid && link != ROW_NONE; link = next_of[link])
      visited++;
  }
  alloc_resize(b->a, is_next, rows->count, 0);
  return valid && visited == rows->count;
}

static bool is_unowned(const built_rows_t *rows) {
  bool unowned = rows->count > 0;
  for (uint32_t row = 0; row < rows->count; ++row)
    unowned &= rows->owner[row] == SHOAL_ENTITY_NONE;
  return unowned;
}

static bool build_index(state_build_t *b, built_rows_t *rows) {
  bool valid = rows->kind == SCHEMA_SINGLE  ? is_unowned(rows)
               : share_world_index(b, rows) ? true
               : rows->kind == SCHEMA_MANY  ? index_chains(b, rows)
                                            : index_single_rows(b, rows);
  return valid || error_set(b->error, "the snapshot is damaged: invalid rows of %s", rows->manager->schema.name);
}

static bool build_rows(state_build_t *b, uint32_t number) {
  const state_rows_t *saved = &b->v->components[number];
  shoal_assert(saved->owner || saved->count == 0, "owners of component %u must not be NULL", number);
  built_rows_t *rows = &b->managers[number];
  *rows = (built_rows_t){.source = saved, .manager = saved->manager, .count = saved->count, .owner = saved->owner};
  if (!rows->manager)
    return true;
  rows->kind = rows->manager->schema.kind;
  return build_index(b, rows);
}

// --- queries

static const built_rows_t *find_term_rows(const state_build_t *b, const snapshot_query_t *q, uint32_t manager) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (b->managers[q->terms[i].manager].manager->id == manager)
      return &b->managers[q->terms[i].manager];
  return NULL;
}

// Returns the rows of the component `disabled`; NULL if these rows do not affect the query.
static const built_rows_t *find_disabled_rows(const state_build_t *b, const built_query_t *query) {
  for (uint32_t i = 0; b->w->disabled && i < b->v->info->manager_count; ++i)
    if (b->managers[i].manager == b->w->disabled)
      return b->managers[i].count > 0 && !query_includes_disabled(b->w, &query->desc) ? &b->managers[i] : NULL;
  return NULL;
}

// Equivalent of world_is_disabled for rows that are not installed yet.
static bool is_disabled(const state_build_t *b, const built_rows_t *d, const char *component, shoal_entity e) {
  for (uint32_t row = find_row_of_entity(d, e); row != ROW_NONE; row = d->source->next[row]) {
    const char *name = get_text(b, d->source->instance[row]);
    if (strcmp(name, component) == 0 || strcmp(name, DISABLED_WHOLE) == 0)
      return true;
  }
  return false;
}

// Converts the terms to the world's order. Returns true on success, or false with a message if the query is invalid or
// contains a term twice.
static bool build_terms(state_build_t *b, const snapshot_query_t *q, built_query_t *query) {
  query_desc_t desc = {.term_count = q->term_count};
  for (uint32_t i = 0; i < q->term_count; ++i)
    desc.terms[i] = (query_term_desc_t){b->managers[q->terms[i].manager].manager->id, (query_role_t)q->terms[i].role};
  if (!query_check_desc(b->w, &desc, NULL))
    return set_damaged(b, "invalid query");
  query->desc = query_canonicalize(&desc);
  if (query->desc.term_count != desc.term_count)
    return set_damaged(b, "duplicate query term");
  query->driver = -1;
  for (uint32_t i = 0; i < query->desc.term_count; ++i) {
    query->terms[i] = find_term_rows(b, q, query->desc.terms[i].manager);
    if (query->desc.terms[i].role == QUERY_WITH && query->terms[i]->kind == SCHEMA_MANY)
      query->driver = (int32_t)i;
  }
  return true;
}

static bool index_query_by_entity(state_build_t *b, built_query_t *query) {
  for (uint32_t i = 0; i < query->data.count; ++i) {
    uint32_t *slot = index_slot(&query->data.pages, &query->data.page_count, query->entities[i], b->a);
    if (*slot != 0)
      return false;
    *slot = i + 1;
  }
  return true;
}

// Builds the index by row of the driver. Returns true on success, or false if a driver row belongs to a different
// entity or is listed twice, or if only some of an entity's rows are listed.
static bool index_query_by_driver(state_build_t *b, built_query_t *query, const uint32_t *driver_rows) {
  const built_rows_t *driver = query->terms[query->driver];
  uint32_t *rows_by_driver = query->data.rows_by_driver = alloc_zeroed(b, driver->count, sizeof *rows_by_driver);
  query->data.rows_by_driver_capacity = driver->count;
  shoal_assert(rows_by_driver || driver->count == 0, "rows_by_driver must not be NULL (%u rows)", driver->count);
  shoal_assert(driver_rows || query->data.count == 0, "driver_rows must not be NULL (%u rows)", query->data.count);
  for (uint32_t i = 0; i < query->data.count; ++i) {
    uint32_t row = driver_rows[i];
    if (row >= driver->count || driver->owner[row] != query->entities[i] || rows_by_driver[row] != 0)
      return false;
    rows_by_driver[row] = i + 1;
  }
  for (uint32_t i = 0; i < query->data.count; ++i) {
    uint32_t next = driver->source->next[driver_rows[i]];
    if (rows_by_driver[find_row_of_entity(driver, query->entities[i])] == 0 ||
        (next != ROW_NONE && rows_by_driver[next] == 0))
      return false;
  }
  return true;
}

static bool has_first_owners(const built_rows_t *rows, const shoal_entity *entities, uint32_t count) {
  return rows->kind != SCHEMA_MANY && count <= rows->count &&
         (count == 0 || memcmp(rows->owner, entities, count * sizeof *entities) == 0);
}

static void fill_query_rows(state_build_t *b, built_query_t *query, uint32_t term, const uint32_t *driver_rows) {
  const built_rows_t *rows = query->terms[term];
  uint32_t count = query->data.count, misaligned = 0;
  uint32_t *term_rows = query->data.rows[term] = alloc_resize(b->a, NULL, 0, query->data.capacity * sizeof *term_rows);
  const built_rows_t *disabled_rows = query->desc.terms[term].role != QUERY_WITH ? find_disabled_rows(b, query) : NULL;
  if (has_first_owners(rows, query->entities, count) && (int32_t)term != query->driver && !disabled_rows) {
    for (uint32_t i = 0; i < count; ++i)
      term_rows[i] = i;
    return;
  }
  shoal_assert(driver_rows || (int32_t)term != query->driver,
               "driver_rows must not be NULL, because term %u is the driver", term);
  for (uint32_t i = 0; i < count; ++i) {
    term_rows[i] = (int32_t)term == query->driver ? driver_rows[i] : find_row_of_entity(rows, query->entities[i]);
    if (disabled_rows && is_disabled(b, disabled_rows, rows->manager->schema.name, query->entities[i]))
      term_rows[i] = ROW_NONE;
    misaligned += term_rows[i] != i;
  }
  query->data.misaligned[term] = misaligned;
}

// Checks that a group owns its components, and that the group's entities are the first owners in each component.
static bool check_group(state_build_t *b, built_query_t *query, uint32_t count) {
  for (uint32_t k = 0; k < query->desc.term_count; ++k) {
    built_rows_t *rows = &b->managers[query->terms[k] - b->managers];
    if (query->desc.terms[k].role != QUERY_WITH)
      continue;
    if (rows->kind != SCHEMA_COMPONENT || rows->group || count > rows->count)
      return false;
    rows->group = query;
    query->entities = query->entities ? query->entities : rows->owner;
    if (!has_first_owners(rows, query->entities, count))
      return false;
  }
  return query->entities || count == 0;
}

static bool is_group_term(const built_query_t *query, uint32_t term) {
  return query->data.grouped && query->terms[term]->group == query;
}

static bool is_complete_match(const uint32_t *rows, uint32_t count) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; ++i)
    missing += rows[i] == ROW_NONE;
  return missing == 0;
}

static bool check_matches(const built_query_t *query) {
  bool has_any_term = false;
  for (uint32_t k = 0; k < query->desc.term_count; ++k) {
    query_role_t role = query->desc.terms[k].role;
    has_any_term |= role == QUERY_ANY;
    if (role == QUERY_WITH && !is_group_term(query, k) && !is_complete_match(query->data.rows[k], query->data.count))
      return false;
    for (uint32_t i = 0; role == QUERY_WITHOUT && i < query->data.count; ++i)
      if (find_row_of_entity(query->terms[k], query->entities[i]) != ROW_NONE)
        return false;
  }
  for (uint32_t i = 0; has_any_term && i < query->data.count; ++i) {
    bool any_present = false;
    for (uint32_t k = 0; k < query->desc.term_count && !any_present; ++k)
      any_present =
          query->desc.terms[k].role == QUERY_ANY && (is_group_term(query, k) || query->data.rows[k][i] != ROW_NONE);
    if (!any_present)
      return false;
  }
  return true;
}

// Returns true if the world's query has the same rows, in the same components, so that the rows are known to match.
static bool has_world_rows(const state_build_t *b, const built_query_t *query, const state_query_t *saved) {
  const query_o *q = query->query;
  const live_query_t *live = (const live_query_t *)q;
  if (!q || live->asleep || live->driver != query->driver || q->grouped || saved->header->grouped || q->count == 0 ||
      q->count != saved->header->count || find_disabled_rows(b, query) || (b->w->disabled && b->w->disabled->count > 0))
    return false;
  for (uint32_t k = 0; k < q->term_count; ++k)
    if (!query->terms[k]->is_unchanged)
      return false;
  return memcmp(q->entities, saved->entities, q->count * sizeof *q->entities) == 0 &&
         (query->driver < 0 ||
          memcmp(q->terms[query->driver].rows, saved->driver_rows, q->count * sizeof *saved->driver_rows) == 0);
}

static bool build_query_rows(state_build_t *b, built_query_t *query, const state_query_t *saved) {
  uint32_t count = saved->header->count;
  shoal_assert(saved->header->grouped || saved->entities || count == 0, "entities must not be NULL (%u rows)", count);
  query->is_unchanged = has_world_rows(b, query, saved);
  if (query->is_unchanged)
    return true;
  query->entities = saved->entities;
  if (saved->header->grouped && !check_group(b, query, count))
    return false;
  query->data.grouped = saved->header->grouped;
  query->data.count = count;
  query->data.capacity = count > 16 ? count : 16;
  for (uint32_t k = 0; k < query->desc.term_count; ++k)
    if (query->desc.terms[k].role != QUERY_WITHOUT && !is_group_term(query, k))
      fill_query_rows(b, query, k, saved->driver_rows);
  if (!check_matches(query))
    return false;
  if (saved->header->grouped)
    return true;
  query->data.entities = alloc_resize(b->a, NULL, 0, query->data.capacity * sizeof *query->data.entities);
  if (count > 0)
    memcpy(query->data.entities, query->entities, count * sizeof *query->entities);
  return query->driver < 0 ? index_query_by_entity(b, query) : index_query_by_driver(b, query, saved->driver_rows);
}

static bool build_query(state_build_t *b, uint32_t number) {
  const state_query_t *saved = &b->v->queries[number];
  built_query_t *query = &b->queries[number];
  if (saved->dropped)
    return true;
  if (!build_terms(b, saved->header, query))
    return false;
  if ((query->driver >= 0) != (saved->driver_rows != NULL))
    return set_damaged(b, "missing query rows");
  query->query = query_find(b->w, &query->desc);
  for (uint32_t i = 0; i < number; ++i)
    if (!b->v->queries[i].dropped && memcmp(&b->queries[i].desc, &query->desc, sizeof query->desc) == 0)
      return set_damaged(b, "duplicate query");
  return build_query_rows(b, query, saved) || set_damaged(b, "invalid query rows");
}

// --- commands and blocks

// Looks up the assemblage; number 0 means no assemblage. Returns true on success, or false with a message if the number
// is invalid, or if the assemblage no longer exists and `defines_assemblages` is not set.
static bool build_assemblage(state_build_t *b, uint32_t number, uint32_t *out) {
  *out = 0;
  if (number == 0)
    return true;
  if (number > b->v->assemblage_count)
    return set_damaged(b, "a command spawns an unknown assemblage");
  const char *name = get_text(b, b->v->assemblage_names[number - 1]);
  uint32_t id = strings_find(b->w->strings, name);
  *out = id != 0 ? world_find_assemblage(b->w, id) : 0;
  if (*out == 0 && !b->defines_assemblages)
    return error_set(b->error, "the snapshot spawns the assemblage %s, which no longer exists", name);
  return true;
}

// Checks an entity that a queued command spawns: it must have no rows yet and must be spawned only once.
static bool check_spawned_entity(state_build_t *b, shoal_entity e) {
  if (!is_alive(b, e))
    return true; // the entity was destroyed after the command was queued, so the command has no effect
  uint32_t i = shoal_entity_index(e);
  bool valid = !(b->entity_flags[i] & FLAG_SPAWNED);
  b->entity_flags[i] |= FLAG_SPAWNED;
  for (uint32_t k = 0; k < b->v->info->manager_count && valid; ++k)
    valid = b->managers[k].kind == SCHEMA_SINGLE || find_row_of_entity(&b->managers[k], e) == ROW_NONE;
  return valid || set_damaged(b, "an entity is spawned twice");
}

static bool build_target(state_build_t *b, command_t *c) {
  if (c->a == 0 || c->a > b->v->info->manager_count)
    return set_damaged(b, "a command has an invalid component");
  const built_rows_t *rows = &b->managers[c->a - 1];
  bool writes_singleton = c->kind == COMMAND_SET && c->e == SHOAL_ENTITY_NONE && rows->kind == SCHEMA_SINGLE;
  if ((rows->kind == SCHEMA_SINGLE && !writes_singleton) || (rows->kind != SCHEMA_MANY && c->b != 0))
    return set_damaged(b, "invalid command");
  if (c->kind == COMMAND_SET && c->c >= rows->manager->schema.field_count)
    return set_damaged(b, "a command has an invalid field");
  c->a = rows->manager->id;
  return true;
}

static bool build_list_command(state_build_t *b, const command_t *c) {
  if (c->b > b->v->list_count || c->c > b->v->list_count - c->b)
    return set_damaged(b, "a command has an invalid entity list");
  bool valid = true; // the list must not contain duplicates
  for (uint32_t i = 0; i < c->c && valid; ++i) {
    uint32_t index = shoal_entity_index(b->v->lists[c->b + i]);
    valid = index < b->v->info->entities_used && !(b->entity_flags[index] & FLAG_LISTED);
    if (valid)
      b->entity_flags[index] |= FLAG_LISTED;
  }
  for (uint32_t i = 0; i < b->v->info->entities_used && c->c > 0; ++i)
    b->entity_flags[i] &= (uint8_t)~FLAG_LISTED;
  return valid || set_damaged(b, "a command lists an invalid or duplicate entity");
}

static bool build_many_command(state_build_t *b, command_t *c) {
  if (!build_list_command(b, c))
    return false;
  if (c->kind == COMMAND_DESTROY_MANY)
    return true;
  if (c->a == 0 || c->a > b->v->info->manager_count || b->managers[c->a - 1].kind == SCHEMA_SINGLE)
    return set_damaged(b, "a command has an invalid component");
  manager_o *m = b->managers[c->a - 1].manager;
  uint32_t values = 0;
  if (c->kind == COMMAND_ADD_MANY) {
    if (!(c->value >= 0 && c->value <= b->v->list_value_count) || c->d > b->v->list_value_count)
      return set_damaged(b, "a command has an invalid value list");
    values = (uint32_t)c->value;
  }
  if (values > 0 && (c->d > b->v->list_value_count || values > b->v->list_value_count - c->d))
    return set_damaged(b, "a command has an invalid value list");
  for (uint32_t i = 0; i < values; ++i)
    if (b->v->list_values[c->d + i].column >= m->schema.field_count)
      return set_damaged(b, "a command has an invalid field");
  c->a = m->id;
  return true;
}

// Checks a COMMAND_ALTERNATE and converts its component numbers. Unlike the lists of build_many_command, the list of
// this command may contain an entity twice.
static bool build_alternating_command(state_build_t *b, command_t *c) {
  command_t single[2] = {{.kind = c->e & 0xff, .a = c->a}, {.kind = c->e >> 8, .a = c->d}};
  if (c->b > b->v->list_count || c->c > b->v->list_count - c->b)
    return set_damaged(b, "a command has an invalid entity list");
  for (uint32_t i = 0; i < c->c; ++i)
    if (shoal_entity_index(b->v->lists[c->b + i]) >= b->v->info->entities_used)
      return set_damaged(b, "a command has an invalid entity");
  for (uint32_t i = 0; i < (c->d != 0 ? 2 : 1); ++i)
    if ((single[i].kind != COMMAND_ADD && single[i].kind != COMMAND_REMOVE) || !build_target(b, &single[i]) ||
        b->managers[(i == 0 ? c->a : c->d) - 1].kind != SCHEMA_COMPONENT)
      return set_damaged(b, "invalid command");
  c->a = single[0].a;
  c->d = c->d != 0 ? single[1].a : 0;
  return true;
}

static bool build_pairs_command(state_build_t *b, command_t *c) {
  command_t single = {.kind = COMMAND_SET, .a = c->a, .c = c->d};
  if (c->b > b->v->list_count || c->c > b->v->list_count - c->b || c->c == 0 || c->c % 3 != 0 ||
      !build_target(b, &single) || b->managers[c->a - 1].kind == SCHEMA_SINGLE ||
      b->managers[c->a - 1].manager->schema.fields[c->d].type != FIELD_ENTITY)
    return set_damaged(b, "invalid command");
  for (const uint32_t *pair = b->v->lists + c->b, *end = pair + c->c; pair < end; pair += 3)
    if (shoal_entity_index(pair[0]) >= b->v->info->entities_used ||
        (pair[1] != 0 && b->managers[c->a - 1].kind != SCHEMA_MANY))
      return set_damaged(b, "a command has an invalid entity");
  c->a = single.a;
  relation_enable(b->w);
  return true;
}

static bool build_command(state_build_t *b, command_t *c) {
  switch (c->kind) {
  case COMMAND_SPAWN: return build_assemblage(b, c->a, &c->a) && check_spawned_entity(b, c->e);
  case COMMAND_BLOCK:
    for (uint32_t i = 0; i < b->v->info->block_count; ++i)
      if (b->blocks[i].source->header->number == c->a && !b->blocks[i].queued)
        return b->blocks[i].queued = true;
    return set_damaged(b, "a command has an invalid spawn block");
  case COMMAND_DESTROY: return true;
  case COMMAND_ENTER:
    return shoal_entity_index(c->e) < b->v->info->entities_used || set_damaged(b, "a command has an invalid entity");
  case COMMAND_ADD:
  case COMMAND_REMOVE:
  case COMMAND_SET: return build_target(b, c);
  case COMMAND_EMIT:
    if (c->a == 0 || c->a > b->v->info->event_count || c->b >= b->v->events[c->a - 1].info->staged_count ||
        c->c > b->v->events[c->a - 1].info->staged_count - c->b)
      return set_damaged(b, "a command has an invalid event");
    c->a = b->v->events[c->a - 1].event->shared.id;
    return true;
  case COMMAND_DESTROY_MANY:
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY: return build_many_command(b, c);
  case COMMAND_ALTERNATE: return build_alternating_command(b, c);
  case COMMAND_PAIRS: return build_pairs_command(b, c);
  default: return set_damaged(b, "unknown command");
  }
}

static command_t *copy_commands(state_build_t *b, const command_t *source, uint32_t count) {
  command_t *copy = state_alloc(b->v, count * sizeof *copy);
  if (count > 0)
    memcpy(copy, source, count * sizeof *copy);
  return copy;
}

static bool check_block_components(state_build_t *b, const built_block_t *block) {
  const state_block_t *saved = block->source;
  assemblage_t *a = assemblage_get(b->w, block->assemblage);
  bool same = !a || assemblage_update_plan(b->w, block->assemblage, NULL);
  same = same && saved->header->part_count == (a ? a->plan.count : 0);
  for (uint32_t i = 0; same && i < saved->header->part_count; ++i) {
    const part_t *p = &a->plan.items[i];
    same = b->managers[saved->parts[i].manager].manager->id == p->manager &&
           strcmp(get_text(b, saved->parts[i].instance), strings_text(b->w->strings, p->instance)) == 0;
  }
  return same || b->defines_assemblages ||
         error_set(b->error, "the snapshot spawns entities of an assemblage that has changed");
}

static bool build_block(state_build_t *b, uint32_t number) {
  built_block_t *block = &b->blocks[number];
  const state_block_t *saved = block->source = &b->v->blocks[number];
  shoal_assert(b->v->block_count > number, "block %u is out of range (count %u)", number, b->v->block_count);
  block->children = copy_commands(b, saved->children, saved->child_count);
  if (!build_assemblage(b, saved->header->assemblage, &block->assemblage))
    return false;
  for (uint32_t i = 0; i < number; ++i)
    if (b->blocks[i].source->header->number == saved->header->number)
      return set_damaged(b, "duplicate spawn block");
  for (uint32_t i = 0; i < saved->header->count; ++i)
    if (!check_spawned_entity(b, saved->entities[i]))
      return false;
  for (uint32_t i = 0; i < saved->child_count; ++i)
    if (block->children[i].kind != COMMAND_SPAWN || !build_command(b, &block->children[i]))
      return set_damaged(b, "invalid spawn block children");
  return check_block_components(b, block);
}

static bool build_queue(state_build_t *b) {
  state_view_t *v = b->v;
  b->entity_flags = state_alloc(v, v->info->entities_used);
  for (uint32_t i = 0; i < v->block_count; ++i)
    if (!build_block(b, i))
      return false;
  b->commands = copy_commands(b, v->commands, v->command_count);
  for (uint32_t i = 0; i < v->command_count; ++i)
    if (!build_command(b, &b->commands[i]))
      return false;
  for (uint32_t i = 0; i < v->block_count; ++i)
    if (!b->blocks[i].queued)
      return set_damaged(b, "no command spawns a block");
  return true;
}

// --- entities

// Checks the index counts and the free FIFO, which must contain every index that is not alive, except 0, exactly once.
static bool check_free_ids(state_build_t *b) {
  const state_view_t *v = b->v;
  const snapshot_info_t *f = v->info;
  uint32_t used = f->entities_used, mask = f->free_capacity - 1, living = 0;
  uint8_t alive_bits = 0;
  if (used == 0 || used > ENTITIES_MAX_INDICES || f->free_capacity < ENTITIES_INITIAL_CAPACITY ||
      (f->free_capacity & mask) != 0 || f->free_capacity > ENTITIES_MAX_INDICES * 2 ||
      f->free_first >= f->free_capacity || f->free_count > f->free_capacity || v->alive[0] != 0)
    return false;
  for (uint32_t i = 0; i < used; ++i) {
    living += v->alive[i];
    alive_bits |= v->alive[i];
  }
  if (alive_bits > 1 || living != f->alive_count || (uint64_t)living + f->free_count + 1 != used)
    return false;
  uint8_t *used_indices = state_alloc(b->v, used); // every index must be either alive or free
  memcpy(used_indices, v->alive, used);
  for (uint32_t i = 0; i < f->free_count; ++i) {
    uint32_t index = v->free_ring[(f->free_first + i) & mask];
    if (index == 0 || index >= used || used_indices[index])
      return false;
    used_indices[index] = 1;
  }
  return true;
}

static bool check_entities(state_build_t *b) {
  const state_view_t *v = b->v;
  uint32_t highest = 0;
  for (uint32_t i = 0; i < v->info->entities_used; ++i)
    highest = v->assemblage[i] > highest ? v->assemblage[i] : highest;
  if (highest >= v->text_count)
    return set_damaged(b, "an entity has an invalid assemblage");
  return check_free_ids(b) || set_damaged(b, "invalid list of free entity ids");
}

// --- the whole state

bool state_build(state_build_t *b) {
  state_view_t *v = b->v;
  shoal_assert(b->a == &b->w->allocator, "the allocator must be the world's");
  bool valid =
      state_load_strings(v, b->w, b->error) && check_entities(b) && state_resolve_declarations(v, b->w, b->error);
  b->managers = state_alloc(v, v->component_count * sizeof *b->managers);
  b->queries = state_alloc(v, v->query_count * sizeof *b->queries);
  b->blocks = state_alloc(v, v->block_count * sizeof *b->blocks);
  b->has_world_entities = valid && has_world_entities(b);
  for (uint32_t i = 0; valid && i < v->component_count; ++i)
    valid = build_rows(b, i);
  for (uint32_t i = 0; valid && i < v->query_count; ++i)
    valid = build_query(b, i);
  return valid && build_queue(b);
}

void state_build_discard(state_build_t *b) {
  shoal_assert(b->managers && b->queries, "state_build must be called first");
  for (uint32_t i = 0; i < b->v->component_count; ++i)
    index_free(b->managers[i].pages, b->managers[i].page_count, b->a);
  for (uint32_t i = 0; i < b->v->query_count; ++i) {
    query_data_t *data = &b->queries[i].data;
    for (uint32_t k = 0; k < QUERY_MAX_TERMS; ++k)
      alloc_resize(b->a, data->rows[k], data->capacity * sizeof(uint32_t), 0);
    alloc_resize(b->a, data->entities, data->capacity * sizeof *data->entities, 0);
    alloc_resize(b->a, data->rows_by_driver, data->rows_by_driver_capacity * sizeof *data->rows_by_driver, 0);
    index_free(data->pages, data->page_count, b->a);
  }
}
