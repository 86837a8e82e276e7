// Reading a snapshot. It may come from a file that somebody has damaged or made on purpose, so no number in it is used before it has
// been looked at.
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/restore_internal.h"

#include <string.h>

// --- reading

static bool damaged(restore_t *r, const char *what) {
  return error_set(r->error, "the snapshot is damaged: %s", what);
}

// The next section, which must be this one.
static bool take(restore_t *r, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element, const void *out,
                 uint32_t *count) {
  const snapshot_section_t *s = &r->table[r->at];
  if (r->at == r->section_count || s->kind != (uint32_t)kind || s->a != a || s->b != b)
    return damaged(r, "a part of it is missing");
  r->at++;
  uint64_t n = s->bytes / element;
  if (s->bytes % element != 0 || n > UINT32_MAX / 4)
    return damaged(r, "a part of it has no possible size");
  const void *at = r->bytes + s->offset;
  memcpy((void *)(uintptr_t)out, &at, sizeof at);
  *count = (uint32_t)n;
  return true;
}

static bool take_exactly(restore_t *r, snapshot_kind_t kind, uint32_t a, uint32_t b, size_t element, const void *out,
                         uint32_t wanted) {
  uint32_t count = 0;
  return take(r, kind, a, b, element, out, &count) && (count == wanted || damaged(r, "two parts of it do not agree"));
}

static void *zeroed(restore_t *r, uint32_t count, size_t bytes) {
  void *memory = alloc_resize(r->a, NULL, 0, count * bytes);
  return memory ? memset(memory, 0, count * bytes) : NULL;
}

static bool read_facts(restore_t *r) {
  if (!take_exactly(r, SNAPSHOT_FACTS, 0, 0, sizeof *r->facts, &r->facts, 1))
    return false;
  const snapshot_facts_t *f = r->facts;
  uint32_t most = r->section_count; // each of them has sections
  if (f->manager_count > most || f->event_count > most || f->query_count > most || f->watcher_count > most ||
      f->block_count > most || f->tick_rate == 0)
    return damaged(r, "its facts are impossible");
  return true;
}

static bool read_strings(restore_t *r) {
  uint32_t bytes = 0;
  if (!take(r, SNAPSHOT_STRINGS, 0, 0, sizeof *r->texts, &r->texts, &r->text_count) ||
      !take(r, SNAPSHOT_TEXTS, 0, 0, 1, &r->text_bytes, &bytes))
    return false;
  r->strings =
      strings_load(r->a, r->texts, r->text_count, r->text_bytes, bytes, r->facts->strings_used_after_sweep, r->error);
  return r->strings != NULL;
}

static bool read_entities(restore_t *r) {
  const snapshot_facts_t *f = r->facts;
  uint32_t used = f->entities_used;
  if (!take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_GENERATION, 0, 1, &r->generation, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_ALIVE, 0, 1, &r->alive, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_ASSEMBLAGE, 0, 4, &r->assemblage, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_STATE, 0, 4, &r->state, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_TICK, 0, 4, &r->died_tick, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_DIED_BY, 0, 4, &r->died_by, used) ||
      !take_exactly(r, SNAPSHOT_ENTITIES, SNAPSHOT_FREE_RING, 0, 4, &r->ring, f->free_capacity))
    return false;
  uint32_t highest = 0;
  for (uint32_t i = 0; i < used; i++)
    highest = r->assemblage[i] > highest ? r->assemblage[i] : highest;
  if (highest >= r->text_count)
    return damaged(r, "an entity comes from an assemblage without a name");
  return entities_check_free(r->ring, f->free_first, f->free_count, f->free_capacity, r->alive, used, f->alive_count,
                             r->a) ||
         damaged(r, "the free ids do not add up");
}

static bool is_alive(const restore_t *r, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  return (e >> 30) == 0 && i != 0 && i < r->facts->entities_used && r->alive[i] &&
         r->generation[i] == shoal_entity_generation(e);
}

static const char *text_of(const restore_t *r, uint32_t id) {
  return strings_text(r->strings, id);
}

// --- schemas

static bool is_name(const char *name, size_t room) {
  return name[0] != '\0' && memchr(name, '\0', room) != NULL;
}

