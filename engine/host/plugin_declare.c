// What a plugin says of itself: checked first, all of it, since it was written by somebody else; then declared into the world, and
// its managers put behind the hooks of their components.
#include "host/plugins_state.h"

#include "base/assert.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)SHOAL_TYPE_f32 == (int)FIELD_F32 && (int)SHOAL_TYPE_bool == (int)FIELD_BOOL &&
                   (int)SHOAL_TYPE_enum == (int)FIELD_ENUM && (int)SHOAL_TYPE_mat4 == (int)FIELD_MAT4,
               "shoal_type differs from field_type_t");
_Static_assert((int)SHOAL_KIND_COMPONENT == (int)SCHEMA_COMPONENT && (int)SHOAL_KIND_MANY == (int)SCHEMA_MANY &&
                   (int)SHOAL_KIND_SINGLE == (int)SCHEMA_SINGLE && (int)SHOAL_KIND_EVENT == (int)SCHEMA_EVENT,
               "shoal_kind differs from schema_kind_t");
_Static_assert(SHOAL_MAX_FIELDS == SCHEMA_MAX_FIELDS, "SHOAL_MAX_FIELDS differs from SCHEMA_MAX_FIELDS");

static const char *const AXES[] = {"x", "y", "z", "w"};

static uint32_t width_of(shoal_type type) {
  switch (type) {
  case SHOAL_TYPE_vec2: return 2;
  case SHOAL_TYPE_vec3: return 3;
  case SHOAL_TYPE_vec4:
  case SHOAL_TYPE_quat: return 4;
  default: return 1;
  }
}

// --- checking

static bool is_name(const char *name, size_t room) {
  if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
    return false;
  size_t n = 0;
  while (n < room && (isalnum((unsigned char)name[n]) || name[n] == '_'))
    ++n;
  return n < room && name[n] == 0;
}

