// Checks a state against this world and builds its indexes, query rows and commands. Data to be installed uses the
// world's allocator; everything else is freed with the view.
#include "snapshot/state_build.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/relation.h"

#include <string.h>

enum {
  FRESH_SPAWNED = 1, // a queued command will create the entity's first rows
  FRESH_LISTED = 2   // used while a list is checked for duplicates
};

static bool set_damaged(state_build_t *b, const char *what) {
  return state_set_damaged(b->error, what);
}

// Allocates zeroed memory from the world's allocator. Returns NULL for 0 bytes.
static void *alloc_zeroed(state_build_t *b, uint32_t count, size_t bytes) {
  void *memory = alloc_resize(b->a, NULL, 0, count * bytes);
  return memory ? memset(memory, 0, count * bytes) : NULL;
}

static bool is_alive(const state_build_t *b, shoal_entity e) {
  const state_view_t *v = b->v;
  uint32_t i = shoal_entity_index(e);
  return (e >> 30) == 0 && i != 0 && i < v->facts->entities_used && v->alive[i] &&
         v->generation[i] == shoal_entity_generation(e);
}

static const char *get_text(const state_build_t *b, uint32_t id) {
  return strings_text(b->v->strings, id);
}

// --- rows

static uint32_t find_row_of_entity(const built_rows_t *x, shoal_entity e) {
  uint32_t row = index_get(x->pages, x->page_count, e);
  return row != 0 && x->owner[row - 1] == e ? row - 1 : ROW_NONE;
}

// Copies the index of an earlier component with the same owners, such as a component that is always added together with
// the component of `x`. Returns false if no earlier component has the same owners.
static bool copy_index(state_build_t *b, built_rows_t *x) {
  const built_rows_t *same = NULL;
  for (const built_rows_t *y = b->managers; y < x && !same; ++y)
    if (y->to && y->kind == SCHEMA_COMPONENT && y->count == x->count &&
        memcmp(y->owner, x->owner, x->count * sizeof *x->owner) == 0)
      same = y;
  if (!same)
    return false;
  x->page_count = same->page_count;
  x->pages = index_copy(same->pages, same->page_count, b->a);
  return true;
}

static bool index_single_rows(state_build_t *b, built_rows_t *x) {
  if (x->count > 0 && copy_index(b, x))
    return true;
  for (uint32_t row = 0; row < x->count; ++row) {
    if (!is_alive(b, x->owner[row]))
      return false;
    uint32_t *slot = index_slot(&x->pages, &x->page_count, x->owner[row], b->a);
    if (*slot != 0)
      return false;
    *slot = row + 1;
  }
  return true;
}

// Indexes the first row of each entity's chain: the row that is not the `next` of any other row. Fails if an owner is
// not alive, if a chain contains rows of several entities, if an entity has several chains, if chains merge, or if rows
// form a cycle.
static bool index_chains(state_build_t *b, built_rows_t *x) {
  const uint32_t *next_of = x->from->next;
  uint8_t *pointed = alloc_zeroed(b, x->count, 1);
  bool good = true;
  for (uint32_t row = 0; row < x->count && good; ++row) {
    uint32_t next = next_of[row];
    good = is_alive(b, x->owner[row]) && (next == ROW_NONE || (x->owner[next] == x->owner[row] && !pointed[next]));
    if (good && next != ROW_NONE)
      pointed[next] = 1;
  }
  uint32_t seen = 0;
  for (uint32_t row = 0; row < x->count && good; ++row) {
    if (pointed[row])
      continue;
    uint32_t *slot = index_slot(&x->pages, &x->page_count, x->owner[row], b->a);
    good = *slot == 0;
    *slot = row + 1;
    for (uint32_t at = row; good && at != ROW_NONE; at = next_of[at])
      seen++;
  }
  alloc_resize(b->a, pointed, x->count, 0);
  return good && seen == x->count;
}

static bool is_unowned(const built_rows_t *x) {
  bool unowned = x->count > 0;
  for (uint32_t row = 0; row < x->count; ++row)
    unowned &= x->owner[row] == SHOAL_ENTITY_NONE;
  return unowned;
}

static bool build_index(state_build_t *b, built_rows_t *x) {
  bool good = x->kind == SCHEMA_SINGLE ? is_unowned(x)
              : x->kind == SCHEMA_MANY ? index_chains(b, x)
                                       : index_single_rows(b, x);
  return good || error_set(b->error, "the snapshot is damaged: invalid rows of %s", x->to->schema.name);
}