static bool read_choices(restore_t *r, const snapshot_field_t *f, const char **at, const char *end, field_t *out) {
  if (f->choice_count > 256 || f->choices_bytes > (size_t)(end - *at))
    return damaged(r, "the choices of a field");
  uint32_t ends = 0;
  for (uint32_t i = 0; i < f->choices_bytes; i++)
    ends += (*at)[i] == '\0';
  if (ends != f->choice_count || (f->choices_bytes > 0 && (*at)[f->choices_bytes - 1] != '\0'))
    return damaged(r, "the choices of a field");
  out->choices = f->choices_bytes > 0 ? (char *)(uintptr_t)*at : NULL; // borrowed, for comparing only
  out->choice_count = f->choice_count;
  *at += f->choices_bytes;
  return true;
}

// `out` borrows from the snapshot.
static bool read_schema(restore_t *r, snapshot_kind_t kind, uint32_t number, schema_t *out) {
  const char *bytes = NULL;
  uint32_t size = 0;
  if (!take(r, kind, number, 0, 1, &bytes, &size))
    return false;
  const snapshot_schema_t *head = (const snapshot_schema_t *)(const void *)bytes;
  if (size < sizeof *head || !is_name(head->name, sizeof head->name) || head->kind > SCHEMA_EVENT ||
      head->field_count > SCHEMA_MAX_FIELDS || size < sizeof *head + head->field_count * sizeof(snapshot_field_t))
    return damaged(r, "a schema");
  memcpy(out->name, head->name, sizeof out->name);
  out->kind = (schema_kind_t)head->kind;
  out->field_count = head->field_count;
  const snapshot_field_t *fields = (const snapshot_field_t *)(const void *)(head + 1);
  const char *at = (const char *)(fields + head->field_count);
  for (uint32_t i = 0; i < head->field_count; i++) {
    field_t *f = &out->fields[i];
    if (!is_name(fields[i].name, sizeof fields[i].name) || field_size((field_type_t)fields[i].type) == 0)
      return damaged(r, "a field of a schema");
    memcpy(f->name, fields[i].name, sizeof f->name);
    f->type = (field_type_t)fields[i].type;
    if (!read_choices(r, &fields[i], &at, bytes + size, f))
      return false;
  }
  return true;
}

static bool same_schema(restore_t *r, const schema_t *then, const schema_t *now) {
  error_t difference;
  if (schema_same_layout(then, now, &difference))
    return true;
  return error_set(r->error, "the snapshot is of another schema: %.900s", difference.text);
}

// --- components

// Truths and choices are read as such: others than there are must not come in.
static bool check_bytes(restore_t *r, const schema_t *s, uint32_t column, const void *data, uint32_t count) {
  const field_t *f = &s->fields[column];
  if (f->type != FIELD_BOOL && f->type != FIELD_ENUM)
    return true;
  uint8_t highest = 0, most = f->type == FIELD_BOOL ? 1 : (uint8_t)(f->choice_count > 0 ? f->choice_count - 1 : 0);
  for (uint32_t i = 0; i < count; i++)
    highest = ((const uint8_t *)data)[i] > highest ? ((const uint8_t *)data)[i] : highest;
  if (highest <= most)
    return true;
  return error_set(r->error, "the snapshot is damaged: %s.%s holds a value that it cannot have", s->name, f->name);
}

static bool read_columns(restore_t *r, snapshot_kind_t kind, uint32_t a, uint32_t first_b, const schema_t *s,
                         uint32_t count, const void **out) {
  for (uint32_t i = 0; i < s->field_count; i++)
    if (!take_exactly(r, kind, a, first_b + i, field_size(s->fields[i].type), &out[i], count) ||
        !check_bytes(r, s, i, out[i], count))
      return false;
  return true;
}

static uint32_t row_in(const rows_t *x, shoal_entity e) {
  uint32_t row = index_get(x->pages, x->page_count, e);
  return row != 0 && x->owner[row - 1] == e ? row - 1 : ROW_NONE;
}

// Components that were always added together have the same owners, and so the same index.
static bool copy_index(restore_t *r, rows_t *x) {
  const rows_t *same = NULL;
  for (const rows_t *y = r->managers; y < x && !same; y++)
    if (y->kind == SCHEMA_COMPONENT && y->count == x->count &&
        memcmp(y->owner, x->owner, x->count * sizeof *x->owner) == 0)
      same = y;
  if (!same)
    return false;
  x->page_count = same->page_count;
  x->pages = zeroed(r, same->page_count, sizeof *x->pages);
  for (uint32_t i = 0; i < same->page_count; i++) {
    if (!same->pages[i])
      continue;
    x->pages[i] = alloc_aligned(r->a, MANAGER_PAGE_ROWS * sizeof(uint32_t));
    memcpy(x->pages[i], same->pages[i], MANAGER_PAGE_ROWS * sizeof(uint32_t));
  }
  return true;
}

