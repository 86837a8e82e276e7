// Takes snapshots in three steps: lists what to store (addresses and sizes), allocates one buffer, and copies.
#include "snapshot/snapshot.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "ecs/last_values.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"
#include "ecs/manager_internal.h"
#include "snapshot/snapshot_internal.h"

#include <string.h>

typedef struct item_t {
  snapshot_section_t section;
  const void *data; // data of the section; NULL: the data is in the scratch memory at `scratch`, or in `pages`
  uint32_t *const *pages;
  size_t scratch;
} item_t;

struct snapshot_o {
  allocator_t *allocator;
  uint8_t *bytes;
  size_t size, capacity;  // `capacity` is 0 if `bytes` are borrowed
  bool is_taken;          // true if snapshot_take wrote the bytes, so their table needs no check
  ARRAY(item_t) items;    // sections to copy, used only inside snapshot_take
  ARRAY(uint8_t) scratch; // contents of sections that the world stores in a different form
  uint32_t owners;
};

// --- life cycle

snapshot_o *snapshot_create(allocator_t *a) {
  snapshot_o *s = alloc_resize(a, NULL, 0, sizeof *s);
  *s = (snapshot_o){.allocator = a, .owners = 1};
  return s;
}

snapshot_o *snapshot_create_from_bytes(allocator_t *a, const void *bytes, size_t size) {
  snapshot_o *s = snapshot_create(a);
  if ((uintptr_t)bytes % SNAPSHOT_ALIGNMENT != 0)
    snapshot_set_bytes(s, bytes, size);
  else
    s->bytes = (uint8_t *)(uintptr_t)bytes, s->size = size;
  return s;
}

void snapshot_retain(snapshot_o *s) {
  shoal_assert(s->owners > 0, "cannot retain a released snapshot");
  s->owners++;
}

void snapshot_release(snapshot_o *s) {
  shoal_assert(!s || s->owners > 0, "a snapshot was released more often than retained");
  if (!s || --s->owners > 0)
    return;
  if (s->capacity > 0)
    alloc_free_aligned(s->allocator, s->bytes, s->capacity);
  array_free(s->allocator, &s->items);
  array_free(s->allocator, &s->scratch);
  alloc_resize(s->allocator, s, sizeof *s, 0);
}

bool snapshot_is_shared(const snapshot_o *s) {
  return s->owners > 1;
}

const allocator_t *snapshot_allocator(const snapshot_o *s) {
  return s->allocator;
}

// --- the list of sections

static void add_section(snapshot_o *s, snapshot_kind_t kind, uint32_t a, uint32_t b, uint32_t element, const void *data,
                        size_t bytes) {
  item_t item = {.section = {.kind = kind, .a = a, .b = b, .element = element, .bytes = bytes}, .data = data};
  shoal_assert(data || bytes == 0, "data must not be NULL (section %u, kind %u)", s->items.count, kind);
  array_push(s->allocator, &s->items, item);
}

static void add_page_section(snapshot_o *s, snapshot_kind_t kind, uint32_t a, uint32_t *const *pages,
                             uint32_t numbers) {
  item_t item = {.section = {.kind = kind, .a = a, .element = 4, .bytes = numbers * sizeof **pages}, .pages = pages};
  array_push(s->allocator, &s->items, item);
}

// Returns zeroed scratch memory for a new section, valid until the next add_scratch_section.
static void *add_scratch_section(snapshot_o *s, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t bytes) {
  size_t offset = (s->scratch.count + SNAPSHOT_ALIGNMENT - 1u) & ~(size_t)(SNAPSHOT_ALIGNMENT - 1u);
  shoal_assert(offset + bytes < UINT32_MAX, "a section of %zu bytes is too large", bytes);
  array_reserve(s->allocator, &s->scratch, (uint32_t)(offset + bytes));
  s->scratch.count = (uint32_t)(offset + bytes);
  item_t item = {.section = {.kind = kind, .a = a, .b = b, .element = 4, .bytes = bytes}, .scratch = offset};
  array_push(s->allocator, &s->items, item);
  return bytes > 0 ? memset(s->scratch.items + offset, 0, bytes) : NULL;
}

