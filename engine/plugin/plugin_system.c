// A plugin's system in the schedule: its query opened, its columns laid out so that row i is element i of all of
// them, what it wrote put back, what it queued applied or dropped. Columns that lie in the query's order already, as
// those of a group do, are handed out as they are.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "relation/changes.h"
#include "shoal/observe.h"
#include "state/hint.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- scratch

void *scratch_room(plugins_o *p, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes) {
  if (!s->memory) {
    s->count = columns;
    s->memory = alloc_resize(&p->memory, NULL, 0, columns * sizeof *s->memory);
    s->bytes = alloc_resize(&p->memory, NULL, 0, columns * sizeof *s->bytes);
    memset(s->memory, 0, columns * sizeof *s->memory);
    memset(s->bytes, 0, columns * sizeof *s->bytes);
  }
  shoal_assert(s->count == columns && column < columns, "column %u of %u, and there is room for %u", column, columns,
               s->count);
  if (s->bytes[column] < bytes) {
    alloc_free_aligned(&p->memory, s->memory[column], s->bytes[column]);
    s->bytes[column] = bytes + bytes / 4;
    s->memory[column] = alloc_aligned(&p->memory, s->bytes[column]);
  }
  return s->memory[column];
}

void scratch_free(plugins_o *p, scratch_t *s) {
  for (uint32_t i = 0; i < s->count; ++i)
    alloc_free_aligned(&p->memory, s->memory[i], s->bytes[i]);
  alloc_resize(&p->memory, s->memory, s->count * sizeof *s->memory, 0);
  alloc_resize(&p->memory, s->bytes, s->count * sizeof *s->bytes, 0);
  *s = (scratch_t){0};
}

#define GATHER(type_)                                                                                                  \
  do {                                                                                                                 \
    const type_ *f = from;                                                                                             \
    type_ *t = to;                                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      t[i] = rows[i] != ROW_NONE ? f[rows[i]] : *(const type_ *)absent;                                                \
  } while (0)

// `rows` names the row of each element; `absent` is what those without one get.
void plugin_gather(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes,
                   const void *absent) {
  shoal_assert(to && rows, "%u elements are nowhere", count); // `from` is, where nobody has the component
  switch (bytes) {
  case 1: GATHER(uint8_t); break;
  case 2: GATHER(uint16_t); break;
  case 4: GATHER(uint32_t); break;
  case 8: GATHER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      memcpy((char *)to + (size_t)i * bytes,
             rows[i] != ROW_NONE ? (const char *)from + (size_t)rows[i] * bytes : absent, bytes);
  }
}

#define SCATTER(type_)                                                                                                 \
  do {                                                                                                                 \
    const type_ *f = from;                                                                                             \
    type_ *t = to;                                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      if (rows[i] != ROW_NONE)                                                                                         \
        t[rows[i]] = f[i];                                                                                             \
  } while (0)

static void scatter(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes) {
  switch (bytes) {
  case 1: SCATTER(uint8_t); break;
  case 2: SCATTER(uint16_t); break;
  case 4: SCATTER(uint32_t); break;
  case 8: SCATTER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      if (rows[i] != ROW_NONE)
        memcpy((char *)to + (size_t)rows[i] * bytes, (const char *)from + (size_t)i * bytes, bytes);
  }
}

bool plugin_is_derived(const bound_t *b, uint32_t column) {
  shoal_assert(column < b->component->column_count, "column %u of %s", column, b->component->name);
  return b->manager && b->columns[column] >= b->manager->schema.field_count;
}

uint32_t plugin_element_bytes(const bound_t *b, uint32_t column) {
  shoal_assert(b->manager, "%s has no rows", b->component->name);
  return field_size(b->manager->schema.fields[b->columns[column]].type);
}

void plugin_note_links(const bound_t *b) {
  for (uint32_t i = 0; b->manager && i < b->component->column_count; ++i)
    if (b->manager->schema.fields[b->columns[i]].type == FIELD_ENTITY)
      *world_links_written(b->plugin->all->world) = 1;
}

// --- what a system is made of