static bool check_field(const shoal_component *c, uint32_t i, error_t *error) {
  const shoal_field *f = &c->fields[i];
  if (!is_name(f->name, FIELD_NAME_MAX - 2))
    return error_set(error, "field %u of %s has no name that a field can have", i + 1, c->name);
  if (f->type <= SHOAL_TYPE_none || f->type >= SHOAL_TYPE_COUNT)
    return error_set(error, "%s.%s has a type that there is not (%d)", c->name, f->name, (int)f->type);
  if (f->renamed_from && strlen(f->renamed_from) + 3 > FIELD_NAME_MAX)
    return error_set(error, "%s.%s: renamed_from is longer than a field's name", c->name, f->name);
  for (uint32_t k = 0; k < i; ++k)
    if (strcmp(c->fields[k].name, f->name) == 0)
      return error_set(error, "%s has two fields called %s", c->name, f->name);
  return f->type != SHOAL_TYPE_enum || (f->text && f->text[0]) ||
         error_set(error, "%s.%s is an enum without words", c->name, f->name);
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

static bool check_component(const shoal_component *c, error_t *error) {
  uint32_t columns = 0;
  if (!is_name(c->name, COMPONENT_NAME_MAX))
    return error_set(error, "a component has no name that a component can have");
  if ((uint32_t)c->kind > SHOAL_KIND_EVENT)
    return error_set(error, "%s is of a kind that there is not (%d)", c->name, (int)c->kind);
  for (uint32_t i = 0; i < c->field_count && i < SHOAL_MAX_FIELDS; ++i) {
    if (!check_field(c, i, error))
      return false;
    columns += width_of(c->fields[i].type);
  }
  if (columns != c->column_count || columns > SHOAL_MAX_FIELDS)
    return error_set(error, "%s says that it has %u columns, and its %u fields make %u (%d at most)", c->name,
                     c->column_count, c->field_count, columns, SHOAL_MAX_FIELDS);
  return check_manager(c, error);
}

static bool check_list(const char *system, const char *what, const char *const *names, error_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (!names[i][0] || strlen(names[i]) >= 2 * COMPONENT_NAME_MAX)
      return error_set(error, "system %s: %s has a name that is empty or too long", system, what);
  return true;
}

static bool check_system(const shoal_plugin *def, const shoal_system *s, error_t *error) {
  if (!is_name(s->name, COMPONENT_NAME_MAX))
    return error_set(error, "a system has no name that a system can have");
  for (const shoal_system *other = def->systems; other != s; ++other)
    if (strcmp(other->name, s->name) == 0)
      return error_set(error, "it has two systems called %s", s->name);
  if (!s->run)
    return error_set(error, "system %s has no `run`", s->name);
  if ((uint32_t)s->phase > SHOAL_PHASE_RENDER)
    return error_set(error, "system %s is in a phase that there is not (%d)", s->name, (int)s->phase);
  if (s->parallel && (!s->query[0] || s->phase == SHOAL_PHASE_RENDER))
    return error_set(error, "system %s is parallel: it needs a query, and another phase than render", s->name);
  return check_list(s->name, "query", s->query, error) && check_list(s->name, "without", s->without, error) &&
         check_list(s->name, "optional", s->optional, error) && check_list(s->name, "any", s->any, error) &&
         check_list(s->name, "reads", s->reads, error) && check_list(s->name, "after", s->after, error) &&
         check_list(s->name, "before", s->before, error);
}

// "e:entity degrees:number"
static bool check_words(const char *function, const char *words, error_t *error) {
  static const char *const TYPES[] = {"number", "bool", "text", "entity", "any", "number[]", "entity[]"};
  uint32_t count = 0;
  for (const char *at = words ? words : ""; *at;) {
    size_t n = strcspn(at, " ");
    const char *colon = memchr(at, ':', n);
    bool known = false;
    for (size_t i = 0; colon && i < sizeof TYPES / sizeof TYPES[0]; ++i)
      known |= strlen(TYPES[i]) == n - (size_t)(colon + 1 - at) && strncmp(TYPES[i], colon + 1, strlen(TYPES[i])) == 0;
    if (!known || colon == at || ++count > PLUGIN_MAX_VALUES)
      return error_set(
          error,
          "function %s: “%.*s” is not NAME:TYPE (number, bool, text, entity, any, number[], entity[]; %u at most)",
          function, (int)n, at, PLUGIN_MAX_VALUES);
    at += n;
    at += strspn(at, " ");
  }
  return true;
}

static bool check_function(const shoal_plugin *def, const shoal_function *f, error_t *error) {
  if (!is_name(f->name, COMPONENT_NAME_MAX) || !f->call)
    return error_set(error, "a function has no name that a function can have, or no `call`");
  for (const shoal_function *other = def->functions; other != f; ++other)
    if (strcmp(other->name, f->name) == 0)
      return error_set(error, "it has two functions called %s", f->name);
  return check_words(f->name, f->takes, error) && check_words(f->name, f->gives, error);
}

static bool check_names(plugins_o *p, const plugin_t *x, error_t *error) {
  const char *name = x->def->name;
  if (!is_name(name, COMPONENT_NAME_MAX))
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
  if (!m && !ev)
    return true;
  return error_set(error, "its %s %s: the name is taken, by %s", c->kind == SHOAL_KIND_EVENT ? "event" : "component",
                   c->name, owner_of(m ? &m->schema : &ev->schema));
}

bool plugin_check(plugins_o *p, plugin_t *x, error_t *error) {
  const shoal_plugin *def = x->def;
  if (!check_names(p, x, error))
    return false;
  for (const shoal_component *const *c = def->components; c && *c; ++c)
    if (!check_component(*c, error) || !check_free(p, *c, error))
      return false;
  for (const shoal_component *const *c = def->uses; c && *c; ++c)
    if (!check_component(*c, error))
      return false;
  for (const shoal_system *s = def->systems; s && s->name; ++s)
    if (!check_system(def, s, error))
      return false;
  for (const shoal_function *f = def->functions; f && f->name; ++f)
    if (!check_function(def, f, error))
      return false;
  return true;
}

// --- schemas

static char *copy_text(allocator_t *a, const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(alloc_resize(a, NULL, 0, bytes), text, bytes);
}

static bool add_choices(field_t *to, allocator_t *a, const shoal_field *f, error_t *error) {
  char words[4096];
  const char *choices[256];
  uint32_t count = 0;
  if (strlen(f->text) >= sizeof words)
    return error_set(error, "the words of %s are longer than %zu bytes", f->name, sizeof words - 1);
  strcpy(words, f->text);
  char *rest = words;
  for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    if (count == 256)
      return error_set(error, "%s has more than 256 words", f->name);
    choices[count++] = word;
  }
  field_set_choices(to, a, choices, count);
  return true;
}

static void describe(field_t *to, allocator_t *a, const shoal_field *f, const char *axis) {
  to->flags |= (f->flags & SHOAL_HIDDEN ? FIELD_HIDDEN : 0u) | (f->flags & SHOAL_READ_ONLY ? FIELD_READ_ONLY : 0u);
  if (f->renamed_from && axis)
    snprintf(to->renamed_from, sizeof to->renamed_from, "%.40s.%s", f->renamed_from, axis);
  else if (f->renamed_from)
    snprintf(to->renamed_from, sizeof to->renamed_from, "%s", f->renamed_from);
  to->unit = f->unit ? copy_text(a, f->unit) : NULL;
  to->doc = f->doc ? copy_text(a, f->doc) : NULL;
}

