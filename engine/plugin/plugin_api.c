// The table of functions that plugins call (shoal/plugin.h says what each of them does). Everything that they hand in
// is looked at: a plugin that calls what it may not gets nothing, and one line in the log.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/jobs.h"
#include "schedule/chunk.h"
#include "state/hint.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// --- who may what

void plugin_warn(plugin_t *x, const char *words) {
  if (x->warned)
    return;
  x->warned = true;
  log_warn(x->all->desc.log, "plugin %s: %s (said once)", x->name, words);
}

// `words` stay as they are: a part hands them on.
static void warn(context_t *c, const char *words) {
  if (c->where == WHERE_PART)
    chunk_note(c->chunk, words);
  else
    plugin_warn(c->plugin, words);
}

// On any thread, and on several at once.
static void shared_warning(context_t *c) {
  c->all->changed_in_part = true;
}

static void fail(shoal_context *c, const char *text);

static bool may_change(context_t *c) {
  bool may =
      c->where == WHERE_SYSTEM || c->where == WHERE_PART || c->where == WHERE_FUNCTION || c->where == WHERE_PRESS;
  if (!may && c->where == WHERE_PANEL)
    fail(&c->shared, "it wants to change the world while it is drawn: a button can, where it is pressed");
  else if (!may)
    warn(c, "it wants to change the world where nothing may change it: while loading, in a manager, or in the render "
            "phase");
  if (c->where == WHERE_PART || !c->all->sharing)
    return may;
  shared_warning(c);
  return false;
}

// Does a system run that may do so beside others, whether it does or not?
static bool is_beside(const context_t *c) {
  return c->run && c->run->def && c->run->def->beside;
}

static bool refuse_beside(context_t *c, const char *words) {
  if (!is_beside(c))
    return true;
  if (!c->failed)
    error_set(&c->problem, "%s", words);
  c->failed = true;
  return false;
}

// Does it change what those behind it see?
static bool may_ask(context_t *c) {
  return may_change(c) &&
         ((is_beside(c) && c->run->def->changes) ||
          refuse_beside(c, "it destroys, adds, removes or sets: with .beside it has to say .changes = true"));
}

// A component that it names, so that nobody writes it meanwhile.
static bool may_reach(context_t *c, const bound_t *b) {
  char words[2 * COMPONENT_NAME_MAX + 128];
  if (!is_beside(c) || plugin_reaches(c->run, b))
    return true;
  snprintf(words, sizeof words, "it looks at %s, which neither its query nor its .reads names: with .beside it has to",
           b->component->name);
  return refuse_beside(c, words);
}

static bound_t *find(context_t *c, const shoal_component *component) {
  bound_t *b = component ? plugin_bound(c->plugin, component) : NULL;
  if (!b)
    warn(c, "it names a component that is neither in .components nor in .uses");
  return b;
}

static bound_t *find_rows(context_t *c, const shoal_component *component) {
  bound_t *b = find(c, component);
  return b && b->manager ? b : NULL;
}

static bound_t *find_event(context_t *c, const shoal_component *component) {
  bound_t *b = find(c, component);
  return b && b->event ? b : NULL;
}

// --- facts

static uint64_t tick(shoal_context *c) {
  return world_tick(context_of(c)->all->world);
}

static uint32_t tick_rate(shoal_context *c) {
  return world_tick_rate(context_of(c)->all->world);
}

static uint32_t random_number(shoal_context *c) {
  context_t *x = context_of(c);
  if (x->where == WHERE_PART)
    return chunk_random_u32(x->chunk);
  if (!may_change(x))
    return 0;
  return random_u32(world_random(x->all->world));
}

static void log_line(shoal_context *c, shoal_level level, const char *text) {
  context_t *x = context_of(c);
  log_o *log = x->all->desc.log;
  if (x->all->quiet || x->where == WHERE_PART)
    return;
  switch (level) {
  case SHOAL_LOG_ERROR: log_error(log, "%s: %.1000s", x->plugin->name, text); break;
  case SHOAL_LOG_WARN: log_warn(log, "%s: %.1000s", x->plugin->name, text); break;
  case SHOAL_LOG_DEBUG: log_debug(log, "%s: %.1000s", x->plugin->name, text); break;
  default: log_info(log, "%s: %.1000s", x->plugin->name, text); break;
  }
}

static void fail(shoal_context *c, const char *text) {
  context_t *x = context_of(c);
  if (!x->failed)
    error_set(&x->problem, "%.1000s", text);
  x->failed = true;
}