static bool index_single_rows(restore_t *r, rows_t *x) {
  if (x->count > 0 && copy_index(r, x))
    return true;
  for (uint32_t row = 0; row < x->count; row++) {
    if (!is_alive(r, x->owner[row]))
      return false;
    uint32_t *slot = index_slot(&x->pages, &x->page_count, x->owner[row], r->a);
    if (*slot != 0)
      return false;
    *slot = row + 1;
  }
  return true;
}

// A row that no other one points to begins a chain. Every row is pointed to once at most, so chains cannot meet; a circle has
// no beginning and is found by counting.
static bool index_chains(restore_t *r, rows_t *x) {
  uint8_t *pointed = zeroed(r, x->count, 1);
  bool good = true;
  for (uint32_t row = 0; row < x->count && good; row++) {
    uint32_t next = x->next[row];
    good = is_alive(r, x->owner[row]) &&
           (next == ROW_NONE || (next < x->count && x->owner[next] == x->owner[row] && !pointed[next]));
    if (good && next != ROW_NONE)
      pointed[next] = 1;
  }
  uint32_t seen = 0;
  for (uint32_t row = 0; row < x->count && good; row++) {
    if (pointed[row])
      continue;
    uint32_t *slot = index_slot(&x->pages, &x->page_count, x->owner[row], r->a);
    good = *slot == 0;
    *slot = row + 1;
    for (uint32_t at = row; good && at != ROW_NONE; at = x->next[at])
      seen++;
  }
  alloc_resize(r->a, pointed, x->count, 0);
  return good && seen == x->count;
}

static bool build_index(restore_t *r, rows_t *x) {
  bool good = x->kind == SCHEMA_SINGLE ? x->count == 1 && x->owner[0] == SHOAL_ENTITY_NONE
              : x->kind == SCHEMA_MANY ? index_chains(r, x)
                                       : index_single_rows(r, x);
  return good || error_set(r->error, "the snapshot is damaged: the rows of %s belong to nobody", x->to->schema.name);
}

static bool find_manager(restore_t *r, uint32_t number, const char *name) {
  manager_o *m = world_manager(r->w, number + 1);
  if (!m || strcmp(m->schema.name, name) != 0)
    m = world_find_manager(r->w, name);
  if (!m)
    return error_set(r->error, "the snapshot has a component %s, and there is none now", name);
  for (uint32_t i = 0; i < number; i++)
    if (r->managers[i].to == m)
      return damaged(r, "a component comes twice");
  r->managers[number].to = m;
  return true;
}

static bool read_marks(restore_t *r, uint32_t number, rows_t *x) {
  while (r->at < r->section_count && r->table[r->at].kind == SNAPSHOT_TOUCHED && r->table[r->at].a == number) {
    uint32_t column = r->table[r->at].b;
    if (column >= x->to->schema.field_count)
      return damaged(r, "the marks of no field");
    if (!take_exactly(r, SNAPSHOT_TOUCHED, number, column, 1, &x->marks[column], x->count))
      return false;
  }
  return true;
}

static bool read_manager(restore_t *r, uint32_t number, schema_t *schema) {
  rows_t *x = &r->managers[number];
  if (!read_schema(r, SNAPSHOT_SCHEMA, number, schema) || !find_manager(r, number, schema->name) ||
      !same_schema(r, schema, &x->to->schema))
    return false;
  x->kind = schema->kind;
  if (!take(r, SNAPSHOT_OWNERS, number, 0, sizeof *x->owner, &x->owner, &x->count))
    return false;
  if (x->count > SHOAL_ENTITY_MAX_ALIVE * 64u)
    return damaged(r, "too many rows");
  if (x->kind == SCHEMA_MANY && (!take_exactly(r, SNAPSHOT_INSTANCES, number, 0, 4, &x->instance, x->count) ||
                                 !take_exactly(r, SNAPSHOT_NEXT, number, 0, 4, &x->next, x->count)))
    return false;
  return read_columns(r, SNAPSHOT_COLUMN, number, 0, schema, x->count, x->columns) && read_marks(r, number, x) &&
         build_index(r, x);
}

