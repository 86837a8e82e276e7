// Opens snapshots. The bytes may come from a damaged or malicious file, so every number is checked before use. Sections
// must be in the order in which snapshot.c writes them, and no section may be left over.
#include "snapshot/state_view.h"

#include "base/assert.h"
#include "schema/bit_names.h"

#include <string.h>

typedef struct opening_t {
  state_view_t *v;
  error_info_t *error;
  uint32_t at; // index of the next section
} opening_t;

bool state_set_damaged(error_info_t *error, const char *what) {
  return error_set(error, "the snapshot is damaged: %s", what);
}

// --- memory

void *state_alloc(state_view_t *v, size_t bytes) {
  void *memory = alloc_resize(v->allocator, NULL, 0, bytes + 1);
  array_push(v->allocator, &v->blocks_of_memory, memory);
  array_push(v->allocator, &v->sizes_of_memory, bytes + 1);
  return memset(memory, 0, bytes + 1);
}

columns_t *state_create_columns(state_view_t *v, const schema_t *schema, const double *initial, bool marked) {
  columns_t *c = state_alloc(v, sizeof *c);
  shoal_assert(schema, "schema must not be NULL");
  columns_init(c, schema, initial, v->allocator);
  columns_track_changes(c, marked);
  array_push(v->allocator, &v->made, c);
  return c;
}

void state_close(state_view_t *v) {
  if (!v)
    return;
  allocator_t *a = v->allocator;
  shoal_assert(v->blocks_of_memory.count == v->sizes_of_memory.count, "%u blocks of memory, but %u sizes",
               v->blocks_of_memory.count, v->sizes_of_memory.count);
  strings_destroy(v->strings);
  for (uint32_t i = 0; i < v->made.count; ++i)
    columns_fini(v->made.items[i]);
  for (uint32_t i = 0; i < v->blocks_of_memory.count; ++i)
    alloc_resize(a, v->blocks_of_memory.items[i], v->sizes_of_memory.items[i], 0);
  array_free(a, &v->made);
  array_free(a, &v->blocks_of_memory);
  array_free(a, &v->sizes_of_memory);
  alloc_resize(a, v, sizeof *v, 0);
}

// --- sections

static bool is_next_section(const opening_t *o, snapshot_kind_t kind, uint32_t a) {
  const snapshot_section_t *s = &o->v->table.table[o->at];
  return o->at < o->v->table.count && s->kind == (uint32_t)kind && s->a == a;
}

// Opens the next section; fails if it has another kind. `out` is the address of a pointer, which is set to the first
// element.
static bool open_section(opening_t *o, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element, const void *out,
                         uint32_t *count) {
  const snapshot_section_t *s = &o->v->table.table[o->at];
  shoal_assert(element > 0, "element must not be 0 (section %u)", o->at);
  if (!is_next_section(o, kind, a) || s->b != b)
    return state_set_damaged(o->error, "a section is missing");
  ++o->at;
  uint64_t n = s->bytes / element;
  if (s->bytes % element != 0 || n > UINT32_MAX / 4)
    return state_set_damaged(o->error, "invalid size of a section");
  const void *at = o->v->table.bytes + s->offset;
  memcpy((void *)(uintptr_t)out, &at, sizeof at);
  *count = (uint32_t)n;
  return true;
}

static bool open_counted_section(opening_t *o, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element,
                                 const void *out, uint32_t wanted) {
  uint32_t count = 0;
  return open_section(o, kind, a, b, element, out, &count) &&
         (count == wanted || state_set_damaged(o->error, "sections of different lengths"));
}

static bool open_facts(opening_t *o) {
  state_view_t *v = o->v;
  if (!open_counted_section(o, SNAPSHOT_FACTS, 0, 0, sizeof *v->facts, &v->facts, 1))
    return false;
  const snapshot_facts_t *f = v->facts;
  uint32_t max = v->table.count; // every component, event and so on has at least one section
  if (f->manager_count > max || f->event_count > max || f->query_count > max || f->watcher_count > max ||
      f->block_count > max || f->tick_rate == 0)
    return state_set_damaged(o->error, "invalid counts or tick rate");
  v->components = state_alloc(v, f->manager_count * sizeof *v->components);
  v->event_rows = state_alloc(v, f->event_count * sizeof *v->event_rows);
  v->events = state_alloc(v, f->event_count * sizeof *v->events);
  v->queries = state_alloc(v, f->query_count * sizeof *v->queries);
  v->watchers = state_alloc(v, f->watcher_count * sizeof *v->watchers);
  v->blocks = state_alloc(v, f->block_count * sizeof *v->blocks);
  return true;
}