static bool build_rows(state_build_t *b, uint32_t number) {
  const state_rows_t *from = &b->v->components[number];
  shoal_assert(from->owner || from->count == 0, "owners of component %u must not be NULL", number);
  built_rows_t *x = &b->managers[number];
  *x = (built_rows_t){.from = from, .to = from->to, .count = from->count, .owner = from->owner};
  if (!x->to)
    return true;
  x->kind = x->to->schema.kind;
  return build_index(b, x);
}

// --- queries

static const built_rows_t *find_term_rows(const state_build_t *b, const snapshot_query_t *q, uint32_t manager) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (b->managers[q->terms[i].manager].to->id == manager)
      return &b->managers[q->terms[i].manager];
  return NULL;
}

// Returns the rows of the component `disabled`; NULL if these rows do not affect the query.
static const built_rows_t *find_disabled_rows(const state_build_t *b, const built_query_t *x) {
  for (uint32_t i = 0; b->w->disabled && i < b->v->facts->manager_count; ++i)
    if (b->managers[i].to == b->w->disabled)
      return b->managers[i].count > 0 && !query_includes_disabled(b->w, &x->desc) ? &b->managers[i] : NULL;
  return NULL;
}

// Equivalent of world_is_disabled for rows that are not installed yet.
static bool is_disabled(const state_build_t *b, const built_rows_t *d, const char *component, shoal_entity e) {
  for (uint32_t row = find_row_of_entity(d, e); row != ROW_NONE; row = d->from->next[row]) {
    const char *name = get_text(b, d->from->instance[row]);
    if (strcmp(name, component) == 0 || strcmp(name, DISABLED_WHOLE) == 0)
      return true;
  }
  return false;
}

// Converts the terms to the world's order. Fails if the query is invalid or contains a term twice.
static bool build_terms(state_build_t *b, const snapshot_query_t *q, built_query_t *x) {
  query_desc_t desc = {.term_count = q->term_count};
  for (uint32_t i = 0; i < q->term_count; ++i)
    desc.terms[i] = (query_term_desc_t){b->managers[q->terms[i].manager].to->id, (query_role_t)q->terms[i].role};
  if (!query_check_desc(b->w, &desc, NULL))
    return set_damaged(b, "invalid query");
  x->desc = query_canonicalize(&desc);
  if (x->desc.term_count != desc.term_count)
    return set_damaged(b, "duplicate term of a query");
  x->driver = -1;
  for (uint32_t i = 0; i < x->desc.term_count; ++i) {
    x->terms[i] = find_term_rows(b, q, x->desc.terms[i].manager);
    if (x->desc.terms[i].role == QUERY_WITH && x->terms[i]->kind == SCHEMA_MANY)
      x->driver = (int32_t)i;
  }
  return true;
}

static bool index_query_by_entity(state_build_t *b, built_query_t *x) {
  for (uint32_t i = 0; i < x->data.count; ++i) {
    uint32_t *slot = index_slot(&x->data.pages, &x->data.page_count, x->entities[i], b->a);
    if (*slot != 0)
      return false;
    *slot = i + 1;
  }
  return true;
}

// Builds the index by row of the driver. Fails if a driver row belongs to another entity or is listed twice, or if only
// some of an entity's rows are listed.
static bool index_query_by_driver(state_build_t *b, built_query_t *x, const uint32_t *driver_rows) {
  const built_rows_t *driver = x->terms[x->driver];
  uint32_t *rows_by_driver = x->data.rows_by_driver = alloc_zeroed(b, driver->count, sizeof *rows_by_driver);
  x->data.rows_by_driver_capacity = driver->count;
  shoal_assert(rows_by_driver || driver->count == 0, "rows_by_driver must not be NULL (%u rows)", driver->count);
  shoal_assert(driver_rows || x->data.count == 0, "driver_rows must not be NULL (%u rows)", x->data.count);
  for (uint32_t i = 0; i < x->data.count; ++i) {
    uint32_t row = driver_rows[i];
    if (row >= driver->count || driver->owner[row] != x->entities[i] || rows_by_driver[row] != 0)
      return false;
    rows_by_driver[row] = i + 1;
  }
  for (uint32_t i = 0; i < x->data.count; ++i) {
    uint32_t next = driver->from->next[driver_rows[i]];
    if (rows_by_driver[find_row_of_entity(driver, x->entities[i])] == 0 ||
        (next != ROW_NONE && rows_by_driver[next] == 0))
      return false;
  }
  return true;
}

