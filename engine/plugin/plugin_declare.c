// What a plugin says of itself: checked first, all of it, since it was written by somebody else; then declared into
// the world, and its managers put behind the hooks of their components.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "paint/paint.h"
#include "components/builtin.h"
#include "state/hint.h"

#include <stdio.h>
#include <string.h>

#define MOST_STORAGE (1u << 30) // bytes that a manager saves
#define MARGIN 64u              // bytes behind what it saves that it must leave alone

// --- checking

// The schema of a component that the plugin declares (`own`) or only uses: then its name is anybody's, also one of
// Shoal's own. Freed by schema_fini with the world's allocator.
static bool build(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, schema_t *s, error_t *error) {
  char origin[sizeof s->origin];
  snprintf(origin, sizeof origin, "plugin %s", x->name);
  allocator_t *a = world_allocator(p->world);
  if (!schema_build(s, &(schema_desc_t){.component = c, .origin = origin, .any_name = !own}, a, NULL, error))
    return false;
  if (s->field_count == c->column_count)
    return true;
  error_set(error, "%s says that it has %u columns, and its %u fields make %u", c->name, c->column_count,
            c->field_count, s->field_count);
  schema_fini(s, a);
  return false;
}

static bool check_manager(const shoal_component *c, error_t *error) {
  const shoal_manager *m = c->manager;
  if (!m)
    return true;
  if (c->kind != SHOAL_KIND_COMPONENT)
    return error_set(error, "%s has a manager: only plain components can", c->name);
  return (m->create && m->destroy && m->attach && m->detach && m->count && m->save_bytes && m->save && m->load) ||
         error_set(error,
                   "the manager of %s lacks one of create, destroy, attach, detach, count, save_bytes, save, load",
                   c->name);
}

static bool check_component(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, error_t *error) {
  schema_t s;
  if (!build(p, x, c, own, &s, error))
    return false;
  schema_fini(&s, world_allocator(p->world));
  return check_manager(c, error);
}

static bool check_list(const char *system, const char *what, const char *const *names, error_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (!names[i][0] || strlen(names[i]) >= 2 * COMPONENT_NAME_MAX)
      return error_set(error, "system %s: %s has a name that is empty or too long", system, what);
  return true;
}

static bool is_in(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// Of a system beside others the rest is found when the world knows it.
static bool check_reads(const shoal_system *s, error_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && s->reads[i] && !s->beside; ++i)
    if (!is_in(s->query, s->reads[i]) && !is_in(s->optional, s->reads[i]) && !is_in(s->any, s->reads[i]))
      return error_set(error, "system %s: it reads %s, which is not in its query, optional or any", s->name,
                       s->reads[i]);
  return true;
}

bool plugin_check_parts(const shoal_system *s, error_t *error) {
  if (!schema_is_name(s->name, COMPONENT_NAME_MAX))
    return error_set(error, "a system has no name that a system can have");
  if ((uint32_t)s->phase > SHOAL_PHASE_RENDER)
    return error_set(error, "system %s is in a phase that there is not (%d)", s->name, (int)s->phase);
  return check_list(s->name, "query", s->query, error) && check_list(s->name, "without", s->without, error) &&
         check_list(s->name, "optional", s->optional, error) && check_list(s->name, "any", s->any, error) &&
         check_list(s->name, "reads", s->reads, error) && check_list(s->name, "after", s->after, error) &&
         check_list(s->name, "before", s->before, error) && check_reads(s, error);
}

static bool check_system(const shoal_plugin *def, const shoal_system *s, error_t *error) {
  if (!plugin_check_parts(s, error))
    return false;
  for (const shoal_system *other = def->systems; other != s; ++other)
    if (strcmp(other->name, s->name) == 0)
      return error_set(error, "it has two systems called %s", s->name);
  if (!s->run)
    return error_set(error, "system %s has no `run`", s->name);
  if (s->parallel && (!s->query[0] || s->phase == SHOAL_PHASE_RENDER))
    return error_set(error, "system %s is parallel: it needs a query, and another phase than render", s->name);
  if (s->beside && s->phase == SHOAL_PHASE_RENDER)
    return error_set(error, "system %s has .beside: the render phase draws, which has an order", s->name);
  return !s->changes || s->beside ||
         error_set(error, "system %s has .changes without .beside: only systems beside others have to say so", s->name);
}

