// Checks a plugin's declarations before any of them is used.
#include "plugin/declaration_check.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "plugin/system.h"
#include "plugin/panel.h"
#include "plugin/result.h"
#include "schema/schema_build.h"
#include "shoal/command.h"
#include "shoal/observe.h"

#include <stdio.h>
#include <string.h>

// --- components

bool plugin_build_schema(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, schema_t *s,
                         error_info_t *error) {
  char origin[sizeof s->origin];
  snprintf(origin, sizeof origin, "plugin %s", x->name);
  allocator_t *a = world_allocator(p->world);
  schema_desc_t desc = {.component = c, .origin = origin, .any_name = !own};
  desc.required = own && x->has_required ? c->required : NULL;
  if (!schema_build(s, &desc, a, NULL, error))
    return false;
  if (s->field_count == c->column_count)
    return true;
  error_set(error, "%s: .column_count must be %u for %u fields, got %u", c->name, s->field_count, c->field_count,
            c->column_count);
  schema_fini(s, a);
  return false;
}

static bool check_manager(const shoal_component *c, error_info_t *error) {
  const shoal_manager *m = c->manager;
  if (!m)
    return true;
  if (c->kind != SHOAL_KIND_COMPONENT)
    return error_set(error, "%s: only plain components can have a manager: remove .manager", c->name);
  return (m->create && m->destroy && m->attach && m->detach && m->count && m->save_bytes && m->save && m->load) ||
         error_set(
             error,
             "the manager of %s must have .create, .destroy, .attach, .detach, .count, .save_bytes, .save and .load",
             c->name);
}

static bool check_component(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, error_info_t *error) {
  schema_t s;
  if (!plugin_build_schema(p, x, c, own, &s, error))
    return false;
  schema_fini(&s, world_allocator(p->world));
  return check_manager(c, error);
}

static const char *describe_owner(const schema_t *s) {
  return strcmp(s->origin, "C") == 0 ? "Shoal" : s->origin;
}

static bool check_is_not_declared(plugins_o *p, const shoal_component *c, error_info_t *error) {
  const manager_o *m = world_find_manager(p->world, c->name);
  const event_o *ev = world_find_event(p->world, c->name);
  if ((!m && !ev) || (!ev && builtin_can_release_name(p->world, c->name)))
    return true;
  return error_set(error, "%s %s is already declared by %s", c->kind == SHOAL_KIND_EVENT ? "event" : "component",
                   c->name, describe_owner(m ? &m->schema : &ev->schema));
}

static bool check_is_not_repeated(const shoal_plugin *def, const shoal_component *const *c, error_info_t *error) {
  for (const shoal_component *const *other = def->components; other != c; ++other)
    if (strcmp((*other)->name, (*c)->name) == 0)
      return error_set(error, "component %s is listed twice: remove one of the entries", (*c)->name);
  return true;
}

// --- systems and observers

static bool check_name_list(const char *system, const char *what, const char *const *names, error_info_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (!names[i][0] || strlen(names[i]) >= 2 * COMPONENT_NAME_MAX)
      return error_set(error, "system %s: each name in .%s must have 1 to %u bytes", system, what,
                       2 * COMPONENT_NAME_MAX - 1u);
  return true;
}

static bool contains_name(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// Checks that .reads names only components of the query. With .concurrent, .reads may name any component; the names are
// resolved when the plugin is bound to the world.
static bool check_reads(const shoal_system *s, error_info_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && s->reads[i] && !s->concurrent; ++i)
    if (!contains_name(s->query, s->reads[i]) && !contains_name(s->optional, s->reads[i]) &&
        !contains_name(s->any, s->reads[i]))
      return error_set(error, "system %s: .reads must name components of .query, .optional or .any, got %s", s->name,
                       s->reads[i]);
  return true;
}

static bool check_common_fields(const shoal_system *s, error_info_t *error) {
  if (!schema_is_valid_name(s->name, COMPONENT_NAME_MAX))
    return error_set(
        error,
        "the name of a system or observer must consist of 1 to %u letters, digits and _, and must not begin "
        "with a digit, got %.80s",
        COMPONENT_NAME_MAX - 1u, s->name ? s->name : "NULL");
  if ((uint32_t)s->phase > SHOAL_PHASE_RENDER)
    return error_set(error, "system %s: .phase must be a SHOAL_PHASE_… constant, got %d", s->name, (int)s->phase);
  return check_name_list(s->name, "query", s->query, error) && check_name_list(s->name, "without", s->without, error) &&
         check_name_list(s->name, "optional", s->optional, error) && check_name_list(s->name, "any", s->any, error) &&
         check_name_list(s->name, "reads", s->reads, error) && check_name_list(s->name, "after", s->after, error) &&
         check_name_list(s->name, "before", s->before, error) && check_reads(s, error);
}