static bool add_field(schema_t *s, allocator_t *a, const shoal_field *f, error_t *error) {
  uint32_t width = width_of(f->type), first = s->field_count;
  if (width > 1) {
    if (!schema_add_vector(s, f->name, width, f->vector, error))
      return false;
    for (uint32_t i = 0; i < width; ++i)
      describe(&s->fields[first + i], a, f, AXES[i]);
    return true;
  }
  field_t *to = schema_add(s, f->name, (field_type_t)f->type, f->number, error);
  if (!to || (f->type == SHOAL_TYPE_enum && !add_choices(to, a, f, error)))
    return false;
  if ((f->type == SHOAL_TYPE_string || f->type == SHOAL_TYPE_asset) && f->text)
    field_set_text(to, a, f->text);
  describe(to, a, f, NULL);
  return true;
}

static bool declare(plugins_o *p, const plugin_t *x, const shoal_component *c, error_t *error) {
  allocator_t *a = world_allocator(p->world);
  schema_t *s = alloc_resize(a, NULL, 0, sizeof *s);
  char origin[sizeof s->origin];
  snprintf(origin, sizeof origin, "plugin %s", x->name);
  schema_init(s, c->name, (schema_kind_t)c->kind, origin);
  bool fine = true;
  for (uint32_t i = 0; i < c->field_count && fine; ++i)
    fine = add_field(s, a, &c->fields[i], error);
  fine = fine && world_declare(p->world, s, error) != 0;
  schema_fini(s, a);
  alloc_resize(a, s, sizeof *s, 0);
  return fine;
}

// --- what a plugin knows of the world

bound_t *plugin_bound(plugin_t *x, const shoal_component *component) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (x->bound[i].component == component)
      return &x->bound[i];
  for (uint32_t i = 0; i < x->found.count; ++i)
    if (x->found.items[i]->component == component)
      return x->found.items[i];
  return NULL;
}

static const schema_t *schema_of(const bound_t *b) {
  return b->manager ? &b->manager->schema : b->event ? &b->event->schema : NULL;
}