static bool open_texts(opening_t *o) {
  state_view_t *v = o->v;
  return open_section(o, SNAPSHOT_STRINGS, 0, 0, sizeof *v->texts, &v->texts, &v->text_count) &&
         open_section(o, SNAPSHOT_TEXTS, 0, 0, 1, &v->text_bytes, &v->text_size);
}

static bool open_entities(opening_t *o) {
  state_view_t *v = o->v;
  uint32_t used = v->facts->entities_used;
  return open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_GENERATION, 0, 1, &v->generation, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_ALIVE, 0, 1, &v->alive, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_ASSEMBLAGE, 0, 4, &v->assemblage, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_STATE, 0, 4, &v->state, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_TICK, 0, 4, &v->died_tick, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_BY, 0, 4, &v->died_by, used) &&
         open_counted_section(o, SNAPSHOT_ENTITIES, SNAPSHOT_FREE_RING, 0, 4, &v->free_ring, v->facts->free_capacity) &&
         open_section(o, SNAPSHOT_ASSEMBLAGES, 0, 0, 4, &v->assemblage_names, &v->assemblage_count);
}

// --- schemas

static bool is_valid_name(const char *name, size_t capacity) {
  return name[0] != '\0' && memchr(name, '\0', capacity) != NULL;
}

static bool check_choices(const snapshot_field_t *f, const char *at, const char *end) {
  if (f->choice_count > (f->type == FIELD_U32 ? BIT_NAMES_MAX : 256) || f->choices_bytes > (size_t)(end - at))
    return false;
  uint32_t ends = 0;
  for (uint32_t i = 0; i < f->choices_bytes; ++i)
    ends += at[i] == '\0';
  return ends == f->choice_count && (f->choices_bytes == 0 || at[f->choices_bytes - 1] == '\0');
}

// Returns true if an earlier field has the same name. Names must be unique, because lookups return the first match.
static bool is_duplicate_field_name(const snapshot_field_t *fields, uint32_t i) {
  for (uint32_t k = 0; k < i; ++k)
    if (strcmp(fields[k].name, fields[i].name) == 0)
      return true;
  return false;
}

static bool is_duplicate_table_name(const state_rows_t *rows, uint32_t number) {
  for (uint32_t i = 0; i < number; ++i)
    if (strcmp(rows[i].schema->name, rows[number].schema->name) == 0)
      return true;
  return false;
}

static bool open_schema(opening_t *o, snapshot_kind_t kind, uint32_t number, state_rows_t *out) {
  const char *bytes = NULL;
  uint32_t size = 0;
  if (!open_section(o, kind, number, 0, 1, &bytes, &size))
    return false;
  const snapshot_schema_t *head = (const snapshot_schema_t *)(const void *)bytes;
  shoal_assert(head, "the section of schema %u (kind %d) has no data", number, (int)kind);
  if (size < sizeof *head || !is_valid_name(head->name, sizeof head->name) || head->kind > SCHEMA_EVENT ||
      head->field_count > SCHEMA_MAX_FIELDS || size < sizeof *head + head->field_count * sizeof(snapshot_field_t))
    return state_set_damaged(o->error, "invalid schema");
  out->schema = head;
  if (is_duplicate_table_name(out - number, number))
    return state_set_damaged(o->error, "duplicate name of a schema");
  out->fields = (const snapshot_field_t *)(const void *)(head + 1);
  const char *at = (const char *)(out->fields + head->field_count);
  for (uint32_t i = 0; i < head->field_count; ++i) {
    const snapshot_field_t *f = &out->fields[i];
    if (!is_valid_name(f->name, sizeof f->name) || field_size((field_type_t)f->type) == 0 ||
        is_duplicate_field_name(out->fields, i))
      return state_set_damaged(o->error, "invalid field of a schema");
    if (!check_choices(f, at, bytes + size))
      return state_set_damaged(o->error, "invalid choices of a field");
    out->choices[i] = at;
    at += f->choices_bytes;
  }
  return true;
}