static bool is_among(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

void plugin_make_runs(plugins_o *p, plugin_t *x) {
  static const phase_t PHASES[] = {PHASE_UPDATE, PHASE_INPUT,       PHASE_PRE_UPDATE,
                                   PHASE_UPDATE, PHASE_POST_UPDATE, PHASE_RENDER};
  for (const shoal_system *s = x->def->systems; s && s->name; ++s)
    ++x->run_count;
  uint32_t observers = plugin_count_observers(x->def);
  x->run_count += observers;
  x->runs = alloc_resize(&p->memory, NULL, 0, x->run_count * sizeof *x->runs);
  run_t *run = x->runs;
  for (const shoal_system *s = x->def->systems; s && s->name; ++s, ++run) {
    shoal_assert((size_t)s->phase < sizeof PHASES / sizeof *PHASES, "system %s.%s was not checked", x->name, s->name);
    *run = (run_t){.plugin = x, .def = s, .phase = PHASES[s->phase]};
    snprintf(run->name, sizeof run->name, "%s.%s", x->name, s->name);
  }
  for (uint32_t i = 0; i < observers; ++i, ++run) {
    const shoal_observer *o = &x->def->observers[i];
    *run = (run_t){.plugin = x, .def = &run->own, .observer = o, .phase = PHASES[o->phase]};
    plugin_observer_as_system(o, &run->own);
    snprintf(run->name, sizeof run->name, "%s.%s", x->name, o->name);
  }
}

void plugin_free_run(plugins_o *p, run_t *r) {
  for (uint32_t i = 0; i < r->term_count; ++i) {
    term_run_t *t = &r->terms[i];
    uint32_t columns = t->bound ? t->bound->component->column_count : 0;
    alloc_resize(&p->memory, t->columns, columns * sizeof *t->columns, 0);
    alloc_resize(&p->memory, t->there, t->there_bytes, 0);
    scratch_free(p, &t->copies);
    scratch_free(p, &t->before);
  }
  for (uint32_t i = 0; i < r->tables.count; ++i)
    scratch_free(p, &r->tables.items[i].before);
  array_free(&p->memory, &r->tables);
}

// What it writes in place is seen by its value and not marked: looking for it after each run took longer than most
// systems do.
static uint64_t written_of(const bound_t *b) {
  uint64_t columns = 0;
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    if (!plugin_is_derived(b, i))
      columns |= UINT64_C(1) << b->columns[i];
  return columns;
}

static void declare_written(world_o *w, const bound_t *b) {
  world_manager(w, b->manager->id)->written_unmarked |= written_of(b);
}

static bool add_terms(plugins_o *p, run_t *r, const char *const *names, query_role_t role, query_desc_t *desc,
                      error_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    const manager_o *m = world_find_manager(p->world, names[i]);
    if (!m)
      return error_set(error, "there is no component %s%s", names[i], hint_component(p->world, names[i], hint));
    if (r->term_count == QUERY_MAX_TERMS)
      return error_set(error, "a query names at most %d components", QUERY_MAX_TERMS);
    bound_t *b = NULL;
    bound_t *known;
    for (uint32_t k = 0; role != QUERY_WITHOUT && !b && (known = plugin_bound_at(r->plugin, k)) != NULL; ++k)
      b = known->manager == m ? known : NULL;
    uint32_t columns = b ? b->component->column_count : 0;
    term_run_t *t = &r->terms[r->term_count];
    *t = (term_run_t){.bound = b, .manager = m->id, .role = role};
    t->written = b && r->phase != PHASE_RENDER && !is_among(r->def->reads, names[i]);
    if (t->written)
      declare_written(p->world, b);
    t->columns = alloc_resize(&p->memory, NULL, 0, columns * sizeof *t->columns);
    r->shown[r->term_count++] = (shoal_term){.component = b ? b->component : NULL,
                                             .name = names[i],
                                             .columns = columns > 0 ? (void *const *)t->columns : NULL};
    desc->terms[desc->term_count++] = (query_term_desc_t){.manager = m->id, .role = role};
  }
  return true;
}

static bool has_columns_of(const run_t *r, const manager_o *m) {
  for (uint32_t i = 0; i < r->term_count; ++i)
    if (r->terms[i].bound && r->terms[i].bound->manager == m)
      return true;
  return false;
}

// What it reads besides its query.
static bool add_tables(plugins_o *p, run_t *r, error_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && r->def->reads[i] && r->def->beside; ++i) {
    const char *name = r->def->reads[i];
    const manager_o *m = world_find_manager(p->world, name);
    if (!m && world_find_event(p->world, name))
      return error_set(error, "it reads the event %s, and a system with .beside cannot", name);
    if (!m)
      return error_set(error, "it reads %s, and there is no such component%s", name,
                       hint_component(p->world, name, hint));
    if (has_columns_of(r, m))
      continue;
    bound_t *b = NULL;
    for (uint32_t k = 0; k < r->plugin->bound_count && !b; ++k)
      b = r->plugin->bound[k].manager == m ? &r->plugin->bound[k] : NULL;
    table_run_t table = {.bound = b ? b : plugin_find_component(r->plugin, name)};
    array_push(&p->memory, &r->tables, table);
  }
  return true;
}