// "e:entity degrees:number"
static bool check_words(const char *function, const char *words, error_t *error) {
  static const char *const TYPES[] = {"number", "bool", "text", "entity", "any", "table", "number[]", "entity[]"};
  uint32_t count = 0;
  for (const char *at = words ? words : ""; *at;) {
    size_t n = strcspn(at, " ");
    const char *colon = memchr(at, ':', n);
    bool known = false;
    for (size_t i = 0; colon && i < sizeof TYPES / sizeof TYPES[0]; ++i)
      known |= strlen(TYPES[i]) == n - (size_t)(colon + 1 - at) && strncmp(TYPES[i], colon + 1, strlen(TYPES[i])) == 0;
    char name[FIELD_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", colon && colon - at < FIELD_NAME_MAX ? (int)(colon - at) : 0, at);
    if (!known || !schema_is_name(name, sizeof name) || schema_is_lua_word(name) || ++count > PLUGIN_MAX_VALUES)
      return error_set(error,
                       "function %s: “%.*s” is not NAME:TYPE (number, bool, text, entity, any, table, number[], "
                       "entity[]; %u at most)",
                       function, (int)n, at, PLUGIN_MAX_VALUES);
    at += n;
    at += strspn(at, " ");
  }
  return true;
}

static bool check_function(const shoal_plugin *def, const shoal_function *f, error_t *error) {
  if (!schema_is_name(f->name, COMPONENT_NAME_MAX) || schema_is_lua_word(f->name) || !f->call)
    return error_set(error, "a function has no name that a function can have, or no `call`");
  for (const shoal_function *other = def->functions; other != f; ++other)
    if (strcmp(other->name, f->name) == 0)
      return error_set(error, "it has two functions called %s", f->name);
  return check_words(f->name, f->takes, error) && check_words(f->name, f->gives, error);
}

static bool check_names(plugins_o *p, const plugin_t *x, error_t *error) {
  const char *name = x->def->name;
  if (!schema_is_name(name, COMPONENT_NAME_MAX) || schema_is_lua_word(name))
    return error_set(error, "it has no name that a plugin can have");
  if (strcmp(name, x->name) != 0)
    return error_set(error, "it calls itself %s: its file has to have the same name", name);
  for (uint32_t i = 0; i < p->list.count && p->list.items[i] != x; ++i)
    if (strcmp(p->list.items[i]->name, name) == 0)
      return error_set(error, "there are two plugins called %s: the other one is %s", name, p->list.items[i]->path);
  return true;
}

static const char *owner_of(const schema_t *s) {
  return strcmp(s->origin, "C") == 0 ? "Shoal itself" : s->origin;
}

static bool check_free(plugins_o *p, const shoal_component *c, error_t *error) {
  const manager_o *m = world_find_manager(p->world, c->name);
  const event_o *ev = world_find_event(p->world, c->name);
  if ((!m && !ev) || (!ev && builtin_may_give_way(p->world, c->name)))
    return true;
  return error_set(error, "its %s %s: the name is taken, by %s", c->kind == SHOAL_KIND_EVENT ? "event" : "component",
                   c->name, owner_of(m ? &m->schema : &ev->schema));
}

static bool check_once(const shoal_plugin *def, const shoal_component *const *c, error_t *error) {
  for (const shoal_component *const *other = def->components; other != c; ++other)
    if (strcmp((*other)->name, (*c)->name) == 0)
      return error_set(error, "it lists the component %s twice", (*c)->name);
  return true;
}

bool plugin_check(plugins_o *p, plugin_t *x, error_t *error) {
  shoal_assert(x->def, "plugin %s has no definition", x->name);
  const shoal_plugin *def = x->def;
  if (!check_names(p, x, error))
    return false;
  for (const shoal_component *const *c = def->components; c && *c; ++c)
    if (!check_component(p, x, *c, true, error) || !check_once(def, c, error) || !check_free(p, *c, error))
      return false;
  for (const shoal_component *const *c = def->uses; c && *c; ++c)
    if (!check_component(p, x, *c, false, error))
      return false;
  for (const shoal_system *s = def->systems; s && s->name; ++s)
    if (!check_system(def, s, error))
      return false;
  for (const shoal_function *f = def->functions; f && f->name; ++f)
    if (!check_function(def, f, error))
      return false;
  return plugin_check_observers(def, error) && plugin_check_panels(x, error) && plugin_check_commands(x, error) &&
         plugin_check_assets(x, error);
}

static bool declare(plugins_o *p, const plugin_t *x, const shoal_component *c, error_t *error) {
  schema_t s;
  char owner[COMPONENT_NAME_MAX + 8];
  if (!build(p, x, c, true, &s, error))
    return false;
  snprintf(owner, sizeof owner, "plugin %s", x->name);
  builtin_give_way(p->world, c->name, owner);
  bool fine = world_declare(p->world, &s, error) != 0;
  schema_fini(&s, world_allocator(p->world));
  return fine;
}

// --- what a plugin knows of the world

bound_t *plugin_bound_at(plugin_t *x, uint32_t i) {
  if (i < x->bound_count)
    return &x->bound[i];
  return i - x->bound_count < x->found.count ? x->found.items[i - x->bound_count] : NULL;
}

bound_t *plugin_bound(plugin_t *x, const shoal_component *component) {
  bound_t *b = NULL;
  for (uint32_t i = 0; (b = plugin_bound_at(x, i)) != NULL && b->component != component; ++i)
    ;
  return b;
}

static const schema_t *schema_of(const bound_t *b) {
  return b->manager ? &b->manager->schema : b->event ? &b->event->schema : NULL;
}

static bool bind_column(bound_t *b, const shoal_field *f, const char *axis, uint32_t at, error_t *error) {
  char name[FIELD_NAME_MAX], hint[HINT_BYTES];
  const schema_t *s = schema_of(b);
  snprintf(name, sizeof name, axis ? "%s.%s" : "%s", f->name, axis);
  field_type_t wanted = axis ? FIELD_F32 : (field_type_t)f->type;
  int32_t column = schema_find(s, name);
  column = column < 0 ? schema_find_derived(s, name) : column;
  if (column < 0)
    return error_set(error, "it uses %s.%s, and there is no such field%s", s->name, name, hint_field(s, f->name, hint));
  if (s->fields[column].type != wanted)
    return error_set(error, "it uses %s.%s as %s, and it is %s", s->name, name, field_type_name(wanted),
                     field_type_name(s->fields[column].type));
  b->columns[at] = (uint32_t)column;
  return true;
}

static void find_owner(plugins_o *p, bound_t *b) {
  b->manager = b->component->kind == SHOAL_KIND_EVENT ? NULL : world_find_manager(p->world, b->component->name);
  b->event = b->component->kind == SHOAL_KIND_EVENT ? world_find_event(p->world, b->component->name) : NULL;
  const schema_t *s = schema_of(b);
  if (s && s->kind != (schema_kind_t)b->component->kind)
    b->manager = NULL;
}

static const char *hint_event(world_o *w, const char *name, char *out) {
  similar_t meant;
  similar_begin(&meant, name);
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    if (strncmp(world_event(w, i)->schema.name, "shoal.", 6) != 0)
      similar_offer(&meant, world_event(w, i)->schema.name);
  return similar_hint(&meant, out, HINT_BYTES);
}

bool plugin_bind(plugins_o *p, bound_t *b, error_t *error) {
  const shoal_component *c = b->component;
  bool is_event = c->kind == SHOAL_KIND_EVENT;
  char hint[HINT_BYTES];
  uint32_t at = 0;
  find_owner(p, b);
  if (!schema_of(b))
    return error_set(error, "it uses the %s %s, and there is none%s", is_event ? "event" : "component", c->name,
                     is_event ? hint_event(p->world, c->name, hint) : hint_component(p->world, c->name, hint));
  bool fine = true;
  for (uint32_t i = 0; i < c->field_count && fine; ++i) {
    uint32_t width = schema_width(c->fields[i].type);
    for (uint32_t k = 0; k < width && fine; ++k)
      fine = bind_column(b, &c->fields[i], schema_axis(c->fields[i].type, k), at++, error);
  }
  if (!fine) {
    b->manager = NULL;
    b->event = NULL;
  }
  return fine;
}

static void init_bound(plugins_o *p, bound_t *b, plugin_t *x, const shoal_component *component, bool own) {
  uint32_t n = component->column_count;
  *b = (bound_t){.component = component, .plugin = x, .own = own};
  b->columns = alloc_resize(&p->memory, NULL, 0, n * sizeof *b->columns);
  b->data = alloc_resize(&p->memory, NULL, 0, n * sizeof *b->data);
  for (uint32_t i = 0; i < n; ++i) {
    b->columns[i] = i;
    b->data[i] = NULL;
  }
}

void plugin_free_bound(plugins_o *p, bound_t *b) {
  uint32_t n = b->component->column_count;
  scratch_free(p, &b->scratch);
  scratch_free(p, &b->saved);
  alloc_resize(&p->memory, b->columns, n * sizeof *b->columns, 0);
  alloc_resize(&p->memory, b->data, n * sizeof *b->data, 0);
}

static void make_bound(plugins_o *p, plugin_t *x) {
  uint32_t count = 0;
  for (const shoal_component *const *c = x->def->components; c && *c; ++c)
    ++count;
  for (const shoal_component *const *c = x->def->uses; c && *c; ++c)
    ++count;
  x->bound = alloc_resize(&p->memory, NULL, 0, count * sizeof *x->bound);
  for (const shoal_component *const *c = x->def->components; c && *c; ++c)
    init_bound(p, &x->bound[x->bound_count++], x, *c, true);
  for (const shoal_component *const *c = x->def->uses; c && *c; ++c)
    init_bound(p, &x->bound[x->bound_count++], x, *c, false);
}

// --- components that were not named while the plugin was built

static void describe_found(shoal_component *c, shoal_field *fields, const schema_t *s) {
  uint32_t count = s->field_count + s->derived_count;
  for (uint32_t i = 0; i < count; ++i)
    fields[i] = (shoal_field){.name = s->fields[i].name, .type = (shoal_type)s->fields[i].type};
  *c = (shoal_component){
      .name = s->name, .kind = (shoal_kind)s->kind, .fields = fields, .field_count = count, .column_count = count};
}

bound_t *plugin_find_component(plugin_t *x, const char *name) {
  shoal_assert(name, "a component without a name");
  plugins_o *p = x->all;
  for (uint32_t i = 0; i < x->found.count; ++i)
    if (strcmp(x->found.items[i]->component->name, name) == 0)
      return x->found.items[i];
  manager_o *m = world_find_manager(p->world, name);
  event_o *ev = m ? NULL : world_find_event(p->world, name);
  if (!m && !ev)
    return NULL;
  const schema_t *s = m ? &m->schema : &ev->schema;
  shoal_component *c = alloc_resize(&p->memory, NULL, 0, sizeof *c);
  shoal_field *fields = alloc_resize(&p->memory, NULL, 0, (s->field_count + s->derived_count) * sizeof *fields);
  describe_found(c, fields, s);
  bound_t *b = alloc_resize(&p->memory, NULL, 0, sizeof *b);
  init_bound(p, b, x, c, false);
  b->manager = m;
  b->event = ev;
  array_push(&p->memory, &x->found, b);
  return b;
}

static void free_found(plugins_o *p, bound_t *b) {
  shoal_component *c = (shoal_component *)(uintptr_t)b->component;
  plugin_free_bound(p, b);
  alloc_resize(&p->memory, (void *)(uintptr_t)c->fields, c->field_count * sizeof *c->fields, 0);
  alloc_resize(&p->memory, c, sizeof *c, 0);
  alloc_resize(&p->memory, b, sizeof *b, 0);
}

// --- begin and end

static bool create_managers(plugins_o *p, plugin_t *x, error_t *error);
static void hear_of_restores(plugins_o *p, plugin_t *x);

static bool open_in_earnest(plugins_o *p, plugin_t *x, error_t *error) {
  if (!create_managers(p, x, error))
    return false;
  hear_of_restores(p, x);
  x->opened = x->def->open || x->def->open_after;
  return !x->opened || plugin_call_open(x, error);
}

bool plugin_begin(plugins_o *p, plugin_t *x, error_t *error) {
  shoal_assert(x->def, "plugin %s has no definition", x->name);
  shoal_assert(!x->bound && !x->runs, "plugin %s begins twice", x->name);
  make_bound(p, x);
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (x->bound[i].own && (!declare(p, x, x->bound[i].component, error) || !plugin_bind(p, &x->bound[i], error)))
      return false;
  for (const shoal_function *f = x->def->functions; f && f->name; ++f)
    ++x->function_count;
  x->given = alloc_resize(&p->memory, NULL, 0, x->function_count * PLUGIN_MAX_VALUES * sizeof *x->given);
  for (uint32_t i = 0; i < x->function_count * PLUGIN_MAX_VALUES; ++i)
    x->given[i] = (given_t){0};
  uint32_t tables = x->function_count * PLUGIN_MAX_VALUES + PLUGIN_OTHERS_BUILT;
  x->built = alloc_resize(&p->memory, NULL, 0, tables * sizeof *x->built);
  memset(x->built, 0, tables * sizeof *x->built);
  plugin_make_runs(p, x);
  plugin_make_threads(p, x);
  plugin_inherit_assets(x);
  if (plugin_rests(x))
    return true;
  x->opening = true;
  bool fine = open_in_earnest(p, x, error);
  x->opening = false;
  return fine;
}

static void destroy_managers(plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    bound_t *b = &x->bound[i];
    if (b->own && b->manager)
      world_set_hooks(x->all->world, b->manager->id, NULL);
    if (!b->self)
      continue;
    manager_call_destroy(b);
    b->self = NULL;
  }
}