static bool read_event(restore_t *r, uint32_t number, schema_t *schema) {
  event_rows_t *x = &r->events[number];
  if (!take_exactly(r, SNAPSHOT_EVENT, number, 0, sizeof *x->facts, &x->facts, 1) ||
      !read_schema(r, SNAPSHOT_EVENT_SCHEMA, number, schema))
    return false;
  event_o *ev = world_find_event(r->w, schema->name);
  if (!ev)
    return error_set(r->error, "the snapshot has an event %s, and there is none now", schema->name);
  x->to = r->w->events.items[ev->id - 1];
  for (uint32_t i = 0; i < number; i++)
    if (r->events[i].to == x->to)
      return damaged(r, "an event comes twice");
  if (!same_schema(r, schema, &ev->schema))
    return false;
  if (x->facts->tick_start < x->facts->first || x->facts->tick_start - x->facts->first > x->facts->count ||
      x->facts->count > UINT32_MAX / 4 || x->facts->staged_count > UINT32_MAX / 4)
    return damaged(r, "the numbers of an event");
  return read_columns(r, SNAPSHOT_EVENT_COLUMN, number, 0, schema, x->facts->count, x->columns) &&
         read_columns(r, SNAPSHOT_STAGED_COLUMN, number, 0, schema, x->facts->staged_count, x->staged);
}

// --- queries

// The terms as the world orders them.
static bool read_terms(restore_t *r, const snapshot_query_t *q, query_rows_t *x) {
  x->driver = -1;
  if (q->term_count > QUERY_MAX_TERMS)
    return damaged(r, "a query has too many terms");
  for (uint32_t i = 0; i < q->term_count; i++) {
    if (q->terms[i].manager >= r->facts->manager_count || q->terms[i].role > QUERY_OPTIONAL)
      return damaged(r, "a term of a query");
    const rows_t *rows = &r->managers[q->terms[i].manager];
    query_term_desc_t t = {rows->to->id, (query_role_t)q->terms[i].role};
    uint32_t at = x->desc.term_count++;
    for (; at > 0 && (x->desc.terms[at - 1].manager > t.manager ||
                      (x->desc.terms[at - 1].manager == t.manager && x->desc.terms[at - 1].role > t.role));
         at--) {
      x->desc.terms[at] = x->desc.terms[at - 1];
      x->terms[at] = x->terms[at - 1];
    }
    x->desc.terms[at] = t;
    x->terms[at] = rows;
  }
  if (!query_is_possible(r->w, &x->desc, NULL))
    return damaged(r, "a query that cannot be");
  for (uint32_t i = 0; i < x->desc.term_count; i++) {
    if (i > 0 && x->desc.terms[i].manager == x->desc.terms[i - 1].manager &&
        x->desc.terms[i].role == x->desc.terms[i - 1].role)
      return damaged(r, "a term of a query comes twice");
    if (x->desc.terms[i].role == QUERY_WITH && x->terms[i]->kind == SCHEMA_MANY)
      x->driver = (int32_t)i;
  }
  return true;
}

static bool index_by_entity(restore_t *r, query_rows_t *x) {
  for (uint32_t i = 0; i < x->data.count; i++) {
    uint32_t *slot = index_slot(&x->data.pages, &x->data.page_count, x->entities[i], r->a);
    if (*slot != 0)
      return false;
    *slot = i + 1;
  }
  return true;
}

// Every row of the driver at most once, and of an entity all of them or none.
static bool index_by_driver(restore_t *r, query_rows_t *x, const uint32_t *driver_rows) {
  const rows_t *driver = x->terms[x->driver];
  uint32_t *by_row = x->data.by_row = zeroed(r, driver->count, sizeof *by_row);
  x->data.by_row_capacity = driver->count;
  for (uint32_t i = 0; i < x->data.count; i++) {
    uint32_t row = driver_rows[i];
    if (row >= driver->count || driver->owner[row] != x->entities[i] || by_row[row] != 0)
      return false;
    by_row[row] = i + 1;
  }
  for (uint32_t i = 0; i < x->data.count; i++) {
    uint32_t next = driver->next[driver_rows[i]];
    if (by_row[row_in(driver, x->entities[i])] == 0 || (next != ROW_NONE && by_row[next] == 0))
      return false;
  }
  return true;
}

