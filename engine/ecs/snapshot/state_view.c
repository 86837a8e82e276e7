// Opens snapshots. The bytes may come from a damaged or malicious file, so every number is checked before use. Sections
// must be in the order in which snapshot.c writes them, and no further section may follow.
#include "snapshot/state_view.h"

#include "base/assert.h"
#include "schema/bit_names.h"

#include <string.h>

typedef struct state_reader_t {
  state_view_t *v;
  error_info_t *error;
  uint32_t next_section; // index of the next section
} state_reader_t;

bool state_set_damaged(error_info_t *error, const char *what) {
  return error_set(error, "the snapshot is damaged: %s", what);
}

// --- memory

void *state_alloc(state_view_t *v, size_t bytes) {
  void *memory = alloc_resize(v->allocator, NULL, 0, bytes + 1);
  array_push(v->allocator, &v->allocations, memory);
  array_push(v->allocator, &v->allocation_sizes, bytes + 1);
  return memset(memory, 0, bytes + 1);
}

columns_t *state_create_columns(state_view_t *v, const schema_t *schema, const double *initial, bool marked) {
  columns_t *c = state_alloc(v, sizeof *c);
  shoal_assert(schema, "schema must not be NULL");
  columns_init(c, schema, initial, v->allocator);
  columns_track_changes(c, marked);
  array_push(v->allocator, &v->created_columns, c);
  return c;
}

void state_close(state_view_t *v) {
  if (!v)
    return;
  allocator_t *a = v->allocator;
  shoal_assert(v->allocations.count == v->allocation_sizes.count, "%u blocks of memory, but %u sizes",
               v->allocations.count, v->allocation_sizes.count);
  strings_destroy(v->strings);
  for (uint32_t i = 0; i < v->created_columns.count; ++i)
    columns_fini(v->created_columns.items[i]);
  for (uint32_t i = 0; i < v->allocations.count; ++i)
    alloc_resize(a, v->allocations.items[i], v->allocation_sizes.items[i], 0);
  array_free(a, &v->created_columns);
  array_free(a, &v->allocations);
  array_free(a, &v->allocation_sizes);
  alloc_resize(a, v, sizeof *v, 0);
}

// --- sections

static bool is_next_section(const state_reader_t *reader, snapshot_kind_t kind, uint32_t a) {
  const snapshot_section_t *s = &reader->v->table.table[reader->next_section];
  return reader->next_section < reader->v->table.count && s->kind == (uint32_t)kind && s->a == a;
}

// Opens the next section, and sets the pointer at address `out` to its first element. Returns true on success, or false
// with a message if the section has a different kind, `a` or `b`, or an invalid size.
static bool open_section(state_reader_t *reader, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element,
                         const void *out, uint32_t *count) {
  const snapshot_section_t *s = &reader->v->table.table[reader->next_section];
  shoal_assert(element > 0, "element must not be 0 (section %u)", reader->next_section);
  if (!is_next_section(reader, kind, a) || s->b != b)
    return state_set_damaged(reader->error, "a section is missing");
  ++reader->next_section;
  uint64_t element_count = s->bytes / element;
  if (s->bytes % element != 0 || element_count > UINT32_MAX / 4)
    return state_set_damaged(reader->error, "invalid section size");
  const void *data = reader->v->table.bytes + s->offset;
  memcpy((void *)(uintptr_t)out, &data, sizeof data);
  *count = (uint32_t)element_count;
  return true;
}

static bool open_counted_section(state_reader_t *reader, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element,
                                 const void *out, uint32_t expected) {
  uint32_t count = 0;
  return open_section(reader, kind, a, b, element, out, &count) &&
         (count == expected || state_set_damaged(reader->error, "sections of different lengths"));
}