void plugin_end(plugins_o *p, plugin_t *x) {
  error_t error;
  x->stuck = !plugin_stop_threads(x, &error);
  if (x->stuck)
    log_error(p->desc.log, "%s; it and its library stay as they are", error.text);
  if (x->stuck)
    return;
  plugin_drop_assets(x);
  if (x->opened && x->def->close)
    plugin_call_close(x);
  destroy_managers(x);
  plugin_free_queries(p, x);
  plugin_free_jobs(p, x);
  array_free(&p->memory, &x->scopes);
  for (uint32_t i = 0; i < x->run_count; ++i)
    plugin_free_run(p, &x->runs[i]);
  alloc_resize(&p->memory, x->runs, x->run_count * sizeof *x->runs, 0);
  for (uint32_t i = 0; i < x->bound_count; ++i)
    plugin_free_bound(p, &x->bound[i]);
  alloc_resize(&p->memory, x->bound, x->bound_count * sizeof *x->bound, 0);
  for (uint32_t i = 0; i < x->found.count; ++i)
    free_found(p, x->found.items[i]);
  array_free(&p->memory, &x->found);
  uint32_t given = x->function_count * PLUGIN_MAX_VALUES;
  for (uint32_t i = 0; i < given; ++i)
    alloc_resize(&p->memory, x->given[i].memory, x->given[i].bytes, 0);
  alloc_resize(&p->memory, x->given, given * sizeof *x->given, 0);
  for (uint32_t i = 0; x->built && i < given + PLUGIN_OTHERS_BUILT; ++i) {
    array_free(&p->memory, &x->built[i].members);
    array_free(&p->memory, &x->built[i].texts);
  }
  alloc_resize(&p->memory, x->built, x->built ? (given + PLUGIN_OTHERS_BUILT) * sizeof *x->built : 0, 0);
  x->built = NULL;
  alloc_resize(&p->memory, x->threads, x->thread_count * sizeof *x->threads, 0);
  plugin_drop_all(x);
  if (p->desc.draw)
    paint_leave(draw_paint(p->desc.draw), x);
  x->threads = NULL;
  x->thread_count = 0;
  if (x->memory.blocks > 0)
    log_warn(p->desc.log, "plugin %s kept %zu bytes in %llu blocks", x->name, x->memory.bytes,
             (unsigned long long)x->memory.blocks);
  x->runs = NULL;
  x->bound = NULL;
  x->given = NULL;
  x->run_count = x->bound_count = x->function_count = 0;
  x->opened = false;
}