static bool begins_with(const rows_t *rows, const shoal_entity *entities, uint32_t count) {
  return rows->kind != SCHEMA_MANY && count <= rows->count &&
         (count == 0 || memcmp(rows->owner, entities, count * sizeof *entities) == 0);
}

static void fill_rows(restore_t *r, query_rows_t *x, uint32_t term, const uint32_t *driver_rows) {
  const rows_t *rows = x->terms[term];
  uint32_t count = x->data.count, misaligned = 0;
  uint32_t *out = x->data.rows[term] = alloc_resize(r->a, NULL, 0, x->data.capacity * sizeof *out);
  if (begins_with(rows, x->entities, count) && (int32_t)term != x->driver) {
    for (uint32_t i = 0; i < count; i++)
      out[i] = i;
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (int32_t)term == x->driver ? driver_rows[i] : row_in(rows, x->entities[i]);
    misaligned += out[i] != i;
  }
  x->data.misaligned[term] = misaligned;
}

// Its components are its own, and their first rows its entities.
static bool read_group(restore_t *r, query_rows_t *x, uint32_t count) {
  for (uint32_t k = 0; k < x->desc.term_count; k++) {
    rows_t *rows = &r->managers[x->terms[k] - r->managers];
    if (x->desc.terms[k].role != QUERY_WITH)
      continue;
    if (rows->kind != SCHEMA_COMPONENT || rows->group || count > rows->count)
      return false;
    rows->group = x;
    x->entities = x->entities ? x->entities : rows->owner;
    if (!begins_with(rows, x->entities, count))
      return false;
  }
  return x->entities || count == 0;
}

static bool is_owned(const query_rows_t *x, uint32_t term) {
  return x->data.grouped && x->terms[term]->group == x;
}

static bool has_all(const uint32_t *rows, uint32_t count) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < count; i++)
    missing += rows[i] == ROW_NONE;
  return missing == 0;
}

// Do all of them match?
static bool check_matches(const query_rows_t *x) {
  bool any_wanted = false;
  for (uint32_t k = 0; k < x->desc.term_count; k++) {
    query_role_t role = x->desc.terms[k].role;
    any_wanted |= role == QUERY_ANY;
    if (role == QUERY_WITH && !is_owned(x, k) && !has_all(x->data.rows[k], x->data.count))
      return false;
    for (uint32_t i = 0; role == QUERY_WITHOUT && i < x->data.count; i++)
      if (row_in(x->terms[k], x->entities[i]) != ROW_NONE)
        return false;
  }
  for (uint32_t i = 0; any_wanted && i < x->data.count; i++) {
    bool found = false;
    for (uint32_t k = 0; k < x->desc.term_count && !found; k++)
      found = x->desc.terms[k].role == QUERY_ANY && (is_owned(x, k) || x->data.rows[k][i] != ROW_NONE);
    if (!found)
      return false;
  }
  return true;
}

static bool read_rows(restore_t *r, uint32_t number, query_rows_t *x, const snapshot_query_t *head) {
  const uint32_t *driver_rows = NULL;
  uint32_t count = head->count;
  if (head->grouped ? !read_group(r, x, count)
                    : !take_exactly(r, SNAPSHOT_QUERY_ROWS, number, 0, sizeof *x->entities, &x->entities, count))
    return false;
  if (x->driver >= 0 && !take_exactly(r, SNAPSHOT_QUERY_DRIVER, number, 0, 4, &driver_rows, count))
    return false;
  x->data.grouped = head->grouped;
  x->data.count = count;
  x->data.capacity = count > 16 ? count : 16;
  for (uint32_t k = 0; k < x->desc.term_count; k++)
    if (x->desc.terms[k].role != QUERY_WITHOUT && !is_owned(x, k))
      fill_rows(r, x, k, driver_rows);
  if (!check_matches(x))
    return false;
  if (head->grouped)
    return true;
  x->data.entities = alloc_resize(r->a, NULL, 0, x->data.capacity * sizeof *x->data.entities);
  if (count > 0)
    memcpy(x->data.entities, x->entities, count * sizeof *x->entities);
  return x->driver < 0 ? index_by_entity(r, x) : index_by_driver(r, x, driver_rows);
}