static bool has_first_owners(const built_rows_t *rows, const shoal_entity *entities, uint32_t count) {
  return rows->kind != SCHEMA_MANY && count <= rows->count &&
         (count == 0 || memcmp(rows->owner, entities, count * sizeof *entities) == 0);
}

static void fill_query_rows(state_build_t *b, built_query_t *x, uint32_t term, const uint32_t *driver_rows) {
  const built_rows_t *rows = x->terms[term];
  uint32_t count = x->data.count, misaligned = 0;
  uint32_t *out = x->data.rows[term] = alloc_resize(b->a, NULL, 0, x->data.capacity * sizeof *out);
  const built_rows_t *hidden = x->desc.terms[term].role != QUERY_WITH ? find_disabled_rows(b, x) : NULL;
  if (has_first_owners(rows, x->entities, count) && (int32_t)term != x->driver && !hidden) {
    for (uint32_t i = 0; i < count; ++i)
      out[i] = i;
    return;
  }
  shoal_assert(driver_rows || (int32_t)term != x->driver, "driver_rows must not be NULL, because term %u is the driver",
               term);
  for (uint32_t i = 0; i < count; ++i) {
    out[i] = (int32_t)term == x->driver ? driver_rows[i] : find_row_of_entity(rows, x->entities[i]);
    if (hidden && is_disabled(b, hidden, rows->to->schema.name, x->entities[i]))
      out[i] = ROW_NONE;
    misaligned += out[i] != i;
  }
  x->data.misaligned[term] = misaligned;
}

// Checks that a group owns its components, and that the group's entities are the first owners in each component.
static bool check_group(state_build_t *b, built_query_t *x, uint32_t count) {
  for (uint32_t k = 0; k < x->desc.term_count; ++k) {
    built_rows_t *rows = &b->managers[x->terms[k] - b->managers];
    if (x->desc.terms[k].role != QUERY_WITH)
      continue;
    if (rows->kind != SCHEMA_COMPONENT || rows->group || count > rows->count)
      return false;
    rows->group = x;
    x->entities = x->entities ? x->entities : rows->owner;
    if (!has_first_owners(rows, x->entities, count))
      return false;
  }
  return x->entities || count == 0;
}

static bool is_group_term(const built_query_t *x, uint32_t term) {
  return x->data.grouped && x->terms[term]->group == x;
}

static bool is_complete_match(const uint32_t *rows, uint32_t count) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; ++i)
    missing += rows[i] == ROW_NONE;
  return missing == 0;
}

// Returns true if all rows match the query.
static bool check_matches(const built_query_t *x) {
  bool any_wanted = false;
  for (uint32_t k = 0; k < x->desc.term_count; ++k) {
    query_role_t role = x->desc.terms[k].role;
    any_wanted |= role == QUERY_ANY;
    if (role == QUERY_WITH && !is_group_term(x, k) && !is_complete_match(x->data.rows[k], x->data.count))
      return false;
    for (uint32_t i = 0; role == QUERY_WITHOUT && i < x->data.count; ++i)
      if (find_row_of_entity(x->terms[k], x->entities[i]) != ROW_NONE)
        return false;
  }
  for (uint32_t i = 0; any_wanted && i < x->data.count; ++i) {
    bool found = false;
    for (uint32_t k = 0; k < x->desc.term_count && !found; ++k)
      found = x->desc.terms[k].role == QUERY_ANY && (is_group_term(x, k) || x->data.rows[k][i] != ROW_NONE);
    if (!found)
      return false;
  }
  return true;
}

static bool build_query_rows(state_build_t *b, built_query_t *x, const state_query_t *from) {
  uint32_t count = from->head->count;
  shoal_assert(from->head->grouped || from->entities || count == 0, "entities must not be NULL (%u rows)", count);
  x->entities = from->entities;
  if (from->head->grouped && !check_group(b, x, count))
    return false;
  x->data.grouped = from->head->grouped;
  x->data.count = count;
  x->data.capacity = count > 16 ? count : 16;
  for (uint32_t k = 0; k < x->desc.term_count; ++k)
    if (x->desc.terms[k].role != QUERY_WITHOUT && !is_group_term(x, k))
      fill_query_rows(b, x, k, from->driver_rows);
  if (!check_matches(x))
    return false;
  if (from->head->grouped)
    return true;
  x->data.entities = alloc_resize(b->a, NULL, 0, x->data.capacity * sizeof *x->data.entities);
  if (count > 0)
    memcpy(x->data.entities, x->entities, count * sizeof *x->entities);
  return x->driver < 0 ? index_query_by_entity(b, x) : index_query_by_driver(b, x, from->driver_rows);
}