// --- managers behind the hooks of their components

// Everything that it holds goes, and every row is attached anew.
static void refill(bound_t *b) {
  error_t error;
  bool empty = manager_call_load(b, &(manager_bytes_t){0}, &error);
  if (empty && b->manager->count > 0)
    manager_call_attach(b, b->manager->owner, b->manager->count);
  b->attached = b->manager->count;
}

static void compare_counts(bound_t *b) {
  error_t error;
  uint32_t said = b->unreliable ? 0 : manager_call_count(b), wanted = b->attached;
  if (b->unreliable || said == wanted)
    return;
  error_set(&b->plugin->lie, "the manager of %s says that it holds %u rows, and it was given %u", b->component->name,
            said, wanted);
  error_set(&error, "%.900s: it is filled anew and its systems are parked", b->plugin->lie.text);
  plugin_fail(b->plugin, error.text);
  refill(b);
  if (!b->unreliable)
    b->unreliable = manager_call_count(b) != b->attached;
}

static void added(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  bound_t *b = context;
  plugins_o *p = b->plugin->all;
  (void)w;
  if (b->unreliable)
    return;
  shoal_entity *list = alloc_resize(&p->memory, NULL, 0, count * sizeof *list);
  for (uint32_t i = 0; i < count; ++i)
    list[i] = m->owner[rows[i]];
  manager_call_attach(b, list, count);
  alloc_resize(&p->memory, list, count * sizeof *list, 0);
  b->attached += count;
  compare_counts(b);
}