static size_t schema_bytes(const schema_t *schema) {
  size_t bytes = sizeof(snapshot_schema_t) + schema->field_count * sizeof(snapshot_field_t);
  for (uint32_t i = 0; i < schema->field_count; ++i)
    bytes += field_choices_bytes(&schema->fields[i]);
  return bytes;
}

static void write_schema(snapshot_schema_t *out, const schema_t *schema) {
  shoal_assert(out, "out must not be NULL (%s)", schema->name);
  memcpy(out->name, schema->name, sizeof out->name);
  out->kind = schema->kind;
  out->field_count = schema->field_count;
  snapshot_field_t *fields = (snapshot_field_t *)(out + 1);
  char *texts = (char *)(fields + schema->field_count);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const field_t *f = &schema->fields[i];
    memcpy(fields[i].name, f->name, sizeof fields[i].name);
    fields[i].type = f->type;
    fields[i].choice_count = f->choice_count;
    fields[i].choices_bytes = (uint32_t)field_choices_bytes(f);
    if (f->choices)
      memcpy(texts, f->choices, fields[i].choices_bytes);
    texts += fields[i].choices_bytes;
  }
}

static void store_schema(world_o *w, const schema_t *schema) {
  allocator_t *a = &w->allocator;
  uint32_t offset = w->stored_schemas.count, bytes = (uint32_t)schema_bytes(schema);
  uint32_t end = (offset + bytes + SNAPSHOT_ALIGNMENT - 1u) & ~(SNAPSHOT_ALIGNMENT - 1u);
  array_reserve(a, &w->stored_schemas, end);
  w->stored_schemas.count = end;
  memset(w->stored_schemas.items + offset, 0, end - offset);
  write_schema((snapshot_schema_t *)(void *)(w->stored_schemas.items + offset), schema);
  array_push(a, &w->stored_schema_ends, offset + bytes);
}

// Rebuilds the stored schemas if a component or event was declared since the last snapshot. Caches them, because the
// schemas' names are a large part of a small world's snapshot.
static void store_schemas(world_o *w) {
  if (w->schemas_version == w->plan_version)
    return;
  w->stored_schemas.count = w->stored_schema_ends.count = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    store_schema(w, &w->managers.items[i]->schema);
  for (uint32_t i = 0; i < w->events.count; ++i)
    store_schema(w, &w->events.items[i]->shared.schema);
  w->schemas_version = w->plan_version;
}

// Adds a section with a schema. `number` is the schema's index in the order of store_schemas.
static void add_schema(snapshot_o *s, snapshot_kind_t kind, uint32_t a, const world_o *w, uint32_t number) {
  uint32_t previous_end = number > 0 ? w->stored_schema_ends.items[number - 1] : 0;
  uint32_t offset = (previous_end + SNAPSHOT_ALIGNMENT - 1u) & ~(SNAPSHOT_ALIGNMENT - 1u);
  add_section(s, kind, a, 0, 4, w->stored_schemas.items + offset, w->stored_schema_ends.items[number] - offset);
}

static void add_columns(snapshot_o *s, snapshot_kind_t kind, uint32_t a, uint32_t first_b, const columns_t *c) {
  for (uint32_t i = 0; i < c->column_count; ++i)
    add_section(s, kind, a, first_b + i, c->element_bytes[i], c->data[i], (size_t)c->element_bytes[i] * c->count);
}