static bool open_facts(state_reader_t *reader) {
  state_view_t *v = reader->v;
  if (!open_counted_section(reader, SNAPSHOT_INFO, 0, 0, sizeof *v->info, &v->info, 1))
    return false;
  const snapshot_info_t *f = v->info;
  uint32_t max = v->table.count; // every component, event and so on has at least one section
  if (f->manager_count > max || f->event_count > max || f->query_count > max || f->watcher_count > max ||
      f->block_count > max || f->tick_rate == 0)
    return state_set_damaged(reader->error, "invalid counts or tick rate");
  v->components = state_alloc(v, f->manager_count * sizeof *v->components);
  v->event_rows = state_alloc(v, f->event_count * sizeof *v->event_rows);
  v->events = state_alloc(v, f->event_count * sizeof *v->events);
  v->queries = state_alloc(v, f->query_count * sizeof *v->queries);
  v->watchers = state_alloc(v, f->watcher_count * sizeof *v->watchers);
  v->blocks = state_alloc(v, f->block_count * sizeof *v->blocks);
  return true;
}

static bool open_texts(state_reader_t *reader) {
  state_view_t *v = reader->v;
  return open_section(reader, SNAPSHOT_STRINGS, 0, 0, sizeof *v->texts, &v->texts, &v->text_count) &&
         open_section(reader, SNAPSHOT_TEXTS, 0, 0, 1, &v->text_bytes, &v->text_size);
}

static bool open_entities(state_reader_t *reader) {
  state_view_t *v = reader->v;
  uint32_t used = v->info->entities_used;
  return open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_GENERATION, 0, 1, &v->generation, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_ALIVE, 0, 1, &v->alive, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_ASSEMBLAGE, 0, 4, &v->assemblage, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_STATE, 0, 4, &v->state, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_TICK, 0, 4, &v->died_tick, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_BY, 0, 4, &v->died_by, used) &&
         open_counted_section(reader, SNAPSHOT_ENTITIES, SNAPSHOT_FREE_RING, 0, 4, &v->free_ring,
                              v->info->free_capacity) &&
         open_section(reader, SNAPSHOT_ASSEMBLAGES, 0, 0, 4, &v->assemblage_names, &v->assemblage_count);
}

// --- schemas

static bool is_valid_name(const char *name, size_t capacity) {
  return name[0] != '\0' && memchr(name, '\0', capacity) != NULL;
}

static bool check_choices(const snapshot_field_t *f, const char *names, const char *end) {
  if (f->choice_count > (f->type == FIELD_U32 ? BIT_NAMES_MAX : 256) || f->choices_bytes > (size_t)(end - names))
    return false;
  uint32_t end_count = 0;
  for (uint32_t i = 0; i < f->choices_bytes; ++i)
    end_count += names[i] == '\0';
  return end_count == f->choice_count && (f->choices_bytes == 0 || names[f->choices_bytes - 1] == '\0');
}

// Compares the first bytes beforehand: they usually differ, and each restore compares every name with all earlier
// names.
static bool is_same_name(const char *a, const char *b) {
  return a[0] == b[0] && strcmp(a, b) == 0;
}

// Returns true if an earlier field has the same name. Names must be unique, because lookups return the first match.
static bool is_duplicate_field_name(const snapshot_field_t *fields, uint32_t i) {
  for (uint32_t k = 0; k < i; ++k)
    if (is_same_name(fields[k].name, fields[i].name))
      return true;
  return false;
}

static bool is_duplicate_table_name(const state_rows_t *rows, uint32_t number) {
  for (uint32_t i = 0; i < number; ++i)
    if (is_same_name(rows[i].schema->name, rows[number].schema->name))
      return true;
  return false;
}