bool plugin_reaches(const run_t *r, const bound_t *b) {
  for (uint32_t i = 0; i < r->term_count; ++i)
    if (r->terms[i].bound && r->terms[i].bound->manager == b->manager)
      return true;
  for (uint32_t i = 0; i < r->tables.count; ++i)
    if (r->tables.items[i].bound->manager == b->manager)
      return true;
  return false;
}

// What is derived follows from all columns.
static uint64_t read_of(const bound_t *b) {
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    if (plugin_is_derived(b, i))
      return UINT64_MAX >> (64 - b->manager->schema.field_count);
  return written_of(b);
}

bool plugin_bind_run(plugins_o *p, run_t *r, error_t *error) {
  shoal_assert(r->term_count == 0, "the terms of %s are bound twice", r->name);
  query_desc_t desc = {.term_count = 0};
  const shoal_system *s = r->def;
  bool fine =
      add_terms(p, r, s->query, QUERY_WITH, &desc, error) && add_terms(p, r, s->without, QUERY_WITHOUT, &desc, error) &&
      add_terms(p, r, s->optional, QUERY_OPTIONAL, &desc, error) && add_terms(p, r, s->any, QUERY_ANY, &desc, error);
  if (fine && desc.term_count > 0) {
    r->query = world_query(p->world, &desc, error);
    fine = r->query != NULL;
  }
  fine = fine && add_tables(p, r, error);
  if (fine && r->observer)
    plugin_open_observer(r);
  r->ready = fine;
  return fine;
}

// --- columns in the query's order

static const query_term_t *find_term(const query_o *q, const term_run_t *t) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == t->manager && q->terms[i].role == t->role)
      return &q->terms[i];
  shoal_assert(false, "a query has lost component number %u", t->manager);
  return NULL;
}

void plugin_fill_default(const columns_t *c, uint32_t column, void *to, uint32_t count) {
  shoal_assert(column < c->column_count, "column %u of %u", column, c->column_count);
  columns_t one = *c; // with the memory of somebody else, and without marks
  void *data[SCHEMA_MAX_FIELDS];
  data[column] = to;
  one.data = data;
  columns_fill(&one, column, 0, count, c->initial[column]);
}

static bool is_noted(const term_run_t *t) {
  return t->role == QUERY_OPTIONAL || t->role == QUERY_ANY;
}

// It ends where the rows do, so that a sanitizer sees who goes on behind them.
static void *exact_room(run_t *r, term_run_t *t, uint32_t column) {
  plugins_o *p = r->plugin->all;
  size_t bytes = (size_t)r->query->count * plugin_element_bytes(t->bound, column), whole = (bytes + 63) & ~(size_t)63;
  scratch_room(p, &t->copies, column, t->bound->component->column_count, 0);
  if (t->copies.bytes[column] != whole) {
    alloc_free_aligned(&p->memory, t->copies.memory[column], t->copies.bytes[column]);
    t->copies.memory[column] = alloc_aligned(&p->memory, whole);
    t->copies.bytes[column] = whole;
  }
  return bytes > 0 ? (char *)t->copies.memory[column] + (whole - bytes) : NULL;
}