static void add_facts(snapshot_o *s, const world_o *w) {
  const entities_t *e = &w->entities;
  snapshot_info_t *f = add_scratch_section(s, SNAPSHOT_INFO, 0, 0, sizeof *f);
  *f = (snapshot_info_t){
      .tick = w->tick,
      .tick_rate = w->tick_rate,
      .next_block = w->next_block,
      .entities_used = e->used,
      .alive_count = e->alive_count,
      .free_first = e->free_first,
      .free_count = e->free_count,
      .free_capacity = e->free_capacity,
      .strings_used_after_sweep = strings_used_after_sweep(w->strings),
      .manager_count = w->managers.count,
      .event_count = w->events.count,
      .query_count = w->queries.count,
      .watcher_count = w->watchers.count,
      .block_count = w->blocks.count,
      .tracked = w->tracks_touched,
  };
  memcpy(f->random, w->in_random_stream ? w->world_stream.s : w->random.s, sizeof f->random);
}

static void add_strings(snapshot_o *s, const world_o *w) {
  size_t bytes = 0;
  const char *texts = strings_get_buffer(w->strings, &bytes);
  strings_save(w->strings,
               add_scratch_section(s, SNAPSHOT_STRINGS, 0, 0, strings_count(w->strings) * sizeof(strings_entry_t)));
  add_section(s, SNAPSHOT_TEXTS, 0, 0, 1, texts, bytes);
}

static void add_entities(snapshot_o *s, const entities_t *e) {
  add_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_GENERATION, 0, 1, e->generation, e->used * sizeof *e->generation);
  add_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_ALIVE, 0, 1, e->alive, e->used * sizeof *e->alive);
  add_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_ASSEMBLAGE, 0, 4, e->assemblage, e->used * sizeof *e->assemblage);
  add_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_STATE, 0, 4, e->state, e->used * sizeof *e->state);
  add_page_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_TICK, e->died_tick, e->used);
  add_page_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_BY, e->died_by, e->used);
  add_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_FREE_RING, 0, 4, e->free_ring, e->free_capacity * sizeof *e->free_ring);
}

static void add_assemblages(snapshot_o *s, const world_o *w) {
  uint32_t *names = add_scratch_section(s, SNAPSHOT_ASSEMBLAGES, 0, 0, w->assemblages.count * sizeof *names);
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    names[i] = w->assemblages.items[i].name;
}

static void add_manager(snapshot_o *s, uint32_t i, const manager_o *m) {
  add_schema(s, SNAPSHOT_SCHEMA, i, m->world, i);
  add_section(s, SNAPSHOT_OWNERS, i, 0, 4, m->owner, m->count * sizeof *m->owner);
  if (m->schema.kind == SCHEMA_MANY) {
    add_section(s, SNAPSHOT_INSTANCES, i, 0, 4, m->instance, m->count * sizeof *m->instance);
    add_section(s, SNAPSHOT_NEXT, i, 0, 4, m->next, m->count * sizeof *m->next);
  }
  add_columns(s, SNAPSHOT_COLUMN, i, 0, &m->columns);
  for (uint32_t k = 0; k < m->columns.column_count && m->count > 0; ++k)
    if (columns_get_marks(&m->columns, k) && !(m->schema.fields[k].flags & (FIELD_HIDDEN | FIELD_READ_ONLY)))
      add_section(s, SNAPSHOT_TOUCHED, i, k, 1, columns_get_marks(&m->columns, k), m->count);
  const last_values_t *last = m->last_values;
  if (!last || last->owner.count == 0)
    return;
  add_section(s, SNAPSHOT_LAST_OWNERS, i, 0, 4, last->owner.items, last->owner.count * sizeof *last->owner.items);
  add_section(s, SNAPSHOT_LAST_REMOVALS, i, 0, 4, last->removal.items,
              last->removal.count * sizeof *last->removal.items);
  if (m->schema.kind == SCHEMA_MANY)
    add_section(s, SNAPSHOT_LAST_INSTANCES, i, 0, 4, last->instance.items,
                last->instance.count * sizeof *last->instance.items);
  add_columns(s, SNAPSHOT_LAST_COLUMN, i, 0, &last->columns);
}