static bool open_schema(state_reader_t *reader, snapshot_kind_t kind, uint32_t number, state_rows_t *out) {
  const char *bytes = NULL;
  uint32_t size = 0;
  if (!open_section(reader, kind, number, 0, 1, &bytes, &size))
    return false;
  const snapshot_schema_t *header = (const snapshot_schema_t *)(const void *)bytes;
  shoal_assert(header, "the section of schema %u (kind %d) has no data", number, (int)kind);
  if (size < sizeof *header || !is_valid_name(header->name, sizeof header->name) || header->kind > SCHEMA_EVENT ||
      header->field_count > SCHEMA_MAX_FIELDS || size < sizeof *header + header->field_count * sizeof(snapshot_field_t))
    return state_set_damaged(reader->error, "invalid schema");
  out->schema = header;
  if (is_duplicate_table_name(out - number, number))
    return state_set_damaged(reader->error, "duplicate schema name");
  out->fields = (const snapshot_field_t *)(const void *)(header + 1);
  const char *names = (const char *)(out->fields + header->field_count);
  for (uint32_t i = 0; i < header->field_count; ++i) {
    const snapshot_field_t *f = &out->fields[i];
    if (!is_valid_name(f->name, sizeof f->name) || field_size((field_type_t)f->type) == 0 ||
        is_duplicate_field_name(out->fields, i))
      return state_set_damaged(reader->error, "invalid schema field");
    if (!check_choices(f, names, bytes + size))
      return state_set_damaged(reader->error, "invalid field choices");
    out->choices[i] = names;
    names += f->choices_bytes;
  }
  return true;
}

void state_get_schema(const state_rows_t *rows, schema_buffer_t *out) {
  shoal_assert(rows->schema, "the rows were made by a migration and have no schema");
  schema_init(out, rows->schema->name, (schema_kind_t)rows->schema->kind, "");
  out->schema.field_count = rows->schema->field_count;
  memset(out->fields, 0, out->schema.field_count * sizeof *out->fields);
  for (uint32_t i = 0; i < out->schema.field_count; ++i) {
    const snapshot_field_t *f = &rows->fields[i];
    memcpy(out->fields[i].name, f->name, sizeof f->name);
    out->fields[i].renamed_from = "";
    out->fields[i].type = (field_type_t)f->type;
    // Snapshots do not contain flags. Therefore f32 fields whose names end with .x, .y, .z or .w count as parts of a
    // vector, even if they belong to a record.
    const char *axis = f->type == FIELD_F32 ? strrchr(f->name, '.') : NULL;
    out->fields[i].flags = axis && axis[1] && !axis[2] && strchr("xyzw", axis[1]) ? FIELD_IS_AXIS : 0;
    // cast away const: the choices must not be written
    out->fields[i].choices = f->choices_bytes > 0 ? (char *)(uintptr_t)rows->choices[i] : NULL;
    out->fields[i].choice_count = f->choice_count;
  }
  schema_flag_list_columns(&out->schema);
}

// --- rows

// Returns true if no boolean or enum value is out of range; otherwise returns false with an error.
static bool check_values(state_reader_t *reader, const state_rows_t *rows, uint32_t column, const void *data,
                         uint32_t count) {
  const snapshot_field_t *f = &rows->fields[column];
  if (f->type != FIELD_BOOL && f->type != FIELD_ENUM)
    return true;
  uint8_t highest = 0, max = f->type == FIELD_BOOL ? 1 : (uint8_t)(f->choice_count > 0 ? f->choice_count - 1 : 0);
  for (uint32_t i = 0; i < count; ++i)
    highest = ((const uint8_t *)data)[i] > highest ? ((const uint8_t *)data)[i] : highest;
  return highest <= max ||
         error_set(reader->error, "the snapshot is damaged: value of %s.%s out of range", rows->schema->name, f->name);
}

static bool open_columns(state_reader_t *reader, snapshot_kind_t kind, uint32_t a, uint32_t first_b,
                         const state_rows_t *rows, uint32_t count, const void **out) {
  for (uint32_t i = 0; i < rows->schema->field_count; ++i)
    if (!open_counted_section(reader, kind, a, first_b + i, field_size((field_type_t)rows->fields[i].type), &out[i],
                              count) ||
        !check_values(reader, rows, i, out[i], count))
      return false;
  return true;
}

static bool open_marks(state_reader_t *reader, uint32_t number, state_rows_t *rows) {
  while (is_next_section(reader, SNAPSHOT_TOUCHED, number)) {
    uint32_t column = reader->v->table.table[reader->next_section].b;
    if (column >= rows->schema->field_count)
      return state_set_damaged(reader->error, "marks of an unknown field");
    if (!open_counted_section(reader, SNAPSHOT_TOUCHED, number, column, 1, &rows->marks[column], rows->count))
      return false;
  }
  return true;
}

