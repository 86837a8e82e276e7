// A plugin's columns laid out in the query's order, so that element i of every column is row i, and written back.
// Columns that are in that order already, as those of a group are, are handed out as they are.
#include "plugin/run.h"

#include "base/assert.h"
#include "plugin/plugin.h"

#include <string.h>

static const query_term_t *find_term(const query_o *q, const term_run_t *t) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == t->manager && q->terms[i].role == t->role)
      return &q->terms[i];
  shoal_assert(false, "a query has lost component number %u", t->manager);
  return NULL;
}

static bool is_noted(const term_run_t *t) {
  return t->role == QUERY_OPTIONAL || t->role == QUERY_ANY;
}

// Allocated without slack, so that AddressSanitizer catches accesses past the last row.
static void *exact_room(run_t *r, term_run_t *t, uint32_t column) {
  plugins_o *p = r->plugin->all;
  size_t bytes = (size_t)r->query->count * bound_element_bytes(t->bound, column), whole = (bytes + 63) & ~(size_t)63;
  scratch_room(&p->memory, &t->copies, column, t->bound->component->column_count, 0);
  if (t->copies.bytes[column] != whole) {
    alloc_free_aligned(&p->memory, t->copies.memory[column], t->copies.bytes[column]);
    t->copies.memory[column] = alloc_aligned(&p->memory, whole);
    t->copies.bytes[column] = whole;
  }
  return bytes > 0 ? (char *)t->copies.memory[column] + (whole - bytes) : NULL;
}

static void *room_of(run_t *r, term_run_t *t, uint32_t column) {
  uint32_t bytes = bound_element_bytes(t->bound, column);
  if (r->plugin->checks)
    return exact_room(r, t, column);
  return scratch_room(&r->plugin->all->memory, &t->copies, column, t->bound->component->column_count,
                      (size_t)r->query->count * bytes);
}

// For all that is copied when columns are laid out, which takes none then. Main thread.
static void make_room(run_t *r) {
  plugins_o *p = r->plugin->all;
  uint32_t count = r->query ? r->query->count : 0;
  for (uint32_t i = 0; i < r->term_count && count > 0; ++i) {
    term_run_t *t = &r->terms[i];
    const query_term_t *q = find_term(r->query, t);
    if (is_noted(t) && t->there_bytes < count) {
      size_t wanted = columns_grown((uint32_t)t->there_bytes, count);
      t->there = alloc_resize(&p->memory, t->there, t->there_bytes, wanted);
      t->there_bytes = wanted;
    }
    for (uint32_t c = 0; t->bound && c < t->bound->component->column_count; ++c)
      if (q->views[t->bound->columns[c]].rows || bound_is_derived(t->bound, c) || r->plugin->checks)
        room_of(r, t, c);
  }
}

static void note_there(run_t *r, uint32_t term, const query_term_t *q, uint32_t count) {
  term_run_t *t = &r->terms[term];
  for (uint32_t i = 0; i < count; ++i)
    t->there[i] = q->present.rows == NULL || q->present.rows[i] != ROW_NONE;
  r->shown[term].there = t->there;
}

static void lay_column(run_t *r, term_run_t *t, const query_term_t *q, uint32_t column) {
  uint32_t count = r->query->count, real = t->bound->columns[column];
  const column_view_t *view = &q->views[real];
  uint32_t bytes = bound_element_bytes(t->bound, column);
  t->columns[column] = view->data;
  if (bound_is_derived(t->bound, column)) {
    t->columns[column] = count > 0 ? room_of(r, t, column) : NULL;
    manager_derive(q->manager, real, view->rows, 0, count, t->columns[column]);
  } else if (view->rows && count > 0) {
    float absent[16];
    shoal_assert(bytes <= sizeof absent, "an element of %u bytes", bytes);
    plugin_fill_default(&q->manager->columns, real, absent, 1);
    t->columns[column] = room_of(r, t, column);
    scratch_gather(t->columns[column], view->data, view->rows, count, bytes, absent);
  } else if (r->plugin->checks && count > 0) {
    t->columns[column] = memcpy(room_of(r, t, column), view->data, (size_t)count * bytes);
  }
}

void plugin_lay_columns(run_t *r) {
  for (uint32_t i = 0; i < r->term_count && r->query; ++i) {
    term_run_t *t = &r->terms[i];
    const query_term_t *q = find_term(r->query, t);
    if (is_noted(t))
      note_there(r, i, q, r->query->count);
    for (uint32_t c = 0; t->bound && c < t->bound->component->column_count; ++c)
      lay_column(r, t, q, c);
  }
}

static void take_back_column(run_t *r, term_run_t *t, const query_term_t *q, uint32_t column) {
  uint32_t count = r->query->count, real = t->bound->columns[column];
  const column_view_t *view = &q->views[real];
  uint32_t bytes = bound_element_bytes(t->bound, column);
  if (view->rows && count > 0 && !bound_is_derived(t->bound, column))
    scratch_scatter(view->data, t->columns[column], view->rows, count, bytes);
  else if (r->plugin->checks && count > 0 && !bound_is_derived(t->bound, column))
    memcpy(view->data, t->columns[column], (size_t)count * bytes);
}