static bool check_system(const shoal_plugin *def, const shoal_system *s, error_info_t *error) {
  if (!check_common_fields(s, error))
    return false;
  for (const shoal_system *other = def->systems; other != s; ++other)
    if (strcmp(other->name, s->name) == 0)
      return error_set(error, "two systems are named %s: rename one of them", s->name);
  if (!s->run)
    return error_set(error, "system %s: .run must not be NULL", s->name);
  if (s->parallel && (!s->query[0] || s->phase == SHOAL_PHASE_RENDER))
    return error_set(error, "system %s: .parallel requires .query and a phase other than SHOAL_PHASE_RENDER", s->name);
  if (s->concurrent && s->phase == SHOAL_PHASE_RENDER)
    return error_set(error, "system %s: .concurrent requires a phase other than SHOAL_PHASE_RENDER", s->name);
  return !s->concurrent_changes || s->concurrent ||
         error_set(error, "system %s: .concurrent_changes requires .concurrent: set .concurrent", s->name);
}

static bool check_observer(const shoal_plugin *def, const shoal_observer *o, error_info_t *error) {
  shoal_system as;
  if (!o->enter && !o->leave && !o->changed)
    return error_set(error, "observer %s must have .enter, .leave or .changed", o->name);
  if (!o->query[0])
    return error_set(error, "observer %s: .query must name a component", o->name);
  if (o->phase == SHOAL_PHASE_RENDER)
    return error_set(error, "observer %s: .phase must not be SHOAL_PHASE_RENDER", o->name);
  for (const shoal_observer *other = def->observers; other != o; ++other)
    if (strcmp(other->name, o->name) == 0)
      return error_set(error, "two observers are named %s: rename one of them", o->name);
  for (const shoal_system *s = def->systems; s && s->name; ++s)
    if (strcmp(s->name, o->name) == 0)
      return error_set(error, "a system and an observer are both named %s: rename one of them", o->name);
  plugin_observer_to_system(o, &as);
  return check_common_fields(&as, error);
}

static bool check_observers(const shoal_plugin *def, error_info_t *error) {
  for (uint32_t i = 0; i < plugin_count_observers(def); ++i)
    if (!check_observer(def, &def->observers[i], error))
      return false;
  return true;
}

// --- functions