static bool open_chains(state_reader_t *reader, uint32_t number, state_rows_t *rows) {
  if (!open_counted_section(reader, SNAPSHOT_INSTANCES, number, 0, 4, &rows->instance, rows->count) ||
      !open_counted_section(reader, SNAPSHOT_NEXT, number, 0, 4, &rows->next, rows->count))
    return false;
  bool valid = true;
  for (uint32_t i = 0; i < rows->count; ++i)
    valid &= rows->next[i] < rows->count || rows->next[i] == ROW_NONE;
  return valid || state_set_damaged(reader->error, "invalid component rows");
}

static bool open_last_values(state_reader_t *reader, uint32_t number, state_rows_t *rows) {
  if (!is_next_section(reader, SNAPSHOT_LAST_OWNERS, number))
    return true;
  if (!open_section(reader, SNAPSHOT_LAST_OWNERS, number, 0, sizeof *rows->last_owner, &rows->last_owner,
                    &rows->last_count))
    return false;
  if (rows->schema->kind == SCHEMA_SINGLE || rows->last_count > UINT32_MAX / 4)
    return state_set_damaged(reader->error, "invalid last values of a component");
  return open_counted_section(reader, SNAPSHOT_LAST_REMOVALS, number, 0, 4, &rows->last_removal, rows->last_count) &&
         (rows->schema->kind != SCHEMA_MANY || open_counted_section(reader, SNAPSHOT_LAST_INSTANCES, number, 0, 4,
                                                                    &rows->last_instance, rows->last_count)) &&
         open_columns(reader, SNAPSHOT_LAST_COLUMN, number, 0, rows, rows->last_count, rows->last_columns);
}

static bool open_component(state_reader_t *reader, uint32_t number) {
  state_rows_t *rows = &reader->v->components[number];
  if (!open_schema(reader, SNAPSHOT_SCHEMA, number, rows) ||
      !open_section(reader, SNAPSHOT_OWNERS, number, 0, sizeof *rows->owner, &rows->owner, &rows->count))
    return false;
  if (rows->count > SHOAL_ENTITY_MAX_ALIVE * 64u)
    return state_set_damaged(reader->error, "too many rows");
  return (rows->schema->kind != SCHEMA_MANY || open_chains(reader, number, rows)) &&
         open_columns(reader, SNAPSHOT_COLUMN, number, 0, rows, rows->count, rows->columns) &&
         open_marks(reader, number, rows) && open_last_values(reader, number, rows);
}

static bool open_event(state_reader_t *reader, uint32_t number) {
  state_event_t *event = &reader->v->events[number];
  state_rows_t *rows = &reader->v->event_rows[number];
  if (!open_counted_section(reader, SNAPSHOT_EVENT, number, 0, sizeof *event->info, &event->info, 1) ||
      !open_schema(reader, SNAPSHOT_EVENT_SCHEMA, number, rows))
    return false;
  if (event->info->tick_start < event->info->first ||
      event->info->tick_start - event->info->first > event->info->count || event->info->count > UINT32_MAX / 4 ||
      event->info->staged_count > UINT32_MAX / 4)
    return state_set_damaged(reader->error, "invalid event counts");
  rows->count = event->info->count;
  return open_columns(reader, SNAPSHOT_EVENT_COLUMN, number, 0, rows, rows->count, rows->columns) &&
         open_columns(reader, SNAPSHOT_STAGED_COLUMN, number, 0, rows, event->info->staged_count, event->staged);
}

// --- queries, watchers, readers