static bool build_query(state_build_t *b, uint32_t number) {
  const state_query_t *from = &b->v->queries[number];
  built_query_t *x = &b->queries[number];
  if (from->gone)
    return true;
  if (!build_terms(b, from->head, x))
    return false;
  if ((x->driver >= 0) != (from->driver_rows != NULL))
    return set_damaged(b, "missing rows of a query");
  x->to = query_find(b->w, &x->desc);
  for (uint32_t i = 0; i < number; ++i)
    if (!b->v->queries[i].gone && memcmp(&b->queries[i].desc, &x->desc, sizeof x->desc) == 0)
      return set_damaged(b, "duplicate query");
  return build_query_rows(b, x, from) || set_damaged(b, "invalid rows of a query");
}

// --- commands and blocks

// Looks up the assemblage; number 0 means no assemblage. Fails if the number is invalid, or if the assemblage no longer
// exists and b->defines is not set.
static bool build_assemblage(state_build_t *b, uint32_t number, uint32_t *out) {
  *out = 0;
  if (number == 0)
    return true;
  if (number > b->v->assemblage_count)
    return set_damaged(b, "a command spawns an unknown assemblage");
  const char *name = get_text(b, b->v->assemblage_names[number - 1]);
  uint32_t id = strings_find(b->w->strings, name);
  *out = id != 0 ? world_find_assemblage(b->w, id) : 0;
  if (*out == 0 && !b->defines)
    return error_set(b->error, "the snapshot spawns the assemblage %s, which no longer exists", name);
  return true;
}

// Checks an entity that a queued command spawns: it must have no rows yet and must be spawned only once.
static bool check_spawned_entity(state_build_t *b, shoal_entity e) {
  if (!is_alive(b, e))
    return true; // the entity was destroyed after the command was queued, so the command has no effect
  uint32_t i = shoal_entity_index(e);
  bool good = !(b->fresh[i] & FRESH_SPAWNED);
  b->fresh[i] |= FRESH_SPAWNED;
  for (uint32_t k = 0; k < b->v->facts->manager_count && good; ++k)
    good = b->managers[k].kind == SCHEMA_SINGLE || find_row_of_entity(&b->managers[k], e) == ROW_NONE;
  return good || set_damaged(b, "an entity is spawned twice");
}

static bool build_target(state_build_t *b, command_t *c) {
  if (c->a == 0 || c->a > b->v->facts->manager_count)
    return set_damaged(b, "a command has an invalid component");
  const built_rows_t *x = &b->managers[c->a - 1];
  bool writes_singleton = c->kind == COMMAND_SET && c->e == SHOAL_ENTITY_NONE && x->kind == SCHEMA_SINGLE;
  if ((x->kind == SCHEMA_SINGLE && !writes_singleton) || (x->kind != SCHEMA_MANY && c->b != 0))
    return set_damaged(b, "invalid command");
  if (c->kind == COMMAND_SET && c->c >= x->to->schema.field_count)
    return set_damaged(b, "a command has an invalid field");
  c->a = x->to->id;
  return true;
}

static bool build_list_command(state_build_t *b, const command_t *c) {
  if (c->b > b->v->list_count || c->c > b->v->list_count - c->b)
    return set_damaged(b, "a command has an invalid list of entities");
  bool good = true; // the list must not contain duplicates
  for (uint32_t i = 0; i < c->c && good; ++i) {
    uint32_t index = shoal_entity_index(b->v->lists[c->b + i]);
    good = index < b->v->facts->entities_used && !(b->fresh[index] & FRESH_LISTED);
    if (good)
      b->fresh[index] |= FRESH_LISTED;
  }
  for (uint32_t i = 0; i < b->v->facts->entities_used && c->c > 0; ++i)
    b->fresh[i] &= (uint8_t)~FRESH_LISTED;
  return good || set_damaged(b, "a command lists an invalid or duplicate entity");
}