static void removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  bound_t *b = context;
  (void)w, (void)m;
  if (b->unreliable)
    return;
  shoal_assert(count <= b->attached, "%u rows leave the manager of %s, which was given %u", count, b->component->name,
               b->attached);
  manager_call_detach(b, entities, count);
  b->attached -= count;
  compare_counts(b);
}

// A manager that cannot be believed is no longer asked.
static void distrust(bound_t *b) {
  error_t error;
  b->unreliable = true;
  error_set(&error, "%.900s: its systems are parked", b->plugin->lie.text);
  plugin_fail(b->plugin, error.text);
}

static size_t save_bytes(void *context, manager_o *m) {
  bound_t *b = context;
  (void)m;
  size_t size = b->unreliable ? 0 : manager_call_save_bytes(b);
  b->saved_bytes = size <= MOST_STORAGE ? size : 0;
  if (size <= MOST_STORAGE)
    return size;
  error_set(&b->plugin->lie, "the manager of %s wants to save %zu bytes, and %u are the most", b->component->name, size,
            MOST_STORAGE);
  distrust(b);
  return 0;
}

static bool is_untouched(const uint8_t *margin) {
  for (uint32_t i = 0; i < MARGIN; ++i)
    if (margin[i] != 0xa5)
      return false;
  return true;
}