static bool open_query(state_reader_t *reader, uint32_t number) {
  state_query_t *query = &reader->v->queries[number];
  if (!open_counted_section(reader, SNAPSHOT_QUERY, number, 0, sizeof *query->header, &query->header, 1))
    return false;
  if (query->header->term_count > QUERY_MAX_TERMS)
    return state_set_damaged(reader->error, "a query has too many terms");
  for (uint32_t i = 0; i < query->header->term_count; ++i)
    if (query->header->terms[i].manager >= reader->v->info->manager_count ||
        query->header->terms[i].role > QUERY_OPTIONAL)
      return state_set_damaged(reader->error, "invalid query term");
  if (query->header->grouped > 1)
    return state_set_damaged(reader->error, "invalid query rows");
  return (query->header->grouped ||
          open_counted_section(reader, SNAPSHOT_QUERY_ROWS, number, 0, 4, &query->entities, query->header->count)) &&
         (!is_next_section(reader, SNAPSHOT_QUERY_DRIVER, number) ||
          open_counted_section(reader, SNAPSHOT_QUERY_DRIVER, number, 0, 4, &query->driver_rows, query->header->count));
}

static bool open_watcher(state_reader_t *reader, uint32_t number) {
  state_watcher_t *watcher = &reader->v->watchers[number];
  if (!open_counted_section(reader, SNAPSHOT_WATCHER, number, 0, sizeof *watcher->header, &watcher->header, 1) ||
      !open_section(reader, SNAPSHOT_WATCHED, number, 0, sizeof *watcher->pending, &watcher->pending, &watcher->count))
    return false;
  uint32_t leave_count = 0;
  bool valid = watcher->header->query < reader->v->info->query_count;
  for (uint32_t i = 0; i < watcher->count && valid; ++i) {
    snapshot_watched_t entry = watcher->pending[i];
    valid = entry.entered <= 1 && shoal_entity_index(entry.entity) != 0 && entry.entity >> 30 == 0;
    leave_count += entry.entered == 0;
  }
  if (valid && is_next_section(reader, SNAPSHOT_LEAVES, number) &&
      !open_counted_section(reader, SNAPSHOT_LEAVES, number, 0, sizeof *watcher->leaves, &watcher->leaves, leave_count))
    return false;
  for (uint32_t i = 0; i < leave_count && watcher->leaves && valid; ++i)
    valid = watcher->leaves[i].assemblage < reader->v->text_count && watcher->leaves[i].state < reader->v->text_count;
  return valid || state_set_damaged(reader->error, "invalid system watcher");
}

static bool open_readers(state_reader_t *reader) {
  state_view_t *v = reader->v;
  if (!open_section(reader, SNAPSHOT_READERS, 0, 0, sizeof *v->readers, &v->readers, &v->reader_count))
    return false;
  for (uint32_t i = 0; i < v->reader_count; ++i)
    if (v->readers[i].event >= v->info->event_count)
      return state_set_damaged(reader->error, "invalid read position of a system");
  return true;
}

static bool open_event_deaths(state_reader_t *reader) {
  state_view_t *v = reader->v;
  if (!is_next_section(reader, SNAPSHOT_EVENT_DEATHS, 0))
    return true;
  if (!open_section(reader, SNAPSHOT_EVENT_DEATHS, 0, 0, sizeof *v->event_deaths, &v->event_deaths,
                    &v->event_death_count))
    return false;
  bool valid = true;
  for (uint32_t i = 0; i < v->event_death_count; ++i) {
    const event_death_t *d = &v->event_deaths[i];
    valid &= shoal_entity_index(d->entity) != 0 && d->entity >> 30 == 0 && d->state < v->text_count &&
             shoal_entity_index(d->entity) < v->info->entities_used && d->removal < UINT32_MAX &&
             d->group <= v->info->event_count / EVENT_DEATHS_GROUP;
  }
  return valid || state_set_damaged(reader->error, "invalid event entity");
}

// --- the queue