static bool bind_column(bound_t *b, const shoal_field *f, const char *axis, uint32_t at, error_t *error) {
  char name[FIELD_NAME_MAX];
  const schema_t *s = schema_of(b);
  snprintf(name, sizeof name, axis ? "%s.%s" : "%s", f->name, axis);
  field_type_t wanted = axis ? FIELD_F32 : (field_type_t)f->type;
  int32_t column = schema_find(s, name);
  if (column < 0)
    return error_set(error, "it uses %s.%s, and there is no such field", s->name, name);
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

bool plugin_bind(plugins_o *p, bound_t *b, error_t *error) {
  const shoal_component *c = b->component;
  uint32_t at = 0;
  find_owner(p, b);
  if (!schema_of(b))
    return error_set(error, "it uses the %s %s, and there is none", c->kind == SHOAL_KIND_EVENT ? "event" : "component",
                     c->name);
  bool fine = true;
  for (uint32_t i = 0; i < c->field_count && fine; ++i) {
    uint32_t width = width_of(c->fields[i].type);
    for (uint32_t k = 0; k < width && fine; ++k)
      fine = bind_column(b, &c->fields[i], width > 1 ? AXES[k] : NULL, at++, error);
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

// --- components that nobody named while the plugin was built

static void describe_found(shoal_component *c, shoal_field *fields, const schema_t *s) {
  for (uint32_t i = 0; i < s->field_count; ++i)
    fields[i] = (shoal_field){.name = s->fields[i].name, .type = (shoal_type)s->fields[i].type};
  *c = (shoal_component){.name = s->name,
                         .kind = (shoal_kind)s->kind,
                         .fields = fields,
                         .field_count = s->field_count,
                         .column_count = s->field_count};
}

bound_t *plugin_find_component(plugin_t *x, const char *name) {
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
  shoal_field *fields = alloc_resize(&p->memory, NULL, 0, s->field_count * sizeof *fields);
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

bool plugin_begin(plugins_o *p, plugin_t *x, error_t *error) {
  make_bound(p, x);
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (x->bound[i].own && (!declare(p, x, x->bound[i].component, error) || !plugin_bind(p, &x->bound[i], error)))
      return false;
  for (const shoal_function *f = x->def->functions; f && f->name; ++f)
    ++x->function_count;
  x->given = alloc_resize(&p->memory, NULL, 0, x->function_count * PLUGIN_MAX_VALUES * sizeof *x->given);
  for (uint32_t i = 0; i < x->function_count * PLUGIN_MAX_VALUES; ++i)
    x->given[i] = (given_t){0};
  plugin_make_runs(p, x);
  if (!create_managers(p, x, error))
    return false;
  hear_of_restores(p, x);
  if (!x->def->open)
    return true;
  context_t c = plugin_context(x, WHERE_LOADING);
  x->state = x->def->open(&c.shared);
  x->opened = true;
  if (c.failed)
    *error = c.problem;
  return !c.failed;
}

static void destroy_managers(plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    bound_t *b = &x->bound[i];
    if (b->own && b->manager)
      world_set_hooks(x->all->world, b->manager->id, NULL);
    if (!b->self)
      continue;
    context_t c = plugin_context(x, WHERE_MANAGER);
    b->component->manager->destroy(&c.shared, b->self);
    b->self = NULL;
  }
}

void plugin_end(plugins_o *p, plugin_t *x) {
  if (x->opened && x->def->close) {
    context_t c = plugin_context(x, WHERE_LOADING);
    x->def->close(&c.shared, x->state);
  }
  destroy_managers(x);
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
  const shoal_manager *m = b->component->manager;
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  m->load(&c.shared, b->self, NULL, 0);
  if (b->manager->count > 0)
    m->attach(&c.shared, b->self, b->manager->owner, b->manager->count);
  b->attached = b->manager->count;
}

static void compare_counts(bound_t *b) {
  plugins_o *p = b->plugin->all;
  uint32_t said = b->component->manager->count(b->self), wanted = b->attached;
  if (said == wanted || b->unreliable)
    return;
  plugin_report(
      p, b->plugin->name,
      "the manager of %s says that it holds %u rows, and it was given %u: it is filled anew and its systems are "
      "parked",
      b->component->name, said, wanted);
  plugin_park_all(b->plugin);
  refill(b);
  b->unreliable = b->component->manager->count(b->self) != b->attached;
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
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  b->component->manager->attach(&c.shared, b->self, list, count);
  alloc_resize(&p->memory, list, count * sizeof *list, 0);
  b->attached += count;
  compare_counts(b);
}

static void removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  bound_t *b = context;
  (void)w, (void)m;
  if (b->unreliable)
    return;
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  b->component->manager->detach(&c.shared, b->self, entities, count);
  b->attached -= count;
  compare_counts(b);
}

static size_t save_bytes(void *context, manager_o *m) {
  bound_t *b = context;
  (void)m;
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  return b->unreliable ? 0 : b->component->manager->save_bytes(&c.shared, b->self);
}

static void save(void *context, manager_o *m, void *bytes) {
  bound_t *b = context;
  (void)m;
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  b->component->manager->save(&c.shared, b->self, bytes);
}

static bool load_or_migrate(bound_t *b, uint32_t version, const void *bytes, size_t size, error_t *error) {
  const shoal_manager *m = b->component->manager;
  context_t c = plugin_context(b->plugin, WHERE_MANAGER);
  bool fine = true;
  if (version == m->version)
    fine = m->load(&c.shared, b->self, bytes, size);
  else if (m->migrate)
    fine = m->migrate(&c.shared, b->self, version, bytes, size);
  else
    return error_set(error, "what it kept is of version %u, and it reads version %u", version, m->version);
  uint32_t said = fine ? m->count(b->self) : 0;
  if (fine && said != b->manager->count)
    return error_set(error, "it took %u rows from the %zu bytes that it kept, and there are %u", said, size,
                     b->manager->count);
  return fine || error_set(error, "it cannot read the %zu bytes that it kept%s%s", size, c.failed ? ": " : "",
                           c.failed ? c.problem.text : "");
}

static void load(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  bound_t *b = context;
  error_t error;
  (void)w;
  b->attached = m->count;
  b->unreliable = false;
  if (!bytes) {
    refill(b);
  } else if (!load_or_migrate(b, version, bytes, size, &error)) {
    log_warn(b->plugin->all->desc.log, "plugin %s: %s: %s; it is filled anew from the columns", b->plugin->name,
             b->component->name, error.text);
    refill(b);
  }
  compare_counts(b);
}

static void restored(void *context, world_o *w, manager_o *m) {
  const bound_t *b = context;
  (void)w, (void)m;
  context_t c = plugin_context(b->plugin, WHERE_LOADING);
  b->plugin->def->restored(&c.shared);
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
    context_t c = plugin_context(x, WHERE_LOADING);
    b->self = b->component->manager->create(&c.shared);
    if (c.failed)
      *error = c.problem;
    else if (!b->self)
      error_set(error, "the manager of %s gives no storage from `create`", b->component->name);
    if (c.failed || !b->self)
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