// Into memory with a margin: what is behind `bytes` is the host's.
static void save(void *context, manager_o *m, void *bytes) {
  bound_t *b = context;
  size_t size = b->saved_bytes;
  (void)m;
  if (b->unreliable)
    return;
  uint8_t *room = scratch_room(b->plugin->all, &b->saved, 0, 1, size + MARGIN);
  memset(room + size, 0xa5, MARGIN);
  manager_call_save(b, room);
  if (size > 0)
    memcpy(bytes, room, size);
  if (is_untouched(room + size))
    return;
  error_set(&b->plugin->lie, "the manager of %s saves more than the %zu bytes that it asked for", b->component->name,
            size);
  distrust(b);
}

static bool load_or_migrate(bound_t *b, const manager_bytes_t *from, error_t *error) {
  const shoal_manager *m = b->component->manager;
  if (from->version != m->version && !m->migrate)
    return error_set(error, "what it kept is of version %u, and it reads version %u", from->version, m->version);
  if (!manager_call_load(b, from, error))
    return false;
  uint32_t said = manager_call_count(b);
  return said == b->manager->count ||
         error_set(error, "it took %u rows from the %zu bytes that it kept, and there are %u", said, from->size,
                   b->manager->count);
}

static void load(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  bound_t *b = context;
  error_t error;
  (void)w;
  b->attached = m->count;
  b->unreliable = false;
  if (!bytes) {
    refill(b);
  } else if (!load_or_migrate(b, &(manager_bytes_t){version, bytes, size}, &error)) {
    log_warn(b->plugin->all->desc.log, "plugin %s: %s: %s; it is filled anew from the columns", b->plugin->name,
             b->component->name, error.text);
    if (!b->unreliable)
      refill(b);
  }
  compare_counts(b);
}