static void *room_of(run_t *r, term_run_t *t, uint32_t column) {
  uint32_t bytes = plugin_element_bytes(t->bound, column);
  if (r->plugin->checks)
    return exact_room(r, t, column);
  return scratch_room(r->plugin->all, &t->copies, column, t->bound->component->column_count,
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
      if (q->views[t->bound->columns[c]].rows || plugin_is_derived(t->bound, c) || r->plugin->checks)
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
  uint32_t bytes = plugin_element_bytes(t->bound, column);
  t->columns[column] = view->data;
  if (plugin_is_derived(t->bound, column)) {
    t->columns[column] = count > 0 ? room_of(r, t, column) : NULL;
    manager_derive(q->manager, real, view->rows, 0, count, t->columns[column]);
  } else if (view->rows && count > 0) {
    float absent[16];
    shoal_assert(bytes <= sizeof absent, "an element of %u bytes", bytes);
    plugin_fill_default(&q->manager->columns, real, absent, 1);
    t->columns[column] = room_of(r, t, column);
    plugin_gather(t->columns[column], view->data, view->rows, count, bytes, absent);
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
  uint32_t bytes = plugin_element_bytes(t->bound, column);
  if (view->rows && count > 0 && !plugin_is_derived(t->bound, column))
    scatter(view->data, t->columns[column], view->rows, count, bytes);
  else if (r->plugin->checks && count > 0 && !plugin_is_derived(t->bound, column))
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
// They are handed out as they are, or as copies that nobody takes back: a write is in the world or not, as rows happen
// to lie. So it is looked for now and then; in the first runs, where a trial sees it, and in every 64th tick.

#define FIRST_LOOKS 4u
#define LOOK_TICKS 64u

static bool will_look(const run_t *r) {
  return r->looked < FIRST_LOOKS || world_tick(r->plugin->all->world) % LOOK_TICKS == 0;
}

// What is derived is a copy that nobody takes back.
static size_t column_bytes(const run_t *r, const term_run_t *t, uint32_t column) {
  return plugin_is_derived(t->bound, column) ? 0 : (size_t)r->query->count * plugin_element_bytes(t->bound, column);
}

static size_t table_bytes(const bound_t *b, uint32_t column) {
  return plugin_is_derived(b, column) ? 0 : (size_t)b->manager->count * plugin_element_bytes(b, column);
}

static const void *stored(const bound_t *b, uint32_t column) {
  return plugin_is_derived(b, column) ? NULL : b->manager->data[b->columns[column]];
}

static void keep_column(run_t *r, scratch_t *to, const bound_t *b, uint32_t column, const void *from, size_t bytes) {
  if (bytes > 0)
    memcpy(scratch_room(r->plugin->all, to, column, b->component->column_count, bytes), from, bytes);
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

// --- running

static void mark_read(run_t *r, uint32_t reader, bool seen) {
  world_o *w = r->plugin->all->world;
  bound_t *b;
  for (uint32_t i = 0; (b = plugin_bound_at(r->plugin, i)) != NULL; ++i) {
    if (!b->read)
      continue;
    b->read = false;
    event_close(b->event);
    if (seen)
      world_reader_set(w, reader, b->event->id, b->event->first + b->event->columns.count);
  }
}

// Rows that were begun and never sent.
static void drop_unfinished(plugin_t *x, bool fine) {
  bound_t *b;
  for (uint32_t i = 0; (b = plugin_bound_at(x, i)) != NULL; ++i) {
    if (b->filling == 0)
      continue;
    b->filling = 0;
    event_fill_end(x->all->world, b->event->id, false);
    if (fine)
      plugin_warn(x, "shoal_emit_begin without a shoal_emit_end: its rows are dropped");
  }
}

// What is opened next takes the lowest number that is free: a save would get what is printed.
static void keep_standard_files(plugin_t *x) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) >= 0)
      continue;
    if (open("/dev/null", O_RDWR) != file)
      return;
    plugin_warn(x, "it has closed the program's standard input, output or errors: what is printed goes nowhere");
  }
}

void plugin_open_rows(run_t *r) {
  r->view = (shoal_view){.terms = r->shown, .term_count = r->term_count};
  r->looks = will_look(r);
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
      plugin_note_links(r->terms[i].bound);
  if (r->query)
    query_close(r->query);
}

// What it queued and wrote is in the world afterwards; a failed one has queued nothing.
static bool run_body(run_t *r, float dt_s, error_t *error) {
  plugin_open_rows(r);
  plugin_lay_columns(r);
  if (r->looks)
    plugin_keep_read(r);
  context_t c = plugin_context(r->plugin, r->phase == PHASE_RENDER ? WHERE_RENDER : WHERE_SYSTEM);
  c.run = r;
  bool fine = plugin_call_system(r, &c, &r->view, dt_s);
  if (!fine)
    *error = c.problem;
  fine = fine && (!r->looks || plugin_is_as_it_was(r, error));
  plugin_take_back(r);
  plugin_close_rows(r);
  return fine;
}

static void fail_run(run_t *r, const char *words) {
  r->plugin->all->failed = true;
  plugin_fail_run(r, words);
}

static void begin_drawing(const plugins_o *p) {
  if (p->desc.draw)
    draw_reset(p->desc.draw);
}

// How often something is drawn must not show in the world: the names of systems that draw come into its table of texts
// here. Not before the first tick, as in the worlds that recordings know.
void plugins_begin_tick(plugins_o *p) {
  world_o *w = p->world;
  if (getpid() != p->process)
    plugins_be_copy(p);
  plugins_start_threads(p);
  for (uint32_t i = 0; i < p->list.count && world_tick(w) > 0; ++i) {
    plugin_t *x = p->list.items[i];
    plugin_sweep_assets(x);
    for (uint32_t k = 0; k < x->run_count; ++k) {
      const run_t *r = &x->runs[k];
      bool due = r->def->every <= 1 || world_tick(w) % r->def->every == 0;
      if (r->phase == PHASE_RENDER && r->ready && !r->parked && due)
        strings_intern(world_strings(w), r->name);
    }
  }
}