static bool read_query(restore_t *r, uint32_t number) {
  query_rows_t *x = &r->queries[number];
  const snapshot_query_t *head = NULL;
  if (!take_exactly(r, SNAPSHOT_QUERY, number, 0, sizeof *head, &head, 1) || !read_terms(r, head, x))
    return false;
  x->to = query_find(r->w, &x->desc);
  for (uint32_t i = 0; i < number; i++)
    if (memcmp(&r->queries[i].desc, &x->desc, sizeof x->desc) == 0)
      return damaged(r, "a query comes twice");
  return (head->grouped <= 1 && read_rows(r, number, x, head)) || damaged(r, "the rows of a query");
}

// --- watchers, readers

static bool read_watcher(restore_t *r, uint32_t number) {
  watched_t *x = &r->watchers[number];
  if (!take_exactly(r, SNAPSHOT_WATCHER, number, 0, sizeof *x->head, &x->head, 1) ||
      !take(r, SNAPSHOT_WATCHED, number, 0, sizeof *x->list, &x->list, &x->count))
    return false;
  bool good = x->head->query < r->facts->query_count;
  for (uint32_t i = 0; i < x->count && good; i++)
    good = x->list[i].entered <= 1 && shoal_entity_index(x->list[i].entity) != 0 && x->list[i].entity >> 30 == 0;
  return good || damaged(r, "what a system waits for");
}

static bool read_readers(restore_t *r) {
  if (!take(r, SNAPSHOT_READERS, 0, 0, sizeof *r->readers, &r->readers, &r->reader_count))
    return false;
  for (uint32_t i = 0; i < r->reader_count; i++)
    if (r->readers[i].event >= r->facts->event_count)
      return damaged(r, "what a system has read");
  return true;
}

// --- commands and blocks

// 0 stays 0. False when the assemblage is not there any more.
static bool read_assemblage(restore_t *r, uint32_t number, uint32_t *out) {
  *out = 0;
  if (number == 0)
    return true;
  if (number > r->assemblage_count)
    return damaged(r, "a spawn of an assemblage that it does not have");
  const char *name = text_of(r, r->assemblage_names[number - 1]);
  uint32_t id = strings_find(r->w->strings, name);
  *out = id != 0 ? world_find_assemblage(r->w, id) : 0;
  if (*out == 0)
    return error_set(r->error, "the snapshot spawns a %s, and there is no such assemblage now", name);
  return true;
}

// An entity that gets its first rows later: one that has none yet, and only once.
static bool read_fresh(restore_t *r, shoal_entity e) {
  if (!is_alive(r, e))
    return true; // destroyed in the meantime: nothing will be done with it
  uint32_t i = shoal_entity_index(e);
  bool good = !(r->fresh[i] & FRESH_SPAWNED);
  r->fresh[i] |= FRESH_SPAWNED;
  for (uint32_t k = 0; k < r->facts->manager_count && good; k++)
    good = r->managers[k].kind == SCHEMA_SINGLE || row_in(&r->managers[k], e) == ROW_NONE;
  return good || damaged(r, "an entity is spawned twice");
}

static bool read_target(restore_t *r, command_t *c) {
  if (c->a == 0 || c->a > r->facts->manager_count)
    return damaged(r, "a command about no component");
  const rows_t *x = &r->managers[c->a - 1];
  if (x->kind == SCHEMA_SINGLE || (x->kind != SCHEMA_MANY && c->b != 0))
    return damaged(r, "a command that cannot be");
  if (c->kind == COMMAND_SET && c->c >= x->to->schema.field_count)
    return damaged(r, "a command about no field");
  c->a = x->to->id;
  return true;
}

static bool read_list(restore_t *r, const command_t *c) {
  if (c->b > r->list_count || c->c > r->list_count - c->b)
    return damaged(r, "a command about entities that are not there");
  bool good = true; // each once
  for (uint32_t i = 0; i < c->c && good; i++) {
    uint32_t index = shoal_entity_index(r->lists[c->b + i]);
    good = index < r->facts->entities_used && !(r->fresh[index] & FRESH_LISTED);
    if (good)
      r->fresh[index] |= FRESH_LISTED;
  }
  for (uint32_t i = 0; i < r->facts->entities_used && c->c > 0; i++)
    r->fresh[i] &= (uint8_t)~FRESH_LISTED;
  return good || damaged(r, "a command names an entity twice");
}