static bool open_block(state_reader_t *reader, uint32_t number) {
  state_view_t *v = reader->v;
  state_block_t *block = &v->blocks[number];
  if (!open_counted_section(reader, SNAPSHOT_BLOCK, number, 0, sizeof *block->header, &block->header, 1) ||
      !open_counted_section(reader, SNAPSHOT_BLOCK_ENTITIES, number, 0, 4, &block->entities, block->header->count) ||
      !open_section(reader, SNAPSHOT_BLOCK_CHILDREN, number, 0, sizeof *block->children, &block->children,
                    &block->child_count) ||
      !open_counted_section(reader, SNAPSHOT_BLOCK_PARTS, number, 0, sizeof *block->parts, &block->parts,
                            block->header->part_count))
    return false;
  block->columns = state_alloc(v, block->header->part_count * sizeof *block->columns);
  for (uint32_t i = 0; i < block->header->part_count; ++i) {
    const snapshot_part_t *p = &block->parts[i];
    if (p->staged > 1 || p->manager >= v->info->manager_count)
      return state_set_damaged(reader->error, "invalid spawn block part");
    if (p->staged && !open_columns(reader, SNAPSHOT_BLOCK_COLUMN, number, i * SCHEMA_MAX_FIELDS,
                                   &v->components[p->manager], block->header->count, block->columns[i]))
      return false;
  }
  return true;
}

static bool open_queue(state_reader_t *reader) {
  state_view_t *v = reader->v;
  return open_section(reader, SNAPSHOT_COMMANDS, 0, 0, sizeof *v->commands, &v->commands, &v->command_count) &&
         open_section(reader, SNAPSHOT_LISTS, 0, 0, sizeof *v->lists, &v->lists, &v->list_count) &&
         open_section(reader, SNAPSHOT_LIST_VALUES, 0, 0, sizeof *v->list_values, &v->list_values,
                      &v->list_value_count);
}

// Opens the components' own storage, which is in the last sections, in component order. Returns true on success. The
// components check the contents of their storage themselves.
static bool open_storage(state_reader_t *reader) {
  state_view_t *v = reader->v;
  for (uint32_t next = 0; reader->next_section < v->table.count; ++reader->next_section) {
    const snapshot_section_t *s = &v->table.table[reader->next_section];
    if (s->kind != SNAPSHOT_OWN_STORAGE)
      return error_set(reader->error, "the snapshot contains a section that this version cannot read");
    if (s->a < next || s->a >= v->info->manager_count || s->bytes == 0)
      return state_set_damaged(reader->error, "storage of an unknown component");
    state_rows_t *rows = &v->components[s->a];
    rows->storage = v->table.bytes + s->offset;
    rows->storage_bytes = s->bytes;
    rows->storage_version = s->b;
    next = s->a + 1;
  }
  return true;
}

// --- the whole state

// Opens `expected` items. After a failure, `count` is the number of complete items.
static bool open_items(state_reader_t *reader, bool (*open)(state_reader_t *reader, uint32_t number), uint32_t expected,
                       uint32_t *count) {
  for (*count = 0; *count < expected; ++*count)
    if (!open(reader, *count))
      return false;
  return true;
}

static bool open_all_sections(state_reader_t *reader) {
  state_view_t *v = reader->v;
  if (!open_facts(reader) || !open_texts(reader) || !open_entities(reader))
    return false;
  const snapshot_info_t *f = v->info;
  return open_items(reader, open_component, f->manager_count, &v->component_count) &&
         open_items(reader, open_event, f->event_count, &v->event_count) &&
         open_items(reader, open_query, f->query_count, &v->query_count) &&
         open_items(reader, open_watcher, f->watcher_count, &v->watcher_count) && open_readers(reader) &&
         open_event_deaths(reader) && open_queue(reader) &&
         open_items(reader, open_block, f->block_count, &v->block_count) && open_storage(reader);
}

state_view_t *state_open(const snapshot_o *s, allocator_t *a, error_info_t *error) {
  snapshot_table_t table = snapshot_table(s);
  if (!table.table) {
    error_set(error, "the data is damaged or not a snapshot");
    return NULL;
  }
  if (table.format != SNAPSHOT_FORMAT) {
    error_set(error, "the snapshot has format %u, but this version of Shoal reads format %u", table.format,
              SNAPSHOT_FORMAT);
    return NULL;
  }
  state_view_t *v = alloc_resize(a, NULL, 0, sizeof *v);
  *v = (state_view_t){.allocator = a, .table = table};
  state_reader_t reader = {.v = v, .error = error};
  if (open_all_sections(&reader)) {
    shoal_assert(reader.next_section == table.count, "only %u of %u sections were read", reader.next_section,
                 table.count);
    return v;
  }
  state_close(v);
  return NULL;
}

