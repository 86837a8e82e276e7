// Provides Lua with the names, types and addresses from which it creates column proxies. A view keeps its address for
// the life of the query or event; its content changes with every open and close.
#include "bindings/abi.h"

#include "base/assert.h"
#include "native/loop.h"
#include "tilemap/tilemap.h"

// Returns the schema of a manager or of an event; exactly one of the two must be NULL.
const schema_t *view_schema(const manager_o *manager, const event_o *event) {
  shoal_assert((manager == NULL) != (event == NULL), "exactly one of manager and event must be NULL");
  return manager ? &manager->schema : &event->schema;
}

static bool read_terms(query_desc_t *desc, const uint32_t *managers, const uint32_t *roles, uint32_t count,
                       error_info_t *error) {
  *desc = (query_desc_t){.term_count = count};
  if (count > QUERY_MAX_TERMS)
    return error_set(error, "too many components in a query: %u (at most %d)", count, QUERY_MAX_TERMS);
  for (uint32_t i = 0; i < count; ++i)
    desc->terms[i] = (query_term_desc_t){managers[i], (query_role_t)roles[i]};
  return true;
}

query_o *view_query(world_o *world, const uint32_t *managers, const uint32_t *roles, uint32_t count,
                    error_info_t *error) {
  query_desc_t desc;
  return read_terms(&desc, managers, roles, count, error) ? world_find_or_create_query(world, &desc, error) : NULL;
}

query_o *view_inspection(world_o *world, const uint32_t *managers, const uint32_t *roles, uint32_t count,
                         error_info_t *error) {
  query_desc_t desc;
  return read_terms(&desc, managers, roles, count, error) ? world_find_or_create_inspection(world, &desc, error) : NULL;
}

// Returns the system query with the terms of the inspection query `query`; NULL if no system has opened such a query.
query_o *view_system_query(const query_o *query) {
  query_desc_t desc = {.term_count = query->term_count};
  for (uint32_t i = 0; i < query->term_count; ++i)
    desc.terms[i] = (query_term_desc_t){query->terms[i].manager->id, query->terms[i].role};
  return world_find_query(query->world, &desc);
}

static query_term_t *find_term(query_o *query, uint32_t manager) {
  for (uint32_t i = 0; i < query->term_count; ++i)
    if (query->terms[i].manager->id == manager && query->terms[i].role != QUERY_WITHOUT)
      return &query->terms[i];
  return NULL;
}

bool view_query_is_aligned(query_o *query, uint32_t manager) {
  query_term_t *term = find_term(query, manager);
  return term && term->misaligned == 0;
}

bool view_query_is_grouped(const query_o *query) {
  return query->grouped;
}

// Returns the group that determines the order of the manager's rows; NULL if the manager belongs to no group.
query_o *view_row_group(const manager_o *manager) {
  return manager->group;
}

// Returns the size in bytes of the query itself: row maps, entities and the index of entities. A group has only row
// maps, for the components whose order it does not determine.
double view_query_bytes(const query_o *query) {
  uint32_t numbers_per_row = query->grouped ? 0 : 2;
  for (uint32_t i = 0; i < query->term_count; ++i)
    numbers_per_row += query->terms[i].role != QUERY_WITHOUT && !query->terms[i].owned;
  return (double)query->count * numbers_per_row * sizeof(uint32_t);
}

column_view_t *view_query_column(query_o *query, uint32_t manager, uint32_t column, bool mapped) {
  query_term_t *term = find_term(query, manager);
  return term && column < term->view_count ? &term->stable_views[(mapped ? term->view_count : 0) + column] : NULL;
}

column_view_t *view_query_presence(query_o *query, uint32_t manager) {
  query_term_t *term = find_term(query, manager);
  return term ? &term->present : NULL;
}

uint32_t view_query_version(const query_o *query) {
  return query->layout_version;
}

// Sets the row maps of the components of a query, for a loop over its rows.
void view_fill_maps(const view_map_t *maps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    *maps[i].map = (row_map_t){.rows = maps[i].view ? maps[i].view->rows : NULL, .aligned = maps[i].view == NULL};
}

// Clears row maps when the loop that uses them ends.
void view_clear_maps(const view_map_t *maps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    *maps[i].map = (row_map_t){0};
}

column_view_t *view_event_column(event_o *event, uint32_t column) {
  shoal_assert(column < event->columns.column_count, "column %u of %s is out of range (count %u)", column,
               event->schema.name, event->columns.column_count);
  return &event->views[column];
}

// Returns the tick as a double, which is exact up to 2^53; 64-bit integers create garbage in LuaJIT's interpreter.
double view_tick(const world_o *world) {
  return (double)world_tick(world);
}

// Opens the rows that `reader` has not read yet. Returns the number of visible rows. Call view_event_mark_read to mark
// the rows as read, and always call event_close.
uint32_t view_event_open(world_o *world, uint32_t reader, uint32_t event) {
  shoal_assert(world_is_deferring(world), "event %u can be read only while a system runs", event);
  uint64_t next = 0;
  return event_open(world_event(world, event), world_reader_position(world, reader, event), &next);
}

// Marks all rows that view_event_open has opened as read; events emitted since then are still queued.
void view_event_mark_read(world_o *world, uint32_t reader, uint32_t event_id) {
  const event_o *event = world_event(world, event_id);
  world_set_reader_position(world, reader, event_id, event->first + event->columns.count);
}

void vm_loop_use_tiles(native_loop_o *loop) {
  native_loop_set_solid_lookup(loop, tilemap_test_solid);
}