static void add_event(snapshot_o *s, const world_o *w, uint32_t i) {
  const live_event_t *ev = w->events.items[i];
  snapshot_event_t *out = add_scratch_section(s, SNAPSHOT_EVENT, i, 0, sizeof *out);
  *out = (snapshot_event_t){
      .first = ev->shared.first,
      .tick_start = ev->shared.tick_start,
      .count = ev->shared.columns.count,
      .staged_count = ev->staged.count,
  };
  add_schema(s, SNAPSHOT_EVENT_SCHEMA, i, w, w->managers.count + i);
  add_columns(s, SNAPSHOT_EVENT_COLUMN, i, 0, &ev->shared.columns);
  add_columns(s, SNAPSHOT_STAGED_COLUMN, i, 0, &ev->staged);
}

static void add_query(snapshot_o *s, uint32_t i, const query_o *q) {
  snapshot_query_t *out = add_scratch_section(s, SNAPSHOT_QUERY, i, 0, sizeof *out);
  out->term_count = q->term_count;
  out->count = q->count;
  out->grouped = q->grouped;
  for (uint32_t k = 0; k < q->term_count; ++k) {
    out->terms[k].manager = q->terms[k].manager->id - 1;
    out->terms[k].role = q->terms[k].role;
  }
  if (!q->grouped) // a group's entities are not stored, because they are the first owners of the group's components
    add_section(s, SNAPSHOT_QUERY_ROWS, i, 0, 4, q->entities, q->count * sizeof *q->entities);
  int32_t driver = ((const live_query_t *)q)->driver;
  if (driver >= 0)
    add_section(s, SNAPSHOT_QUERY_DRIVER, i, 0, 4, q->terms[driver].rows, q->count * sizeof *q->terms[driver].rows);
}

static void add_watcher(snapshot_o *s, uint32_t i, const watcher_t *watcher) {
  snapshot_watcher_t *header = add_scratch_section(s, SNAPSHOT_WATCHER, i, 0, sizeof *header);
  *header = (snapshot_watcher_t){watcher->system, watcher->query->id - 1};
  uint32_t count = 0, leave_count = 0;
  for (uint32_t k = 0; k < watcher->pending.count; ++k) {
    count += watcher->pending.items[k].entity != SHOAL_ENTITY_NONE;
    leave_count += watcher->pending.items[k].entity != SHOAL_ENTITY_NONE && !watcher->pending.items[k].entered;
  }
  snapshot_watched_t *out = add_scratch_section(s, SNAPSHOT_WATCHED, i, 0, count * sizeof *out);
  for (uint32_t k = 0; k < watcher->pending.count; ++k)
    if (watcher->pending.items[k].entity != SHOAL_ENTITY_NONE)
      *out++ = (snapshot_watched_t){watcher->pending.items[k].entity, watcher->pending.items[k].entered};
  snapshot_leave_t *leaves =
      leave_count > 0 ? add_scratch_section(s, SNAPSHOT_LEAVES, i, 0, leave_count * sizeof *leaves) : NULL;
  for (uint32_t k = 0; k < watcher->pending.count && leave_count > 0; ++k)
    if (watcher->pending.items[k].entity != SHOAL_ENTITY_NONE && !watcher->pending.items[k].entered)
      *leaves++ = (snapshot_leave_t){watcher->pending.items[k].assemblage, watcher->pending.items[k].state,
                                     watcher->pending.items[k].removal};
}

static void add_readers(snapshot_o *s, const world_o *w) {
  snapshot_reader_t *out = add_scratch_section(s, SNAPSHOT_READERS, 0, 0, w->readers.count * sizeof *out);
  for (uint32_t i = 0; i < w->readers.count; ++i) {
    const reader_t *r = &w->readers.items[i];
    out[i] = (snapshot_reader_t){r->reader, r->event - 1, r->next};
  }
}