void state_get_schema(const state_rows_t *rows, schema_t *out) {
  shoal_assert(rows->schema, "the rows were made by a migration and have no schema");
  memcpy(out->name, rows->schema->name, sizeof out->name);
  out->kind = (schema_kind_t)rows->schema->kind;
  out->field_count = rows->schema->field_count;
  for (uint32_t i = 0; i < out->field_count; ++i) {
    const snapshot_field_t *f = &rows->fields[i];
    memcpy(out->fields[i].name, f->name, sizeof f->name);
    out->fields[i].type = (field_type_t)f->type;
    // Snapshots have no flags. A record of numbers named x, y, … is then a vector, whose parts have the same names.
    const char *axis = f->type == FIELD_F32 ? strrchr(f->name, '.') : NULL;
    out->fields[i].flags = axis && axis[1] && !axis[2] && strchr("xyzw", axis[1]) ? FIELD_IS_AXIS : 0;
    // cast away const: the choices must not be written
    out->fields[i].choices = f->choices_bytes > 0 ? (char *)(uintptr_t)rows->choices[i] : NULL;
    out->fields[i].choice_count = f->choice_count;
  }
  schema_flag_list_columns(out);
}

// --- rows

// Rejects booleans and enum values that are out of range.
static bool check_values(opening_t *o, const state_rows_t *x, uint32_t column, const void *data, uint32_t count) {
  const snapshot_field_t *f = &x->fields[column];
  if (f->type != FIELD_BOOL && f->type != FIELD_ENUM)
    return true;
  uint8_t highest = 0, max = f->type == FIELD_BOOL ? 1 : (uint8_t)(f->choice_count > 0 ? f->choice_count - 1 : 0);
  for (uint32_t i = 0; i < count; ++i)
    highest = ((const uint8_t *)data)[i] > highest ? ((const uint8_t *)data)[i] : highest;
  return highest <= max ||
         error_set(o->error, "the snapshot is damaged: value of %s.%s out of range", x->schema->name, f->name);
}

static bool open_columns(opening_t *o, snapshot_kind_t kind, uint32_t a, uint32_t first_b, const state_rows_t *x,
                         uint32_t count, const void **out) {
  for (uint32_t i = 0; i < x->schema->field_count; ++i)
    if (!open_counted_section(o, kind, a, first_b + i, field_size((field_type_t)x->fields[i].type), &out[i], count) ||
        !check_values(o, x, i, out[i], count))
      return false;
  return true;
}

static bool open_marks(opening_t *o, uint32_t number, state_rows_t *x) {
  while (is_next_section(o, SNAPSHOT_TOUCHED, number)) {
    uint32_t column = o->v->table.table[o->at].b;
    if (column >= x->schema->field_count)
      return state_set_damaged(o->error, "marks of an unknown field");
    if (!open_counted_section(o, SNAPSHOT_TOUCHED, number, column, 1, &x->marks[column], x->count))
      return false;
  }
  return true;
}

static bool open_chains(opening_t *o, uint32_t number, state_rows_t *x) {
  if (!open_counted_section(o, SNAPSHOT_INSTANCES, number, 0, 4, &x->instance, x->count) ||
      !open_counted_section(o, SNAPSHOT_NEXT, number, 0, 4, &x->next, x->count))
    return false;
  bool good = true;
  for (uint32_t i = 0; i < x->count; ++i)
    good &= x->next[i] < x->count || x->next[i] == ROW_NONE;
  return good || state_set_damaged(o->error, "invalid rows of a component");
}