static bool build_many_command(state_build_t *b, command_t *c) {
  if (!build_list_command(b, c))
    return false;
  if (c->kind == COMMAND_DESTROY_MANY)
    return true;
  if (c->a == 0 || c->a > b->v->facts->manager_count || b->managers[c->a - 1].kind == SCHEMA_SINGLE)
    return set_damaged(b, "a command has an invalid component");
  manager_o *m = b->managers[c->a - 1].to;
  uint32_t values = 0;
  if (c->kind == COMMAND_ADD_MANY) {
    if (!(c->value >= 0 && c->value <= b->v->list_value_count) || c->d > b->v->list_value_count)
      return set_damaged(b, "a command has an invalid list of values");
    values = (uint32_t)c->value;
  }
  if (values > 0 && (c->d > b->v->list_value_count || values > b->v->list_value_count - c->d))
    return set_damaged(b, "a command has an invalid list of values");
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
    return set_damaged(b, "a command has an invalid list of entities");
  for (uint32_t i = 0; i < c->c; ++i)
    if (shoal_entity_index(b->v->lists[c->b + i]) >= b->v->facts->entities_used)
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
      b->managers[c->a - 1].to->schema.fields[c->d].type != FIELD_ENTITY)
    return set_damaged(b, "invalid command");
  for (const uint32_t *at = b->v->lists + c->b, *end = at + c->c; at < end; at += 3)
    if (shoal_entity_index(at[0]) >= b->v->facts->entities_used ||
        (at[1] != 0 && b->managers[c->a - 1].kind != SCHEMA_MANY))
      return set_damaged(b, "a command has an invalid entity");
  c->a = single.a;
  relation_enable(b->w);
  return true;
}

static bool build_command(state_build_t *b, command_t *c) {
  switch (c->kind) {
  case COMMAND_SPAWN: return build_assemblage(b, c->a, &c->a) && check_spawned_entity(b, c->e);
  case COMMAND_BLOCK:
    for (uint32_t i = 0; i < b->v->facts->block_count; ++i)
      if (b->blocks[i].from->head->number == c->a && !b->blocks[i].queued)
        return b->blocks[i].queued = true;
    return set_damaged(b, "a command has an invalid spawn block");
  case COMMAND_DESTROY: return true;
  case COMMAND_ENTER:
    return shoal_entity_index(c->e) < b->v->facts->entities_used || set_damaged(b, "a command has an invalid entity");
  case COMMAND_ADD:
  case COMMAND_REMOVE:
  case COMMAND_SET: return build_target(b, c);
  case COMMAND_EMIT:
    if (c->a == 0 || c->a > b->v->facts->event_count || c->b >= b->v->events[c->a - 1].facts->staged_count ||
        c->c > b->v->events[c->a - 1].facts->staged_count - c->b)
      return set_damaged(b, "a command has an invalid event");
    c->a = b->v->events[c->a - 1].to->shared.id;
    return true;
  case COMMAND_DESTROY_MANY:
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY: return build_many_command(b, c);
  case COMMAND_ALTERNATE: return build_alternating_command(b, c);
  case COMMAND_PAIRS: return build_pairs_command(b, c);
  default: return set_damaged(b, "unknown command");
  }
}

static command_t *copy_commands(state_build_t *b, const command_t *from, uint32_t count) {
  command_t *to = state_alloc(b->v, count * sizeof *to);
  if (count > 0)
    memcpy(to, from, count * sizeof *to);
  return to;
}

static bool check_block_components(state_build_t *b, const built_block_t *x) {
  const state_block_t *from = x->from;
  assemblage_t *a = assemblage_get(b->w, x->assemblage);
  bool same = !a || assemblage_update_plan(b->w, x->assemblage, NULL);
  same = same && from->head->part_count == (a ? a->plan.count : 0);
  for (uint32_t i = 0; same && i < from->head->part_count; ++i) {
    const part_t *p = &a->plan.items[i];
    same = b->managers[from->parts[i].manager].to->id == p->manager &&
           strcmp(get_text(b, from->parts[i].instance), strings_text(b->w->strings, p->instance)) == 0;
  }
  return same || b->defines || error_set(b->error, "the snapshot spawns entities of an assemblage that has changed");
}