// Several of its systems may run at the same time.
static void *resize(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  plugin_t *x = context_of(c)->plugin;
  while (atomic_exchange_explicit(&x->resizing, true, memory_order_acquire))
    ;
  void *memory = alloc_resize(&x->memory, old, old ? old_bytes : 0, new_bytes);
  atomic_store_explicit(&x->resizing, false, memory_order_release);
  return memory;
}

static void *state(shoal_context *c) {
  return context_of(c)->plugin->state;
}

static void *self(shoal_context *c, const shoal_component *component) {
  const bound_t *b = find(context_of(c), component);
  return b && (!b->self || may_reach(context_of(c), b)) ? b->self : NULL;
}

// What .reads names has been found before the first part runs.
static const shoal_component *find_component(shoal_context *c, const char *name) {
  context_t *x = context_of(c);
  bound_t *b = name && x->where != WHERE_PART ? plugin_find_component(x->plugin, name) : NULL;
  for (uint32_t i = 0; name && x->where == WHERE_PART && !b && i < x->run->tables.count; ++i)
    if (strcmp(x->run->tables.items[i].bound->component->name, name) == 0)
      b = x->run->tables.items[i].bound;
  return b ? b->component : NULL;
}

// --- entities

static bool alive(shoal_context *c, shoal_entity e) {
  const world_o *w = context_of(c)->all->world;
  return world_alive(w, e) && !world_is_doomed(w, e);
}

static uint32_t spawn(shoal_context *c, const char *assemblage, uint32_t count, shoal_entity *out) {
  context_t *x = context_of(c);
  world_o *w = x->all->world;
  error_t error;
  char hint[HINT_BYTES];
  uint32_t number = 0;
  if (!refuse_beside(x, "it spawns, which a system with .beside cannot") || x->where == WHERE_PART || !may_change(x))
    return 0;
  if (assemblage && assemblage[0]) {
    number = world_find_assemblage(w, strings_find(world_strings(w), assemblage));
    if (number == 0) {
      log_error(x->all->desc.log, "plugin %s: there is no assemblage %s to spawn%s", x->plugin->name, assemblage,
                hint_assemblage(w, assemblage, hint));
      return 0;
    }
  }
  uint32_t made = world_spawn_many(w, number, count, out, &error);
  if (made == 0 && count > 0)
    log_error(x->all->desc.log, "plugin %s: %s", x->plugin->name, error.text);
  return made;
}

static void destroy(shoal_context *c, const shoal_entity *entities, uint32_t count) {
  context_t *x = context_of(c);
  if (!may_ask(x))
    return;
  for (uint32_t i = 0; i < count; ++i) {
    if (x->where == WHERE_PART)
      chunk_queue(x->chunk, CHUNK_DESTROY, entities[i], NULL, 0, 0, 0);
    else
      world_destroy(x->all->world, entities[i]);
  }
}

// The text's id; in a part, where nothing new may be written down, 0 when the world does not know it. False then.
static bool instance_id(context_t *x, const bound_t *b, const char *instance, uint32_t *out) {
  strings_o *strings = world_strings(x->all->world);
  *out = 0;
  if (b->component->kind != SHOAL_KIND_MANY || !instance || !instance[0])
    return true;
  *out = x->where == WHERE_PART ? strings_find(strings, instance) : strings_intern(strings, instance);
  return *out != 0;
}

static bool add(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of(c);
  const bound_t *b = find_rows(x, component);
  uint32_t id = 0;
  error_t error;
  if (!b || !may_ask(x) || !world_alive(x->all->world, e) || !instance_id(x, b, instance, &id))
    return false;
  if (x->where != WHERE_PART)
    return world_add(x->all->world, e, b->manager->id, id, &error);
  chunk_queue(x->chunk, CHUNK_ADD, e, b, id, 0, 0);
  return true;
}