static void add_block(snapshot_o *s, uint32_t i, const spawn_batch_t *b) {
  snapshot_block_t *header = add_scratch_section(s, SNAPSHOT_BLOCK, i, 0, sizeof *header);
  *header = (snapshot_block_t){b->number, b->assemblage, b->count, b->parts.count};
  add_section(s, SNAPSHOT_BLOCK_ENTITIES, i, 0, 4, b->entities.items, b->count * sizeof(shoal_entity));
  add_section(s, SNAPSHOT_BLOCK_CHILDREN, i, 0, 4, b->descendants.items, b->descendants.count * sizeof(command_t));
  snapshot_part_t *parts = add_scratch_section(s, SNAPSHOT_BLOCK_PARTS, i, 0, b->parts.count * sizeof *parts);
  for (uint32_t k = 0; k < b->parts.count; ++k)
    parts[k] = (snapshot_part_t){b->parts.items[k].manager - 1, b->parts.items[k].instance, b->parts.items[k].staged};
  for (uint32_t k = 0; k < b->parts.count; ++k)
    if (b->parts.items[k].staged)
      add_columns(s, SNAPSHOT_BLOCK_COLUMN, i, k * SCHEMA_MAX_FIELDS, &b->parts.items[k].columns);
}

// Adds a component's own storage: data besides its columns.
static void add_storage(snapshot_o *s, uint32_t i, manager_o *m) {
  size_t bytes = m->hooks.save ? m->hooks.save_bytes(m->hooks.context, m) : 0;
  if (bytes > 0)
    m->hooks.save(m->hooks.context, m,
                  add_scratch_section(s, SNAPSHOT_OWN_STORAGE, i, m->hooks.storage_version, bytes));
  else if (!m->hooks.save && manager_has_foreign_storage(m))
    add_section(s, SNAPSHOT_OWN_STORAGE, i, m->foreign_storage.version, 1, m->foreign_storage.bytes,
                m->foreign_storage.size);
}

static void add_world_sections(snapshot_o *s, const world_o *w) {
  add_facts(s, w);
  add_strings(s, w);
  add_entities(s, &w->entities);
  add_assemblages(s, w);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    add_manager(s, i, w->managers.items[i]);
  for (uint32_t i = 0; i < w->events.count; ++i)
    add_event(s, w, i);
  for (uint32_t i = 0; i < w->queries.count; ++i)
    add_query(s, i, w->queries.items[i]);
  for (uint32_t i = 0; i < w->watchers.count; ++i)
    add_watcher(s, i, &w->watchers.items[i]);
  add_readers(s, w);
  if (w->event_deaths.deaths.count > 0)
    add_section(s, SNAPSHOT_EVENT_DEATHS, 0, 0, 4, w->event_deaths.deaths.items,
                w->event_deaths.deaths.count * sizeof *w->event_deaths.deaths.items);
  add_section(s, SNAPSHOT_COMMANDS, 0, 0, 4, w->commands.items, w->commands.count * sizeof(command_t));
  add_section(s, SNAPSHOT_LISTS, 0, 0, 4, w->lists.items, w->lists.count * sizeof *w->lists.items);
  add_section(s, SNAPSHOT_LIST_VALUES, 0, 0, 4, w->list_values.items,
              w->list_values.count * sizeof *w->list_values.items);
  for (uint32_t i = 0; i < w->blocks.count; ++i)
    add_block(s, i, w->blocks.items[i]);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    add_storage(s, i, w->managers.items[i]);
}

// --- the buffer

static size_t align_size(size_t bytes) {
  return (bytes + SNAPSHOT_ALIGNMENT - 1) / SNAPSHOT_ALIGNMENT * SNAPSHOT_ALIGNMENT;
}

void *snapshot_reserve(snapshot_o *s, size_t size) {
  shoal_assert(s->capacity > 0 || !s->bytes, "cannot change a snapshot whose bytes are borrowed");
  s->is_taken = false;
  if (size > s->capacity) {
    // Allocates slack, because the next snapshot is probably slightly larger, or much larger if the world has already
    // grown.
    size_t capacity = size + size / (s->capacity > 0 ? 4 : 32);
    alloc_free_aligned(s->allocator, s->bytes, s->capacity);
    s->bytes = alloc_aligned(s->allocator, capacity);
    s->capacity = capacity;
  }
  s->size = size;
  return s->bytes;
}