static bool read_many(restore_t *r, command_t *c) {
  if (!read_list(r, c))
    return false;
  if (c->kind == COMMAND_DESTROY_MANY)
    return true;
  if (c->a == 0 || c->a > r->facts->manager_count || r->managers[c->a - 1].kind == SCHEMA_SINGLE)
    return damaged(r, "a command about no component");
  manager_o *m = r->managers[c->a - 1].to;
  uint32_t values = 0;
  if (c->kind == COMMAND_ADD_MANY) {
    if (!(c->value >= 0 && c->value <= r->list_value_count))
      return damaged(r, "a command about no field");
    values = (uint32_t)c->value;
  }
  if (values > 0 && (c->d > r->list_value_count || values > r->list_value_count - c->d))
    return damaged(r, "a command about no field");
  for (uint32_t i = 0; i < values; i++)
    if (r->list_values[c->d + i].column >= m->schema.field_count)
      return damaged(r, "a command about no field");
  c->a = m->id;
  return true;
}

static bool read_command(restore_t *r, command_t *c) {
  switch (c->kind) {
  case COMMAND_SPAWN: return read_assemblage(r, c->a, &c->a) && read_fresh(r, c->e);
  case COMMAND_BLOCK:
    for (uint32_t i = 0; i < r->facts->block_count; i++)
      if (r->blocks[i].head->number == c->a && !r->blocks[i].queued)
        return r->blocks[i].queued = true;
    return damaged(r, "a command about no block");
  case COMMAND_DESTROY: return true;
  case COMMAND_ENTER: return shoal_entity_index(c->e) < r->facts->entities_used || damaged(r, "a command about nobody");
  case COMMAND_ADD:
  case COMMAND_REMOVE:
  case COMMAND_SET: return read_target(r, c);
  case COMMAND_EMIT:
    if (c->a == 0 || c->a > r->facts->event_count || c->b >= r->events[c->a - 1].facts->staged_count ||
        c->c > r->events[c->a - 1].facts->staged_count - c->b)
      return damaged(r, "a command about no event");
    c->a = r->events[c->a - 1].to->shared.id;
    return true;
  case COMMAND_DESTROY_MANY:
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY: return read_many(r, c);
  default: return damaged(r, "a command that nobody knows");
  }
}

static bool copy_commands(restore_t *r, snapshot_kind_t kind, uint32_t a, command_t **out, uint32_t *count) {
  const command_t *from = NULL;
  uint32_t n = 0;
  if (!take(r, kind, a, 0, sizeof *from, &from, &n))
    return false;
  *out = alloc_resize(r->a, NULL, 0, n * sizeof **out);
  *count = n;
  if (n > 0)
    memcpy(*out, from, n * sizeof **out);
  return true;
}

static bool read_parts(restore_t *r, uint32_t number) {
  staged_t *x = &r->blocks[number];
  assemblage_t *a = assemblage_get(r->w, x->assemblage);
  bool same = !a || assemblage_plan(r->w, x->assemblage, NULL);
  same = same && x->head->part_count == (a ? a->plan.count : 0);
  for (uint32_t i = 0; same && i < x->head->part_count; i++) {
    const part_t *p = &a->plan.items[i];
    same = x->parts[i].staged <= 1 && x->parts[i].manager < r->facts->manager_count &&
           r->managers[x->parts[i].manager].to->id == p->manager &&
           strcmp(text_of(r, x->parts[i].instance), strings_text(r->w->strings, p->instance)) == 0;
  }
  if (!same)
    return error_set(r->error, "the snapshot spawns entities of an assemblage that is another one now");
  for (uint32_t i = 0; i < x->head->part_count; i++)
    if (x->parts[i].staged &&
        !read_columns(r, SNAPSHOT_BLOCK_COLUMN, number, i * SCHEMA_MAX_FIELDS,
                      &r->managers[x->parts[i].manager].to->schema, x->head->count, x->columns[i]))
      return false;
  return true;
}