// Checks a signature such as "e:entity degrees:number".
static bool check_signature(const char *function, const char *signature, error_info_t *error) {
  static const char *const TYPES[] = {"number", "bool", "string", "entity", "any", "table", "number[]", "entity[]"};
  uint32_t count = 0;
  for (const char *at = signature ? signature : ""; *at;) {
    size_t n = strcspn(at, " ");
    const char *colon = memchr(at, ':', n);
    bool known = false;
    for (size_t i = 0; colon && i < sizeof TYPES / sizeof TYPES[0]; ++i)
      known |= strlen(TYPES[i]) == n - (size_t)(colon + 1 - at) && strncmp(TYPES[i], colon + 1, strlen(TYPES[i])) == 0;
    char name[FIELD_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", colon && colon - at < FIELD_NAME_MAX ? (int)(colon - at) : 0, at);
    if (!known || !schema_is_valid_name(name, sizeof name) || schema_is_lua_keyword(name))
      return error_set(error,
                       "function %s: “%.*s” must be NAME:TYPE (types: number, bool, string, entity, any, table, "
                       "number[], entity[])",
                       function, (int)n, at);
    if (++count > PLUGIN_MAX_VALUES)
      return error_set(error, "function %s: too many values at “%.*s” (at most %u)", function, (int)n, at,
                       PLUGIN_MAX_VALUES);
    at += n;
    at += strspn(at, " ");
  }
  return true;
}

static bool check_function(const shoal_plugin *def, const shoal_function *f, error_info_t *error) {
  if (!schema_is_valid_name(f->name, COMPONENT_NAME_MAX) || schema_is_lua_keyword(f->name))
    return error_set(error,
                     "the name of a function must consist of 1 to %u letters, digits and _, must not begin with a "
                     "digit, and must not be a Lua keyword, got %.80s",
                     COMPONENT_NAME_MAX - 1u, f->name ? f->name : "NULL");
  if (!f->call)
    return error_set(error, "function %s: .call must not be NULL", f->name);
  for (const shoal_function *other = def->functions; other != f; ++other)
    if (strcmp(other->name, f->name) == 0)
      return error_set(error, "two functions are named %s: rename one of them", f->name);
  return check_signature(f->name, f->parameters, error) && check_signature(f->name, f->results, error);
}

// --- panels, commands, asset types

static bool check_panels(plugin_t *x, error_info_t *error) {
  uint32_t count = 0;
  for (const shoal_panel *p = x->def->panels; p && p->title; ++p) {
    if (!p->title[0] || strlen(p->title) > 60 || strchr(p->title, '\n'))
      return error_set(error, "the title of a panel must be one line of 1 to 60 bytes, got “%.80s”", p->title);
    if (!p->sql == !p->draw)
      return error_set(error, "panel “%s” must have either .sql or .draw, got %s", p->title,
                       p->sql ? "both" : "neither");
    for (const shoal_panel *other = x->def->panels; other != p; ++other)
      if (strcmp(other->title, p->title) == 0)
        return error_set(error, "two panels are named “%s”: rename one of them", p->title);
    if (++count > PLUGIN_MAX_PANELS)
      return error_set(error, "too many panels (at most %u per plugin)", PLUGIN_MAX_PANELS);
  }
  return true;
}

static bool check_commands(plugin_t *x, error_info_t *error) {
  uint32_t count = 0;
  for (const shoal_command *o = x->def->commands; o && o->name; ++o) {
    if (!o->name[0] || strlen(o->name) > 60 || strchr(o->name, '\n'))
      return error_set(error, "the name of a command must be one line of 1 to 60 bytes, got “%.80s”", o->name);
    if (o->help && strchr(o->help, '\n'))
      return error_set(error, "command “%s”: .help must be one line", o->name);
    if (!o->run)
      return error_set(error, "command “%s”: .run must not be NULL", o->name);
    for (const shoal_command *other = x->def->commands; other != o; ++other)
      if (strcmp(other->name, o->name) == 0)
        return error_set(error, "two commands are named “%s”: rename one of them", o->name);
    if (++count > SHOAL_MAX_COMMANDS)
      return error_set(error, "too many commands (at most %d per plugin)", SHOAL_MAX_COMMANDS);
  }
  return true;
}

static bool check_assets(const plugin_t *x, error_info_t *error) {
  for (const shoal_asset_type *t = x->def->assets; t && t->extension; ++t) {
    size_t length = strlen(t->extension);
    if (length < 2 || length > 16 || t->extension[0] != '.' || strpbrk(t->extension + 1, "./\\ "))
      return error_set(error,
                       "a file extension must be a dot and one word of 1 to 15 bytes, such as .grass, got “%.40s”",
                       t->extension);
    if (!t->load || !t->unload)
      return error_set(error, "asset type %s: .%s must not be NULL", t->extension, t->load ? "unload" : "load");
    for (const shoal_asset_type *other = x->def->assets; other != t; ++other)
      if (strcmp(other->extension, t->extension) == 0)
        return error_set(error, "two asset types have the extension %s: remove one of them", t->extension);
  }
  return true;
}

// --- all declarations

static bool check_names(plugins_o *p, const plugin_t *x, error_info_t *error) {
  const char *name = x->def->name;
  if (!schema_is_valid_name(name, COMPONENT_NAME_MAX) || schema_is_lua_keyword(name))
    return error_set(error,
                     "the name of a plugin must consist of 1 to %u letters, digits and _, must not begin with a digit, "
                     "and must not be a Lua keyword, got %.80s",
                     COMPONENT_NAME_MAX - 1u, name ? name : "NULL");
  if (strcmp(name, x->name) != 0)
    return error_set(error, ".name must be the name of the file, %s, got %s", x->name, name);
  for (uint32_t i = 0; i < p->list.count && p->list.items[i] != x; ++i)
    if (strcmp(p->list.items[i]->name, name) == 0)
      return error_set(error, "two plugins are named %s (the other file is %s): remove one of them", name,
                       p->list.items[i]->path);
  return true;
}

bool plugin_check_declarations(plugins_o *p, plugin_t *x, error_info_t *error) {
  shoal_assert(x->def, "plugin %s has no definition", x->name);
  const shoal_plugin *def = x->def;
  if (!check_names(p, x, error))
    return false;
  for (const shoal_component *const *c = def->components; c && *c; ++c)
    if (!check_component(p, x, *c, true, error) || !check_is_not_repeated(def, c, error) ||
        !check_is_not_declared(p, *c, error))
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
  return check_observers(def, error) && check_panels(x, error) && check_commands(x, error) && check_assets(x, error);
}