static size_t get_table_end(const snapshot_o *s) {
  return sizeof(snapshot_header_t) + s->items.count * sizeof(snapshot_section_t);
}

// Sets the offsets of the sections and returns the size of the snapshot.
static size_t place_items(snapshot_o *s) {
  size_t size = align_size(get_table_end(s));
  for (uint32_t i = 0; i < s->items.count; ++i) {
    s->items.items[i].section.offset = size;
    size += align_size(s->items.items[i].section.bytes);
  }
  return size;
}

static void copy_items(const snapshot_o *s, uint8_t *bytes, size_t size) {
  size_t table_end = get_table_end(s);
  snapshot_header_t header = {.format = SNAPSHOT_FORMAT, .section_count = s->items.count, .size = size};
  memcpy(header.magic, SNAPSHOT_MAGIC, sizeof header.magic);
  memcpy(bytes, &header, sizeof header);
  snapshot_section_t *table = (snapshot_section_t *)(bytes + sizeof header);
  memset(bytes + table_end, 0, align_size(table_end) - table_end);
  for (uint32_t i = 0; i < s->items.count; ++i) {
    const item_t *item = &s->items.items[i];
    size_t used = item->section.bytes;
    table[i] = item->section;
    if (used == 0)
      continue;
    if (item->pages)
      sparse_copy((uint32_t *)(void *)(bytes + item->section.offset), item->pages, (uint32_t)(used / sizeof(uint32_t)));
    else
      memcpy(bytes + item->section.offset, item->data ? item->data : s->scratch.items + item->scratch, used);
    memset(bytes + item->section.offset + used, 0, align_size(used) - used);
  }
}

// Lists the sections of the world. Returns true on success, or false with a message if columns of new entities are
// still being filled, or if definitions are pending.
static bool list_items(snapshot_o *s, world_o *w, error_info_t *error) {
  shoal_assert(!w->applying, "cannot take a snapshot while commands are applied");
  s->size = s->items.count = s->scratch.count = 0;
  for (uint32_t i = 0; i < w->blocks.count; ++i)
    if (!w->blocks.items[i]->committed)
      return error_set(error, "cannot take a snapshot while the columns of new entities are being filled");
  if (w->content && w->content->has_pending_definitions(w))
    return error_set(error, "cannot take a snapshot in a system that has called world.define: its definitions take "
                            "effect when the system ends");
  store_schemas(w);
  add_world_sections(s, w);
  return true;
}

bool snapshot_take(snapshot_o *s, world_o *w, error_info_t *error) {
  if (!list_items(s, w, error))
    return false;
  size_t size = place_items(s);
  copy_items(s, snapshot_reserve(s, size), size);
  s->is_taken = true;
  return true;
}

size_t snapshot_write(world_o *w, void *bytes, size_t capacity, error_info_t *error) {
  snapshot_o *s = snapshot_create(&w->allocator);
  size_t size = list_items(s, w, error) ? place_items(s) : 0;
  bool is_aligned = (uintptr_t)bytes % _Alignof(snapshot_section_t) == 0;
  if (size > 0 && capacity >= size && is_aligned) {
    copy_items(s, bytes, size);
  } else if (size > 0 && capacity >= size) {
    copy_items(s, snapshot_reserve(s, size), size);
    memcpy(bytes, s->bytes, size);
  }
  snapshot_release(s);
  return size;
}

// --- raw bytes

const void *snapshot_bytes(const snapshot_o *s, size_t *size) {
  *size = s->size;
  return s->bytes;
}

void snapshot_set_bytes(snapshot_o *s, const void *bytes, size_t size) {
  shoal_assert(bytes || size == 0, "bytes must not be NULL (size %zu)", size);
  void *buffer = snapshot_reserve(s, size);
  if (size > 0)
    memcpy(buffer, bytes, size);
}