// --- in parts: of a parallel system the columns are laid out before the first one, of another one by its only part

static uint32_t begin(void *context, world_o *w, uint32_t number, float dt_s) {
  run_t *r = context;
  (void)number;
  if (r->parked || !r->ready)
    return 0;
  strings_intern(world_strings(w), r->name);
  r->dt_s = dt_s;
  plugin_open_rows(r);
  plugin_begin_parts(r);
  if (r->part_count == 0)
    plugin_close_rows(r);
  if (r->part_count == 0 || !r->def->parallel)
    return r->part_count;
  plugin_lay_columns(r);
  if (r->looks)
    plugin_keep_read(r);
  return r->part_count;
}

static void end(void *context, world_o *w) {
  run_t *r = context;
  error_t error = {0};
  world_defer_begin(w, strings_intern(world_strings(w), r->name));
  bool fine = plugin_end_parts(r, &error);
  if (r->def->parallel) {
    fine = fine && (!r->looks || plugin_is_as_it_was(r, &error));
    plugin_take_back(r);
  }
  plugin_close_rows(r);
  keep_standard_files(r->plugin);
  world_defer_end(w, !fine);
  if (!fine)
    fail_run(r, error.text);
}

// Who looks at what it leaves alone must not see what others do.
static bool is_alone(void *context, world_o *w) {
  const run_t *r = context;
  (void)w;
  return r->plugin->all->quiet || (will_look(r) && r->ready && !r->parked);
}

void plugin_declare_beside(const run_t *r, schedule_o *s) {
  system_access_t access[QUERY_MAX_TERMS + SHOAL_MAX_NAMES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->term_count; ++i) {
    const term_run_t *t = &r->terms[i];
    if (t->bound)
      access[count++] = (system_access_t){
          .manager = t->manager, .reads = read_of(t->bound), .writes = t->written ? written_of(t->bound) : 0};
  }
  for (uint32_t i = 0; i < r->tables.count; ++i)
    access[count++] =
        (system_access_t){.manager = r->tables.items[i].bound->manager->id, .reads = read_of(r->tables.items[i].bound)};
  if (r->query)
    schedule_goes_over(s, r->name, r->query->id);
  if (r->def->beside && r->ready)
    schedule_beside(s, r->name,
                    &(system_beside_t){.alone = is_alone,
                                       .begin = begin,
                                       .part = plugin_run_part,
                                       .end = end,
                                       .context = (void *)(uintptr_t)r,
                                       .access = access,
                                       .access_count = count,
                                       .changes = r->def->changes});
}

// What it queued applies at the end, or is dropped.
static bool run_once(run_t *r, world_o *w, float dt_s, error_t *error) {
  bool draws = r->phase == PHASE_RENDER;
  uint32_t name = draws ? strings_find(world_strings(w), r->name) : strings_intern(world_strings(w), r->name);
  if (draws)
    begin_drawing(r->plugin->all);
  world_defer_begin(w, name);
  bool fine = r->observer ? plugin_tell_observer(r, dt_s, error) : run_body(r, dt_s, error);
  drop_unfinished(r->plugin, fine);
  keep_standard_files(r->plugin);
  mark_read(r, name, fine && !draws); // what is looked at while drawing stays for the next tick
  world_defer_end(w, !fine);
  return fine;
}

// Until nothing is new: what it changes itself it hears of at once.
static bool run_observer(run_t *r, world_o *w, float dt_s, error_t *error) {
  bool fine = true;
  for (uint32_t rounds = 0; fine && plugin_observer_waits(r); ++rounds)
    fine = rounds < OBSERVER_MOST_ROUNDS ? run_once(r, w, dt_s, error) : plugin_refuse_observer(r, error);
  return fine;
}

void plugin_run_system(void *context, world_o *w, uint32_t number, float dt_s) {
  run_t *r = context;
  plugins_o *p = r->plugin->all;
  error_t error = {0};
  if (r->parked || !r->ready || plugin_rests(r->plugin))
    return;
  if (r->def->parallel || r->def->beside) {
    uint32_t parts = begin(r, w, number, dt_s);
    jobs_run(p->quiet ? NULL : world_jobs(w), plugin_run_part, r, parts);
    if (parts > 0)
      end(r, w);
    return;
  }
  if (!(r->observer ? run_observer(r, w, dt_s, &error) : run_once(r, w, dt_s, &error)))
    fail_run(r, error.text);
}