static bool take_off(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of(c);
  const bound_t *b = find_rows(x, component);
  uint32_t id = 0;
  if (!b || !may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  if (x->where != WHERE_PART)
    return world_remove(x->all->world, e, b->manager->id, id);
  bool there = manager_row(b->manager, e) != ROW_NONE;
  if (there)
    chunk_queue(x->chunk, CHUNK_REMOVE, e, b, id, 0, 0);
  return there;
}

static bool set_named(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance,
                      uint32_t column, double value) {
  context_t *x = context_of(c);
  const bound_t *b = find_rows(x, component);
  uint32_t id = 0;
  error_t error;
  if (!b || column >= component->column_count || !may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  uint32_t real = b->columns[column];
  if (x->where != WHERE_PART)
    return world_set(x->all->world, e, b->manager->id, id, real, value, &error);
  if (world_alive(x->all->world, e))
    chunk_queue(x->chunk, CHUNK_SET, e, b, id, real, value);
  return world_alive(x->all->world, e);
}

static bool set(shoal_context *c, shoal_entity e, const shoal_component *component, uint32_t column, double value) {
  if (component && component->kind == SHOAL_KIND_MANY) {
    warn(context_of(c),
         "shoal_set cannot say which row of a SHOAL_MANY component it means: shoal_set_named takes its name");
    return false;
  }
  return set_named(c, e, component, NULL, column, value);
}

// --- columns

// What is derived is calculated, of all rows.
static void refresh(bound_t *b) {
  const manager_o *m = b->manager;
  uint32_t columns = b->component->column_count;
  for (uint32_t i = 0; i < columns; ++i) {
    if (!plugin_is_derived(b, i)) {
      b->data[i] = m->data[b->columns[i]];
    } else if (m->count > 0) {
      size_t bytes = (size_t)m->count * plugin_element_bytes(b, i);
      b->data[i] = scratch_room(b->plugin->all, &b->scratch, i, columns, bytes);
      manager_derive(m, b->columns[i], NULL, 0, m->count, b->data[i]);
    }
  }
}

void plugin_refresh(const run_t *r) {
  bound_t *b;
  for (uint32_t i = 0; (b = plugin_bound_at(r->plugin, i)) != NULL; ++i)
    if (b->manager && (!r->def->beside || plugin_reaches(r, b)))
      refresh(b);
}

static shoal_table table(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  bound_t *b = find_rows(x, component);
  if (!b || !may_reach(x, b))
    return (shoal_table){0};
  if (x->where != WHERE_PART) {
    refresh(b);
    plugin_note_links(b);
  }
  const manager_o *m = b->manager;
  return (shoal_table){.count = m->count,
                       .owners = m->schema.kind == SCHEMA_SINGLE ? NULL : m->owner,
                       .instances = m->instance,
                       .columns = b->data};
}

static void rows(shoal_context *c, const shoal_component *component, const shoal_entity *entities, uint32_t count,
                 uint32_t *out) {
  const bound_t *b = find_rows(context_of(c), component);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = b ? manager_row(b->manager, entities[i]) : SHOAL_NO_ROW;
}

// --- events

static bool may_emit(context_t *x, const bound_t *b, uint32_t count) {
  if (!b || !may_change(x))
    return false;
  if (count > SHOAL_MAX_EMIT)
    warn(x, "shoal_emit_begin asks for more rows than an event can have at a time (SHOAL_MAX_EMIT)");
  if (x->where != WHERE_PART && b->filling > 0)
    warn(x, "shoal_emit_begin comes before the shoal_emit_end of the rows before: they are dropped");
  return count <= SHOAL_MAX_EMIT;
}

static void *const *emit_begin(shoal_context *c, const shoal_component *event, uint32_t count) {
  context_t *x = context_of(c);
  bound_t *b = find_event(x, event);
  if (!may_emit(x, b, count))
    return NULL;
  if (x->where == WHERE_PART)
    return chunk_emit(x->chunk, b, count);
  columns_t *to = event_fill_begin(x->all->world, b->event->id, count);
  for (uint32_t i = 0; i < event->column_count; ++i)
    b->data[i] = to->data[b->columns[i]];
  b->filling = count;
  return b->data;
}

static void emit_end(shoal_context *c, const shoal_component *event) {
  context_t *x = context_of(c);
  bound_t *b = find_event(x, event);
  if (!b || x->where == WHERE_PART || b->filling == 0)
    return;
  b->filling = 0;
  event_fill_end(x->all->world, b->event->id, true);
}

static void lay_event(plugins_o *p, bound_t *b, uint32_t column, uint32_t count) {
  event_o *ev = b->event;
  const column_view_t *view = &ev->views[b->columns[column]];
  uint32_t bytes = ev->columns.element_bytes[b->columns[column]];
  b->data[column] = view->data;
  if (!view->rows || count == 0)
    return;
  b->data[column] = scratch_room(p, &b->scratch, column, b->component->column_count, (size_t)count * bytes);
  plugin_gather(b->data[column], view->data, view->rows, count, bytes, NULL);
}

static shoal_table read_event(shoal_context *c, const shoal_component *event) {
  context_t *x = context_of(c);
  bound_t *b = find_event(x, event);
  world_o *w = x->all->world;
  if (!refuse_beside(x, "it reads events, which a system with .beside cannot") || !b || !x->run ||
      x->where == WHERE_PART)
    return (shoal_table){0};
  uint64_t next = 0;
  uint32_t reader = strings_find(world_strings(w), x->run->name);
  uint32_t count = event_open(b->event, world_reader(w, reader, b->event->id), &next);
  for (uint32_t i = 0; i < event->column_count; ++i)
    lay_event(x->all, b, i, count);
  b->read = true;
  return (shoal_table){.count = count, .columns = b->data};
}

// --- texts, threads

static const char *text(shoal_context *c, uint32_t id) {
  return strings_text(world_strings(context_of(c)->all->world), id);
}

static uint32_t text_id(shoal_context *c, const char *words) {
  context_t *x = context_of(c);
  strings_o *strings = world_strings(x->all->world);
  bool may_add = x->where == WHERE_SYSTEM || x->where == WHERE_FUNCTION || x->where == WHERE_PRESS;
  return may_add ? strings_intern(strings, words) : strings_find(strings, words);
}

static uint32_t workers(shoal_context *c) {
  context_t *x = context_of(c);
  return x->all->quiet ? 1 : jobs_workers(world_jobs(x->all->world));
}

typedef struct shared_t {
  plugin_parts_t parts;
  atomic_flag failed; // by the first that does
  error_t problem;
  bool has_problem;
} shared_t;

static void run_shared(void *context, uint32_t part, uint32_t worker) {
  shared_t *s = context;
  error_t error;
  if (plugin_call_part(&s->parts, part, worker, &error) || atomic_flag_test_and_set(&s->failed))
    return;
  s->problem = error;
  s->has_problem = true;
}

static void end_sharing(context_t *x) {
  x->all->sharing = false;
  if (x->all->changed_in_part)
    plugin_warn(x->plugin,
                "it wants to change the world in a part of shoal_jobs: that is done when all parts are through");
  x->all->changed_in_part = false;
  plugin_tell_rules(x->plugin);
}

static void jobs(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                 uint32_t parts) {
  context_t *x = context_of(c);
  bool nested = x->where == WHERE_PART || x->all->sharing; // a part that shares out work itself does it alone
  shared_t s = {.parts = {.plugin = x->plugin, .part = part, .data = data}, .failed = ATOMIC_FLAG_INIT};
  if (!nested)
    x->all->sharing = true;
  jobs_run(nested || x->all->quiet ? NULL : world_jobs(x->all->world), run_shared, &s, parts);
  if (!nested)
    end_sharing(x);
  if (s.has_problem)
    fail(c, s.problem.text);
}

// --- results

// Room for a result, by its place among the results of the function that is called.
void *plugin_give(context_t *x, const shoal_value *result, size_t bytes) {
  shoal_assert(x->where != WHERE_FUNCTION || x->function < x->plugin->function_count, "function %u of %u of plugin %s",
               x->function, x->plugin->function_count, x->plugin->name);
  ptrdiff_t at = result - x->results;
  if (x->where != WHERE_FUNCTION || at < 0 || at >= (ptrdiff_t)PLUGIN_MAX_VALUES)
    return NULL;
  given_t *g = &x->plugin->given[x->function * PLUGIN_MAX_VALUES + (uint32_t)at];
  if (g->bytes < bytes || !g->memory) {
    size_t room = bytes + bytes / 4 + 16;
    g->memory = alloc_resize(&x->all->memory, g->memory, g->bytes, room);
    g->bytes = room;
  }
  return g->memory;
}

static double *give_numbers(shoal_context *c, shoal_value *result, uint32_t count) {
  double *to = plugin_give(context_of(c), result, count * sizeof *to);
  result->numbers = to;
  result->count = to ? count : 0;
  return to;
}

static shoal_entity *give_entities(shoal_context *c, shoal_value *result, uint32_t count) {
  shoal_entity *to = plugin_give(context_of(c), result, count * sizeof *to);
  result->entities = to;
  result->count = to ? count : 0;
  return to;
}

static void give_text(shoal_context *c, shoal_value *result, const char *words) {
  size_t bytes = strlen(words);
  char *to = plugin_give(context_of(c), result, bytes + 1);
  if (to)
    memcpy(to, words, bytes + 1);
  result->text = to ? to : "";
  result->count = to ? (uint32_t)bytes : 0;
}

static bool is_given(const given_t *g, const void *memory, size_t count, size_t bytes) {
  return memory == NULL || memory == g->memory ? count <= (memory ? g->bytes : 0) / bytes : false;
}

bool plugin_results_are_given(const context_t *c) {
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i) {
    const shoal_value *v = &c->results[i];
    const given_t *g = &c->plugin->given[c->function * PLUGIN_MAX_VALUES + i];
    const plugin_built_t *b = &c->plugin->built[c->function * PLUGIN_MAX_VALUES + i];
    bool is_table = v->any == SHOAL_ANY_TABLE;
    bool fine = is_table ? v->text == (const char *)b->members.items && v->count == b->members.count && b->depth == 0
                : v->numbers  ? is_given(g, v->numbers, v->count, sizeof *v->numbers)
                : v->entities ? is_given(g, v->entities, v->count, sizeof *v->entities)
                : v->text     ? (v->text[0] == '\0' && v->count == 0) || is_given(g, v->text, (size_t)v->count + 1, 1)
                              : v->count == 0;
    if (!fine)
      return false;
  }
  return true;
}

// --- files and drawing

static void *asset(shoal_context *c, const char *name, size_t *size) {
  context_t *x = context_of(c);
  char path[1100];
  error_t error = {0};
  void *file = NULL;
  *size = 0;
  if (x->where == WHERE_PART || !name)
    return NULL;
  if (!x->all->desc.assets || !assets_find(x->all->desc.assets, name, path, sizeof path))
    error_set(&error, "%s", x->all->desc.assets ? path : "there are no assets");
  else
    file = file_read(&x->plugin->memory, path, size, &error);
  if (!file && !x->all->quiet)
    log_error(x->all->desc.log, "plugin %s: %s", x->plugin->name, error.text);
  return file;
}

static void screen(shoal_context *c, float *width, float *height) {
  *width = (float)context_of(c)->all->desc.width;
  *height = (float)context_of(c)->all->desc.height;
}

static draw_o *drawing(shoal_context *c) {
  const context_t *x = context_of(c);
  return x->where == WHERE_RENDER ? x->all->desc.draw : NULL;
}

static void plugin_draw_space(shoal_context *c, bool to_screen) {
  draw_o *d = drawing(c);
  if (d)
    draw_space(d, to_screen);
}

static void plugin_draw_view(shoal_context *c, shoal_entity camera) {
  draw_o *d = drawing(c);
  if (d)
    draw_view(d, camera);
}

static void plugin_draw_layer(shoal_context *c, int32_t layer) {
  draw_o *d = drawing(c);
  if (d)
    draw_layer(d, layer);
}

static void plugin_draw_colour(shoal_context *c, float r, float g, float b, float a) {
  draw_o *d = drawing(c);
  if (d)
    draw_colour(d, r, g, b, a);
}

static void plugin_draw_line(shoal_context *c, float x1, float y1, float x2, float y2, float width) {
  draw_o *d = drawing(c);
  if (d)
    draw_line(d, x1, y1, x2, y2, width);
}

static void plugin_draw_polygon(shoal_context *c, const float *xy, uint32_t points, bool filled, float width) {
  draw_o *d = drawing(c);
  if (d)
    draw_polygon(d, xy, points, filled, width);
}

static void plugin_draw_solids(shoal_context *c, const float *corners, uint32_t triangles) {
  draw_o *d = drawing(c);
  if (d)
    draw_solids(d, corners, triangles);
}

static void plugin_draw_text(shoal_context *c, const char *words, float x, float y, float size) {
  draw_o *d = drawing(c);
  if (d)
    draw_text(d, words, x, y, size, 0, 0);
}

// --- from outside

#define EXTERNAL_MOST_BYTES ((size_t)16 << 20)
#define EXTERNAL_CHANNEL_BYTES 100u

typedef struct external_t {
  context_t *context;
  shoal_read_external *read;
  void *data;
  size_t room;
} external_t;

static bool read_external(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_t *error) {
  const external_t *x = context;
  (void)key;
  void *room = alloc_resize(a, NULL, 0, x->room + 1);
  memset(room, 0, x->room + 1);
  *size = x->read(x->data, room, x->room);
  if (*size > x->room) {
    alloc_resize(a, room, x->room + 1, 0);
    return error_set(error, "its function says that it has read %zu bytes, and there is room for %zu", *size, x->room);
  }
  *bytes = alloc_resize(a, room, x->room + 1, *size + 1);
  return true;
}

// Only where what follows is lived again with the same bytes.
static bool may_hear(context_t *c) {
  bool pure = c->where == WHERE_FUNCTION && c->plugin->def->functions[c->function].pure;
  bool may = (c->where == WHERE_SYSTEM || c->where == WHERE_FUNCTION) && !pure;
  if (!may)
    warn(c, "it reads from outside where that is not recorded: while loading, in a manager, in a pure function, in "
            "parallel or in the "
            "render phase");
  return may && c->all->desc.outside && !c->all->quiet;
}

static const void *external(shoal_context *c, const char *channel, shoal_read_external *read, void *data, size_t room,
                            size_t *size) {
  static const max_align_t nothing;
  context_t *x = context_of(c);
  char name[COMPONENT_NAME_MAX + EXTERNAL_CHANNEL_BYTES + 2], key[sizeof name + 16];
  *size = 0;
  if (!may_hear(x))
    return &nothing;
  if (!channel || !read || strlen(channel) > EXTERNAL_CHANNEL_BYTES || room > EXTERNAL_MOST_BYTES) {
    warn(x, "shoal_external takes a channel of up to 100 bytes, a function, and room for 16 MB at most");
    return &nothing;
  }
  snprintf(name, sizeof name, "%s/%s", x->plugin->name, channel);
  snprintf(key, sizeof key, "%s#%u", name, outside_number(x->all->desc.outside, name));
  external_t how = {.context = x, .read = read, .data = data, .room = room};
  const outside_answer_t *a = outside_ask(x->all->desc.outside, OUTSIDE_PLUGIN, key, read_external, &how);
  if (!a->found)
    warn(x, (const char *)a->bytes);
  if (!a->found || a->size > room) // a recording may say anything
    return &nothing;
  *size = a->size;
  return a->bytes;
}

// Version 1 has had two meanings of one place: triangles with and without depth.
static void no_solids(shoal_context *c, const float *corners, uint32_t triangles) {
  (void)corners, (void)triangles;
  warn(context_of(c), "it was built for version 1 of the interface, whose triangles are drawn no more: build it again");
}

// clang-format off
#define TABLE(version_, solids_)                                                                                       \
  {                                                                                                                    \
    .size = sizeof(shoal_api),                                                                                         \
    .version = version_,                                                                                               \
    .tick = tick,                                                                                                      \
    .tick_rate = tick_rate,                                                                                            \
    .random = random_number,                                                                                           \
    .log = log_line,                                                                                                   \
    .fail = fail,                                                                                                      \
    .resize = resize,                                                                                                  \
    .state = state,                                                                                                    \
    .self = self,                                                                                                      \
    .find = find_component,                                                                                            \
    .alive = alive,                                                                                                    \
    .spawn = spawn,                                                                                                    \
    .destroy = destroy,                                                                                                \
    .add = add,                                                                                                        \
    .remove = take_off,                                                                                                \
    .set = set,                                                                                                        \
    .table = table,                                                                                                    \
    .rows = rows,                                                                                                      \
    .emit_begin = emit_begin,                                                                                          \
    .emit_end = emit_end,                                                                                              \
    .read = read_event,                                                                                                \
    .text = text,                                                                                                      \
    .text_id = text_id,                                                                                                \
    .workers = workers,                                                                                                \
    .jobs = jobs,                                                                                                      \
    .give_numbers = give_numbers,                                                                                      \
    .give_entities = give_entities,                                                                                    \
    .give_text = give_text,                                                                                            \
    .asset = asset,                                                                                                    \
    .screen = screen,                                                                                                  \
    .draw_space = plugin_draw_space,                                                                                   \
    .draw_layer = plugin_draw_layer,                                                                                   \
    .draw_colour = plugin_draw_colour,                                                                                 \
    .draw_line = plugin_draw_line,                                                                                     \
    .draw_polygon = plugin_draw_polygon,                                                                               \
    .draw_solids = solids_,                                                                                            \
    .draw_view = plugin_draw_view,                                                                                     \
    .draw_text = plugin_draw_text,                                                                                     \
    .external = external,                                                                                              \
    .set_named = set_named,                                                                                            \
    .widget = plugin_widget,                                                                                           \
    .service = plugin_service,                                                                                         \
  }
// clang-format on

const shoal_api plugin_api = TABLE(SHOAL_API_VERSION, plugin_draw_solids);
static const shoal_api api_1 = TABLE(1u, no_solids);

const shoal_api *plugin_api_of(uint32_t version) {
  return version == 1 ? &api_1 : &plugin_api;
}