static bool open_last_values(opening_t *o, uint32_t number, state_rows_t *x) {
  if (!is_next_section(o, SNAPSHOT_LAST_OWNERS, number))
    return true;
  if (!open_section(o, SNAPSHOT_LAST_OWNERS, number, 0, sizeof *x->last_owner, &x->last_owner, &x->last_count))
    return false;
  if (x->schema->kind == SCHEMA_SINGLE || x->last_count > UINT32_MAX / 4)
    return state_set_damaged(o->error, "invalid last values of a component");
  return open_counted_section(o, SNAPSHOT_LAST_REMOVALS, number, 0, 4, &x->last_removal, x->last_count) &&
         (x->schema->kind != SCHEMA_MANY ||
          open_counted_section(o, SNAPSHOT_LAST_INSTANCES, number, 0, 4, &x->last_instance, x->last_count)) &&
         open_columns(o, SNAPSHOT_LAST_COLUMN, number, 0, x, x->last_count, x->last_columns);
}

static bool open_component(opening_t *o, uint32_t number) {
  state_rows_t *x = &o->v->components[number];
  if (!open_schema(o, SNAPSHOT_SCHEMA, number, x) ||
      !open_section(o, SNAPSHOT_OWNERS, number, 0, sizeof *x->owner, &x->owner, &x->count))
    return false;
  if (x->count > SHOAL_ENTITY_MAX_ALIVE * 64u)
    return state_set_damaged(o->error, "too many rows");
  return (x->schema->kind != SCHEMA_MANY || open_chains(o, number, x)) &&
         open_columns(o, SNAPSHOT_COLUMN, number, 0, x, x->count, x->columns) && open_marks(o, number, x) &&
         open_last_values(o, number, x);
}

static bool open_event(opening_t *o, uint32_t number) {
  state_event_t *e = &o->v->events[number];
  state_rows_t *x = &o->v->event_rows[number];
  if (!open_counted_section(o, SNAPSHOT_EVENT, number, 0, sizeof *e->facts, &e->facts, 1) ||
      !open_schema(o, SNAPSHOT_EVENT_SCHEMA, number, x))
    return false;
  if (e->facts->tick_start < e->facts->first || e->facts->tick_start - e->facts->first > e->facts->count ||
      e->facts->count > UINT32_MAX / 4 || e->facts->staged_count > UINT32_MAX / 4)
    return state_set_damaged(o->error, "invalid counts of an event");
  x->count = e->facts->count;
  return open_columns(o, SNAPSHOT_EVENT_COLUMN, number, 0, x, x->count, x->columns) &&
         open_columns(o, SNAPSHOT_STAGED_COLUMN, number, 0, x, e->facts->staged_count, e->staged);
}

// --- queries, watchers, readers

static bool open_query(opening_t *o, uint32_t number) {
  state_query_t *x = &o->v->queries[number];
  if (!open_counted_section(o, SNAPSHOT_QUERY, number, 0, sizeof *x->head, &x->head, 1))
    return false;
  if (x->head->term_count > QUERY_MAX_TERMS)
    return state_set_damaged(o->error, "a query has too many terms");
  for (uint32_t i = 0; i < x->head->term_count; ++i)
    if (x->head->terms[i].manager >= o->v->facts->manager_count || x->head->terms[i].role > QUERY_OPTIONAL)
      return state_set_damaged(o->error, "invalid term of a query");
  if (x->head->grouped > 1)
    return state_set_damaged(o->error, "invalid rows of a query");
  return (x->head->grouped ||
          open_counted_section(o, SNAPSHOT_QUERY_ROWS, number, 0, 4, &x->entities, x->head->count)) &&
         (!is_next_section(o, SNAPSHOT_QUERY_DRIVER, number) ||
          open_counted_section(o, SNAPSHOT_QUERY_DRIVER, number, 0, 4, &x->driver_rows, x->head->count));
}

static bool open_watcher(opening_t *o, uint32_t number) {
  state_watcher_t *x = &o->v->watchers[number];
  if (!open_counted_section(o, SNAPSHOT_WATCHER, number, 0, sizeof *x->head, &x->head, 1) ||
      !open_section(o, SNAPSHOT_WATCHED, number, 0, sizeof *x->pending, &x->pending, &x->count))
    return false;
  uint32_t left = 0;
  bool good = x->head->query < o->v->facts->query_count;
  for (uint32_t i = 0; i < x->count && good; ++i) {
    snapshot_watched_t n = x->pending[i];
    good = n.entered <= 1 && shoal_entity_index(n.entity) != 0 && n.entity >> 30 == 0;
    left += n.entered == 0;
  }
  if (good && is_next_section(o, SNAPSHOT_LEFT, number) &&
      !open_counted_section(o, SNAPSHOT_LEFT, number, 0, sizeof *x->left, &x->left, left))
    return false;
  for (uint32_t i = 0; i < left && x->left && good; ++i)
    good = x->left[i].assemblage < o->v->text_count && x->left[i].state < o->v->text_count;
  return good || state_set_damaged(o->error, "invalid watcher of a system");
}