void snapshot_copy(snapshot_o *target, const snapshot_o *source) {
  shoal_assert(target != source, "target and source must be different snapshots");
  snapshot_set_bytes(target, source->bytes, source->size);
}

bool snapshot_is_equal(const snapshot_o *a, const snapshot_o *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

size_t snapshot_size(const snapshot_o *s) {
  return s->size;
}

snapshot_table_t snapshot_table(const snapshot_o *s) {
  snapshot_table_t t = {.bytes = s->bytes, .size = s->size};
  snapshot_header_t header;
  if (s->size < sizeof header)
    return t;
  memcpy(&header, s->bytes, sizeof header);
  if (memcmp(header.magic, SNAPSHOT_MAGIC, sizeof header.magic) != 0 || header.size != s->size ||
      header.section_count > (s->size - sizeof header) / sizeof(snapshot_section_t))
    return t;
  const snapshot_section_t *table = (const snapshot_section_t *)(const void *)(s->bytes + sizeof header);
  size_t header_size = sizeof header + header.section_count * sizeof *table;
  for (uint32_t i = 0; i < header.section_count && !s->is_taken; ++i)
    if (table[i].offset % SNAPSHOT_ALIGNMENT != 0 || table[i].offset < header_size || table[i].offset > s->size ||
        table[i].bytes > s->size - table[i].offset)
      return t;
  t.table = table;
  t.header_size = header_size;
  t.count = header.section_count;
  t.format = header.format;
  return t;
}

bool snapshot_has_same_sections(const snapshot_table_t *a, const snapshot_table_t *b) {
  bool same = a->table && b->table && a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; ++i)
    same = a->table[i].kind == b->table[i].kind && a->table[i].a == b->table[i].a && a->table[i].b == b->table[i].b &&
           a->table[i].element == b->table[i].element;
  return same;
}

uint64_t snapshot_tick(const snapshot_o *s) {
  snapshot_table_t t = snapshot_table(s);
  if (t.count == 0 || t.table[0].kind != SNAPSHOT_INFO || t.table[0].bytes != sizeof(snapshot_info_t))
    return 0;
  return ((const snapshot_info_t *)(const void *)(s->bytes + t.table[0].offset))->tick;
}

// Returns the contents of the first section with this kind and `a`, and stores its number of elements. Returns NULL if
// the snapshot lacks the section.
static const void *find_section(const snapshot_o *s, snapshot_kind_t kind, uint32_t a, size_t element,
                                uint64_t *count) {
  snapshot_table_t t = snapshot_table(s);
  for (uint32_t i = 0; i < t.count; ++i) {
    if (t.table[i].kind != (uint32_t)kind || t.table[i].a != a)
      continue;
    *count = t.table[i].bytes / element;
    return t.bytes + t.table[i].offset;
  }
  *count = 0;
  return NULL;
}

bool snapshot_is_alive(const snapshot_o *s, shoal_entity e) {
  uint64_t generation_count, alive_count;
  uint32_t index = shoal_entity_index(e);
  const uint8_t *generations = find_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_GENERATION, 1, &generation_count);
  const uint8_t *alive = find_section(s, SNAPSHOT_ENTITIES, SNAPSHOT_ALIVE, 1, &alive_count);
  return index < generation_count && index < alive_count && alive[index] &&
         generations[index] == shoal_entity_generation(e);
}

bool snapshot_has_string(const snapshot_o *s, uint32_t id, const char *text) {
  uint64_t count, size;
  const strings_entry_t *entries = find_section(s, SNAPSHOT_STRINGS, 0, sizeof *entries, &count);
  const char *texts = find_section(s, SNAPSHOT_TEXTS, 0, 1, &size);
  size_t length = strlen(text);
  return id < count && entries[id].length == length && entries[id].offset <= size &&
         length <= size - entries[id].offset && memcmp(texts + entries[id].offset, text, length) == 0;
}