static bool build_block(state_build_t *b, uint32_t number) {
  built_block_t *x = &b->blocks[number];
  const state_block_t *from = x->from = &b->v->blocks[number];
  shoal_assert(b->v->block_count > number, "block %u is out of range (count %u)", number, b->v->block_count);
  x->children = copy_commands(b, from->children, from->child_count);
  if (!build_assemblage(b, from->head->assemblage, &x->assemblage))
    return false;
  for (uint32_t i = 0; i < number; ++i)
    if (b->blocks[i].from->head->number == from->head->number)
      return set_damaged(b, "duplicate spawn block");
  for (uint32_t i = 0; i < from->head->count; ++i)
    if (!check_spawned_entity(b, from->entities[i]))
      return false;
  for (uint32_t i = 0; i < from->child_count; ++i)
    if (x->children[i].kind != COMMAND_SPAWN || !build_command(b, &x->children[i]))
      return set_damaged(b, "invalid children of a spawn block");
  return check_block_components(b, x);
}

static bool build_queue(state_build_t *b) {
  state_view_t *v = b->v;
  b->fresh = state_alloc(v, v->facts->entities_used);
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
  const snapshot_facts_t *f = v->facts;
  uint32_t used = f->entities_used, mask = f->free_capacity - 1, living = 0;
  uint8_t worst = 0;
  if (used == 0 || used > ENTITIES_MAX_INDICES || f->free_capacity < ENTITIES_INITIAL_CAPACITY ||
      (f->free_capacity & mask) != 0 || f->free_capacity > ENTITIES_MAX_INDICES * 2 ||
      f->free_first >= f->free_capacity || f->free_count > f->free_capacity || v->alive[0] != 0)
    return false;
  for (uint32_t i = 0; i < used; ++i) {
    living += v->alive[i];
    worst |= v->alive[i];
  }
  if (worst > 1 || living != f->alive_count || (uint64_t)living + f->free_count + 1 != used)
    return false;
  uint8_t *seen = state_alloc(b->v, used); // every index must be either alive or free
  memcpy(seen, v->alive, used);
  for (uint32_t i = 0; i < f->free_count; ++i) {
    uint32_t index = v->free_ring[(f->free_first + i) & mask];
    if (index == 0 || index >= used || seen[index])
      return false;
    seen[index] = 1;
  }
  return true;
}

static bool check_entities(state_build_t *b) {
  const state_view_t *v = b->v;
  uint32_t highest = 0;
  for (uint32_t i = 0; i < v->facts->entities_used; ++i)
    highest = v->assemblage[i] > highest ? v->assemblage[i] : highest;
  if (highest >= v->text_count)
    return set_damaged(b, "an entity has an invalid assemblage");
  return check_free_ids(b) || set_damaged(b, "invalid list of free entity ids");
}

// --- the whole state

bool state_build(state_build_t *b) {
  state_view_t *v = b->v;
  shoal_assert(b->a == &b->w->allocator, "the allocator must be the world's");
  bool good =
      state_load_strings(v, b->w, b->error) && check_entities(b) && state_resolve_declarations(v, b->w, b->error);
  b->managers = state_alloc(v, v->component_count * sizeof *b->managers);
  b->queries = state_alloc(v, v->query_count * sizeof *b->queries);
  b->blocks = state_alloc(v, v->block_count * sizeof *b->blocks);
  for (uint32_t i = 0; good && i < v->component_count; ++i)
    good = build_rows(b, i);
  for (uint32_t i = 0; good && i < v->query_count; ++i)
    good = build_query(b, i);
  return good && build_queue(b);
}

void state_build_discard(state_build_t *b) {
  shoal_assert(b->managers && b->queries, "state_build must be called first");
  for (uint32_t i = 0; i < b->v->component_count; ++i)
    index_free(b->managers[i].pages, b->managers[i].page_count, b->a);
  for (uint32_t i = 0; i < b->v->query_count; ++i) {
    query_data_t *x = &b->queries[i].data;
    for (uint32_t k = 0; k < QUERY_MAX_TERMS; ++k)
      alloc_resize(b->a, x->rows[k], x->capacity * sizeof(uint32_t), 0);
    alloc_resize(b->a, x->entities, x->capacity * sizeof *x->entities, 0);
    alloc_resize(b->a, x->rows_by_driver, x->rows_by_driver_capacity * sizeof *x->rows_by_driver, 0);
    index_free(x->pages, x->page_count, b->a);
  }
}