static bool open_readers(opening_t *o) {
  state_view_t *v = o->v;
  if (!open_section(o, SNAPSHOT_READERS, 0, 0, sizeof *v->readers, &v->readers, &v->reader_count))
    return false;
  for (uint32_t i = 0; i < v->reader_count; ++i)
    if (v->readers[i].event >= v->facts->event_count)
      return state_set_damaged(o->error, "invalid read position of a system");
  return true;
}

static bool open_event_deaths(opening_t *o) {
  state_view_t *v = o->v;
  if (!is_next_section(o, SNAPSHOT_EVENT_DEATHS, 0))
    return true;
  if (!open_section(o, SNAPSHOT_EVENT_DEATHS, 0, 0, sizeof *v->event_deaths, &v->event_deaths, &v->event_death_count))
    return false;
  bool good = true;
  for (uint32_t i = 0; i < v->event_death_count; ++i) {
    const event_death_t *d = &v->event_deaths[i];
    good &= shoal_entity_index(d->entity) != 0 && d->entity >> 30 == 0 && d->state < v->text_count &&
            shoal_entity_index(d->entity) < v->facts->entities_used && d->removal < UINT32_MAX &&
            d->group <= v->facts->event_count / EVENT_DEATHS_GROUP;
  }
  return good || state_set_damaged(o->error, "invalid entity of an event");
}

// --- the queue

static bool open_block(opening_t *o, uint32_t number) {
  state_view_t *v = o->v;
  state_block_t *x = &v->blocks[number];
  if (!open_counted_section(o, SNAPSHOT_BLOCK, number, 0, sizeof *x->head, &x->head, 1) ||
      !open_counted_section(o, SNAPSHOT_BLOCK_ENTITIES, number, 0, 4, &x->entities, x->head->count) ||
      !open_section(o, SNAPSHOT_BLOCK_CHILDREN, number, 0, sizeof *x->children, &x->children, &x->child_count) ||
      !open_counted_section(o, SNAPSHOT_BLOCK_PARTS, number, 0, sizeof *x->parts, &x->parts, x->head->part_count))
    return false;
  x->columns = state_alloc(v, x->head->part_count * sizeof *x->columns);
  for (uint32_t i = 0; i < x->head->part_count; ++i) {
    const snapshot_part_t *p = &x->parts[i];
    if (p->staged > 1 || p->manager >= v->facts->manager_count)
      return state_set_damaged(o->error, "invalid part of a spawn block");
    if (p->staged && !open_columns(o, SNAPSHOT_BLOCK_COLUMN, number, i * SCHEMA_MAX_FIELDS, &v->components[p->manager],
                                   x->head->count, x->columns[i]))
      return false;
  }
  return true;
}

static bool open_queue(opening_t *o) {
  state_view_t *v = o->v;
  return open_section(o, SNAPSHOT_COMMANDS, 0, 0, sizeof *v->commands, &v->commands, &v->command_count) &&
         open_section(o, SNAPSHOT_LISTS, 0, 0, sizeof *v->lists, &v->lists, &v->list_count) &&
         open_section(o, SNAPSHOT_LIST_VALUES, 0, 0, sizeof *v->list_values, &v->list_values, &v->list_value_count);
}