static void save_and_load(bound_t *b) {
  manager_o *m = b->manager;
  allocator_t *a = &b->plugin->all->memory;
  size_t size = save_bytes(b, m);
  uint8_t *bytes = alloc_aligned(a, size + 1);
  save(b, m, bytes);
  if (!b->unreliable)
    load(b, b->plugin->all->world, m, b->component->manager->version, bytes, size);
  alloc_free_aligned(a, bytes, size + 1);
}

static void exercise(bound_t *b) {
  world_o *w = b->plugin->all->world;
  shoal_entity e = 0;
  error_t error;
  if (world_spawn_many(w, 0, 1, &e, &error) == 0 || !world_add(w, e, b->manager->id, 0, &error))
    return; // the world is full
  save_and_load(b);
  world_remove(w, e, b->manager->id, 0);
  world_destroy(w, e);
  compare_counts(b);
}

void plugin_exercise(plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (x->bound[i].self && x->bound[i].manager)
      exercise(&x->bound[i]);
}

static void restored(void *context, world_o *w, manager_o *m) {
  const bound_t *b = context;
  (void)w, (void)m;
  plugin_call_restored(b->plugin);
}

// By the hooks of the first of its components that is no event.
static void hear_of_restores(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count && x->def->restored; ++i) {
    bound_t *b = &x->bound[i];
    if (!b->own || !b->manager)
      continue;
    manager_hooks_t hooks = b->manager->hooks;
    hooks.context = b;
    hooks.restored = restored;
    world_set_hooks(p->world, b->manager->id, &hooks);
    return;
  }
}

static bool create_managers(plugins_o *p, plugin_t *x, error_t *error) {
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    bound_t *b = &x->bound[i];
    if (!b->own || !b->component->manager)
      continue;
    if (!manager_call_create(b, error))
      return false;
    world_set_hooks(p->world, b->manager->id,
                    &(manager_hooks_t){.context = b,
                                       .added = added,
                                       .removing = removing,
                                       .storage_version = b->component->manager->version,
                                       .save_bytes = save_bytes,
                                       .save = save,
                                       .load = load});
  }
  return true;
}