void plugin_take_back(run_t *r) {
  for (uint32_t i = 0; i < r->term_count && r->query; ++i) {
    term_run_t *t = &r->terms[i];
    for (uint32_t c = 0; t->written && c < t->bound->component->column_count; ++c)
      take_back_column(r, t, find_term(r->query, t), c);
  }
}

// --- columns that it only reads
//
// They are handed out as they are, or as copies that are not written back: whether a write reaches the world depends on
// the order of rows. So writes are searched for in the first runs, where a trial sees them, and in every 64th tick.

#define FIRST_LOOKS 4u
#define LOOK_TICKS 64u

bool plugin_will_look(const run_t *r) {
  return r->looked < FIRST_LOOKS || world_tick(r->plugin->all->world) % LOOK_TICKS == 0;
}

// What is derived is a copy that nobody takes back.
static size_t column_bytes(const run_t *r, const term_run_t *t, uint32_t column) {
  return bound_is_derived(t->bound, column) ? 0 : (size_t)r->query->count * bound_element_bytes(t->bound, column);
}

static size_t table_bytes(const bound_t *b, uint32_t column) {
  return bound_is_derived(b, column) ? 0 : (size_t)b->manager->count * bound_element_bytes(b, column);
}

static const void *stored(const bound_t *b, uint32_t column) {
  return bound_is_derived(b, column) ? NULL : b->manager->data[b->columns[column]];
}

static void keep_column(run_t *r, scratch_t *to, const bound_t *b, uint32_t column, const void *from, size_t bytes) {
  if (bytes > 0)
    memcpy(scratch_room(&r->plugin->all->memory, to, column, b->component->column_count, bytes), from, bytes);
}

void plugin_keep_read(run_t *r) {
  for (uint32_t i = 0; i < r->term_count && r->query; ++i) {
    term_run_t *t = &r->terms[i];
    for (uint32_t c = 0; t->bound && !t->written && c < t->bound->component->column_count; ++c)
      keep_column(r, &t->before, t->bound, c, t->columns[c], column_bytes(r, t, c));
  }
  for (uint32_t i = 0; i < r->tables.count; ++i) {
    table_run_t *t = &r->tables.items[i];
    for (uint32_t c = 0; c < t->bound->component->column_count; ++c)
      keep_column(r, &t->before, t->bound, c, stored(t->bound, c), table_bytes(t->bound, c));
  }
}

static bool refuse_write(const run_t *r, const bound_t *b, uint32_t column, error_t *error) {
  return error_set(error, "it writes %s.%s, which %s", b->component->name,
                   b->manager->schema.fields[b->columns[column]].name,
                   r->phase == PHASE_RENDER ? "the render phase only reads" : "its .reads says that it only reads");
}

bool plugin_is_as_it_was(const run_t *r, error_t *error) {
  for (uint32_t i = 0; i < r->term_count && r->query; ++i) {
    const term_run_t *t = &r->terms[i];
    for (uint32_t c = 0; t->bound && !t->written && c < t->bound->component->column_count; ++c) {
      size_t bytes = column_bytes(r, t, c);
      if (bytes > 0 && memcmp(t->before.memory[c], t->columns[c], bytes) != 0)
        return refuse_write(r, t->bound, c, error);
    }
  }
  for (uint32_t i = 0; i < r->tables.count; ++i) {
    const table_run_t *t = &r->tables.items[i];
    for (uint32_t c = 0; c < t->bound->component->column_count; ++c) {
      size_t bytes = table_bytes(t->bound, c);
      if (bytes > 0 && memcmp(t->before.memory[c], stored(t->bound, c), bytes) != 0)
        return refuse_write(r, t->bound, c, error);
    }
  }
  return true;
}

// --- opening and closing

void plugin_open_rows(run_t *r) {
  r->view = (shoal_view){.terms = r->shown, .term_count = r->term_count};
  r->looks = plugin_will_look(r);
  ++r->looked;
  if (!r->query)
    return;
  query_open(r->query);
  make_room(r);
  r->view.count = r->query->count;
  r->view.entities = r->query->entities;
}

void plugin_close_rows(run_t *r) {
  for (uint32_t i = 0; i < r->term_count; ++i)
    if (r->terms[i].written)
      bound_note_links(r->terms[i].bound);
  if (r->query)
    query_close(r->query);
}

void plugin_refresh(const run_t *r) {
  bound_t *b;
  for (uint32_t i = 0; (b = plugin_bound_at(r->plugin, i)) != NULL; ++i)
    if (b->manager && (!r->def->beside || plugin_reaches(r, b)))
      bound_refresh(b);
}