// Opens the components' own storage, which is in the last sections, in component order. The components check the
// contents of their storage themselves.
static bool open_storage(opening_t *o) {
  state_view_t *v = o->v;
  for (uint32_t next = 0; o->at < v->table.count; ++o->at) {
    const snapshot_section_t *s = &v->table.table[o->at];
    if (s->kind != SNAPSHOT_OWN_STORAGE)
      return error_set(o->error, "the snapshot contains a section that this version cannot read");
    if (s->a < next || s->a >= v->facts->manager_count || s->bytes == 0)
      return state_set_damaged(o->error, "own storage of an unknown component");
    state_rows_t *x = &v->components[s->a];
    x->storage = v->table.bytes + s->offset;
    x->storage_bytes = s->bytes;
    x->storage_version = s->b;
    next = s->a + 1;
  }
  return true;
}

// --- the whole state

// Opens `wanted` items. After a failure, `count` is the number of complete items.
static bool open_items(opening_t *o, bool (*open)(opening_t *o, uint32_t number), uint32_t wanted, uint32_t *count) {
  for (*count = 0; *count < wanted; ++*count)
    if (!open(o, *count))
      return false;
  return true;
}

static bool open_all_sections(opening_t *o) {
  state_view_t *v = o->v;
  if (!open_facts(o) || !open_texts(o) || !open_entities(o))
    return false;
  const snapshot_facts_t *f = v->facts;
  return open_items(o, open_component, f->manager_count, &v->component_count) &&
         open_items(o, open_event, f->event_count, &v->event_count) &&
         open_items(o, open_query, f->query_count, &v->query_count) &&
         open_items(o, open_watcher, f->watcher_count, &v->watcher_count) && open_readers(o) && open_event_deaths(o) &&
         open_queue(o) && open_items(o, open_block, f->block_count, &v->block_count) && open_storage(o);
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
  opening_t o = {.v = v, .error = error};
  if (open_all_sections(&o)) {
    shoal_assert(o.at == table.count, "only %u of %u sections were read", o.at, table.count);
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
                              v->facts->strings_used_after_sweep, error);
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
    if (v->components[i].to == m)
      return false;
  v->components[number].to = m;
  return true;
}

static bool check_same_schema(const state_rows_t *x, const schema_t *now, schema_t *scratch, error_info_t *error) {
  error_info_t difference;
  state_get_schema(x, scratch);
  return schema_has_same_layout(scratch, now, &difference) ||
         error_set(error, "the snapshot was taken with a different schema: %.900s", difference.text);
}

static bool resolve_component(state_view_t *v, uint32_t i, world_o *w, schema_t *scratch, error_info_t *error) {
  const char *name = v->components[i].schema->name;
  manager_o *m = world_manager(w, i + 1); // component ids usually match
  if (!m || strcmp(m->schema.name, name) != 0)
    m = world_find_manager(w, name);
  if (!m)
    return error_set(error, "the snapshot contains the component %s, which is not declared", name);
  return (state_resolve_component(v, i, m) || state_set_damaged(error, "duplicate component")) &&
         check_same_schema(&v->components[i], &m->schema, scratch, error);
}

static bool resolve_event(state_view_t *v, uint32_t i, world_o *w, schema_t *scratch, error_info_t *error) {
  const state_rows_t *x = &v->event_rows[i];
  const event_o *ev = world_find_event(w, x->schema->name);
  if (!ev)
    return error_set(error, "the snapshot contains the event %s, which is not declared", x->schema->name);
  v->events[i].to = w->events.items[ev->id - 1];
  for (uint32_t k = 0; k < i; ++k)
    if (v->events[k].to == v->events[i].to)
      return state_set_damaged(error, "duplicate event");
  return check_same_schema(x, &ev->schema, scratch, error);
}

bool state_resolve_declarations(state_view_t *v, world_o *w, error_info_t *error) {
  shoal_assert(!v->resolved || v->resolved == w, "the state was resolved for another world");
  if (v->resolved)
    return true;
  schema_t *scratch = alloc_resize(v->allocator, NULL, 0, sizeof *scratch); // a schema_t is too large for the stack
  bool good = true;
  for (uint32_t i = 0; i < v->component_count && good; ++i)
    good = resolve_component(v, i, w, scratch, error);
  for (uint32_t i = 0; i < v->event_count && good; ++i)
    good = resolve_event(v, i, w, scratch, error);
  alloc_resize(v->allocator, scratch, sizeof *scratch, 0);
  v->resolved = good ? w : NULL;
  return good;
}