// --- strings

const char *state_text(const state_view_t *v, uint32_t id, size_t *length) {
  *length = v->strings ? strings_length(v->strings, id) : 0;
  if (v->strings)
    return strings_text(v->strings, id);
  if (id == 0 || id >= v->text_count)
    return "";
  const strings_entry_t *e = &v->texts[id];
  if (e->offset > v->text_size || e->length > v->text_size - e->offset)
    return "";
  *length = e->length;
  return v->text_bytes + e->offset;
}

bool state_load_strings(state_view_t *v, world_o *w, error_info_t *error) {
  if (!v->strings)
    v->strings = strings_load(&w->allocator, v->texts, v->text_count, v->text_bytes, v->text_size,
                              v->info->strings_used_after_sweep, error);
  return v->strings != NULL;
}

// --- resolving components and events

const state_rows_t *state_find_rows(const state_rows_t *rows, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; ++i)
    if (rows[i].schema && strcmp(rows[i].schema->name, name) == 0)
      return &rows[i];
  return NULL;
}

bool state_resolve_component(state_view_t *v, uint32_t number, manager_o *m) {
  shoal_assert(m, "m must not be NULL (component %u)", number);
  shoal_assert(number < v->component_count, "component %u is out of range (count %u)", number, v->component_count);
  for (uint32_t i = 0; i < number; ++i)
    if (v->components[i].manager == m)
      return false;
  v->components[number].manager = m;
  return true;
}

static bool check_same_schema(const state_rows_t *rows, const schema_t *schema, schema_buffer_t *scratch,
                              error_info_t *error) {
  error_info_t difference;
  state_get_schema(rows, scratch);
  return schema_has_same_layout(&scratch->schema, schema, &difference) ||
         error_set(error, "the snapshot was taken with a different schema: %.900s", difference.text);
}

static bool resolve_component(state_view_t *v, uint32_t i, world_o *w, schema_buffer_t *scratch, error_info_t *error) {
  const char *name = v->components[i].schema->name;
  manager_o *m = world_manager(w, i + 1); // component ids usually match
  if (!m || strcmp(m->schema.name, name) != 0)
    m = world_find_manager(w, name);
  if (!m)
    return error_set(error, "the snapshot contains the component %s, which is not declared", name);
  return (state_resolve_component(v, i, m) || state_set_damaged(error, "duplicate component")) &&
         check_same_schema(&v->components[i], &m->schema, scratch, error);
}

static bool resolve_event(state_view_t *v, uint32_t i, world_o *w, schema_buffer_t *scratch, error_info_t *error) {
  const state_rows_t *rows = &v->event_rows[i];
  const event_o *ev = world_find_event(w, rows->schema->name);
  if (!ev)
    return error_set(error, "the snapshot contains the event %s, which is not declared", rows->schema->name);
  v->events[i].event = w->events.items[ev->id - 1];
  for (uint32_t k = 0; k < i; ++k)
    if (v->events[k].event == v->events[i].event)
      return state_set_damaged(error, "duplicate event");
  return check_same_schema(rows, &ev->schema, scratch, error);
}

bool state_resolve_declarations(state_view_t *v, world_o *w, error_info_t *error) {
  shoal_assert(!v->resolved_world || v->resolved_world == w, "the state was resolved for a different world");
  if (v->resolved_world)
    return true;
  schema_buffer_t *scratch = alloc_resize(v->allocator, NULL, 0, sizeof *scratch); // too large for the stack
  bool valid = true;
  for (uint32_t i = 0; i < v->component_count && valid; ++i)
    valid = resolve_component(v, i, w, scratch, error);
  for (uint32_t i = 0; i < v->event_count && valid; ++i)
    valid = resolve_event(v, i, w, scratch, error);
  alloc_resize(v->allocator, scratch, sizeof *scratch, 0);
  v->resolved_world = valid ? w : NULL;
  return valid;
}