static bool read_block(restore_t *r, uint32_t number) {
  staged_t *x = &r->blocks[number];
  if (!take_exactly(r, SNAPSHOT_BLOCK, number, 0, sizeof *x->head, &x->head, 1) ||
      !take_exactly(r, SNAPSHOT_BLOCK_ENTITIES, number, 0, 4, &x->entities, x->head->count) ||
      !copy_commands(r, SNAPSHOT_BLOCK_CHILDREN, number, &x->children, &x->child_count) ||
      !take_exactly(r, SNAPSHOT_BLOCK_PARTS, number, 0, sizeof *x->parts, &x->parts, x->head->part_count) ||
      !read_assemblage(r, x->head->assemblage, &x->assemblage))
    return false;
  for (uint32_t i = 0; i < number; i++)
    if (r->blocks[i].head->number == x->head->number)
      return damaged(r, "a block comes twice");
  for (uint32_t i = 0; i < x->head->count; i++)
    if (!read_fresh(r, x->entities[i]))
      return false;
  for (uint32_t i = 0; i < x->child_count; i++)
    if (x->children[i].kind != COMMAND_SPAWN || !read_command(r, &x->children[i]))
      return damaged(r, "the children of a block");
  x->columns = zeroed(r, x->head->part_count, sizeof *x->columns);
  return read_parts(r, number);
}

static bool read_queue(restore_t *r) {
  const command_t *commands = NULL;
  r->fresh = zeroed(r, r->facts->entities_used, 1);
  // Blocks stand behind the commands that name them, but are needed to check those.
  uint32_t at = r->at, count = 0;
  if (!take(r, SNAPSHOT_COMMANDS, 0, 0, sizeof *commands, &commands, &count) ||
      !take(r, SNAPSHOT_LISTS, 0, 0, sizeof *r->lists, &r->lists, &r->list_count) ||
      !take(r, SNAPSHOT_LIST_VALUES, 0, 0, sizeof *r->list_values, &r->list_values, &r->list_value_count))
    return false;
  for (uint32_t i = 0; i < r->facts->block_count; i++)
    if (!read_block(r, i))
      return false;
  uint32_t end = r->at;
  r->at = at;
  if (!copy_commands(r, SNAPSHOT_COMMANDS, 0, &r->commands, &r->command_count))
    return false;
  r->at = end;
  for (uint32_t i = 0; i < r->command_count; i++)
    if (!read_command(r, &r->commands[i]))
      return false;
  for (uint32_t i = 0; i < r->facts->block_count; i++)
    if (!r->blocks[i].queued)
      return damaged(r, "a block that nobody spawns");
  return true;
}

// What components hold beside their columns stands behind all the rest, in the order of the components. What is in it is theirs to
// check.
static bool read_storage(restore_t *r) {
  for (uint32_t next = 0; r->at < r->section_count; r->at++) {
    const snapshot_section_t *s = &r->table[r->at];
    if (s->kind != SNAPSHOT_OWN_STORAGE)
      return error_set(r->error, "the snapshot holds something that this version cannot read");
    if (s->a < next || s->a >= r->facts->manager_count || s->bytes == 0)
      return damaged(r, "storage of no component");
    rows_t *x = &r->managers[s->a];
    x->storage = r->bytes + s->offset;
    x->storage_bytes = s->bytes;
    x->storage_version = s->b;
    next = s->a + 1;
  }
  return true;
}

// --- all of it

bool restore_read(restore_t *r) {
  schema_t *schema = zeroed(r, 1, sizeof *schema); // too large for the stack, and one is enough
  bool good = read_facts(r) && read_strings(r) && read_entities(r) &&
              take(r, SNAPSHOT_ASSEMBLAGES, 0, 0, 4, &r->assemblage_names, &r->assemblage_count);
  const snapshot_facts_t *f = r->facts;
  if (good) {
    r->managers = zeroed(r, f->manager_count, sizeof *r->managers);
    r->events = zeroed(r, f->event_count, sizeof *r->events);
    r->queries = zeroed(r, f->query_count, sizeof *r->queries);
    r->watchers = zeroed(r, f->watcher_count, sizeof *r->watchers);
    r->blocks = zeroed(r, f->block_count, sizeof *r->blocks);
  }
  for (uint32_t i = 0; good && i < f->manager_count; i++)
    good = read_manager(r, i, schema);
  for (uint32_t i = 0; good && i < f->event_count; i++)
    good = read_event(r, i, schema);
  for (uint32_t i = 0; good && i < f->query_count; i++)
    good = read_query(r, i);
  for (uint32_t i = 0; good && i < f->watcher_count; i++)
    good = read_watcher(r, i);
  good = good && read_readers(r) && read_queue(r) && read_storage(r);
  alloc_resize(r->a, schema, sizeof *schema, 0);
  return good;
}
