// Proposes the declaration of a new assemblage: its components with their values, its children and its states.
#include "cockpit/kind_edit.h"

#include "cockpit/cockpit_state.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/name_hint.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8

static bool is_declared(world_o *w, const char *name) {
  uint32_t id = name[0] ? strings_find(world_strings(w), name) : 0, assemblage = id ? world_find_assemblage(w, id) : 0;
  return assemblage && !world_assemblage_is_retired(w, assemblage);
}

bool kind_check_assemblage(proposal_t *x, const char *at, const char *name) {
  world_o *w = kind_world(x, NULL);
  char hint[HINT_BYTES];
  return is_declared(w, name) ||
         proposal_add_problem(x, at, "unknown assemblage %.64s%s", name, hint_assemblage(w, name, hint));
}

static bool is_listed_before(const json_t *list, size_t i) {
  const char *name = text_member(json_array_get(list, i), "name");
  for (size_t k = 0; k < i; ++k)
    if (strcmp(text_member(json_array_get(list, k), "name"), name) == 0)
      return true;
  return false;
}

// Checks the name of a child or a state, which must be unique in its list. `path`: path of the list in the request.
static bool check_entry_name(proposal_t *x, const json_t *list, size_t i, const char *path, const char *plural) {
  const char *name = text_member(json_array_get(list, i), "name");
  char at[160];
  snprintf(at, sizeof at, "%s.%zu.name", path, i);
  bool ok = kind_check_name(x, at, name);
  if (is_listed_before(list, i))
    ok = proposal_add_problem(x, at, "two %s are named %.64s: rename one", plural, name);
  return ok;
}

// Adds the values of one list entry, or of all entries with the same component if they name instances.
static bool add_component(proposal_t *x, const json_t *list, size_t first, const char *at, lua_table_t *out) {
  const json_t *entry = json_array_get(list, first);
  const char *name = text_member(entry, "name");
  char path[128];
  lua_table_t values;
  snprintf(path, sizeof path, "%s.%zu", at, first);
  const manager_o *m = kind_find_component(x, path, name);
  bool ok = m != NULL, has_instances = text_member(entry, "instance")[0] != '\0';
  if (ok && has_instances && m->schema.kind != SCHEMA_MANY)
    ok = proposal_add_problem(x, path, "%s has no named instances: omit “instance”", name);
  if (ok && !has_instances && is_listed_before(list, first))
    return proposal_add_problem(x, path, "%s is listed twice: remove one of the entries", name);
  lua_table_init(&values, &x->c->memory, KIND_MAX_COLUMNS);
  for (size_t i = first; ok && i < json_array_size(list); ++i) {
    const json_t *other = json_array_get(list, i);
    const char *instance = text_member(other, "instance");
    if (strcmp(text_member(other, "name"), name) != 0 || (i > first && !has_instances))
      continue;
    snprintf(path, sizeof path, "%s.%zu", at, i);
    if (!has_instances) {
      ok = kind_add_values(x, path, m, json_object_get(other, "values"), &values);
      continue;
    }
    lua_table_t inner;
    lua_table_init(&inner, &x->c->memory, KIND_MAX_COLUMNS);
    ok = kind_add_values(x, path, m, json_object_get(other, "values"), &inner) && ok;
    lua_table_add_table(&values, instance, &inner);
    lua_table_fini(&inner);
  }
  if (ok)
    lua_table_add_table(out, name, &values);
  lua_table_fini(&values);
  return ok;
}

static bool add_components(proposal_t *x, const json_t *list, const char *at, lua_table_t *out) {
  bool ok = true;
  for (size_t i = 0; i < json_array_size(list); ++i)
    if (!is_listed_before(list, i) || !text_member(json_array_get(list, i), "instance")[0])
      ok = add_component(x, list, i, at, out) && ok;
  return ok;
}

static bool add_bases(proposal_t *x, const json_t *declaration, const char *at, lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "is");
  lua_table_t names;
  char path[128];
  bool ok = true;
  lua_table_init(&names, &x->c->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *name = json_string_value(json_array_get(list, i));
    snprintf(path, sizeof path, "%sis.%zu", at, i);
    ok = kind_check_assemblage(x, path, name ? name : "") && ok;
    lua_table_add_text(&names, NULL, name ? name : "");
  }
  if (json_array_size(list) == 1)
    lua_table_add_text(out, "is", names.text.text.count ? json_string_value(json_array_get(list, 0)) : "");
  else if (json_array_size(list) > 1)
    lua_table_add_table(out, "is", &names);
  lua_table_fini(&names);
  return ok;
}

static bool add_declaration(proposal_t *x, const json_t *declaration, const char *at, int depth, lua_table_t *out);

static bool add_children(proposal_t *x, const json_t *declaration, const char *at, int depth, lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "children");
  lua_table_t children, child;
  char path[128];
  bool ok = true;
  lua_table_init(&children, &x->c->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *entry = json_array_get(list, i);
    snprintf(path, sizeof path, "%schildren", at);
    ok = check_entry_name(x, list, i, path, "children") && ok;
    snprintf(path, sizeof path, "%schildren.%zu.", at, i);
    lua_table_init(&child, &x->c->memory, KIND_MAX_COLUMNS);
    ok = add_declaration(x, entry, path, depth + 1, &child) && ok;
    lua_table_add_table(&children, text_member(entry, "name"), &child);
    lua_table_fini(&child);
  }
  if (!lua_table_is_empty(&children))
    lua_table_add_table(out, "children", &children);
  lua_table_fini(&children);
  return ok;
}

static bool add_states(proposal_t *x, const json_t *declaration, const char *at, lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "states");
  lua_table_t states, state;
  char path[128], member[160];
  bool ok = true;
  lua_table_init(&states, &x->c->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *entry = json_array_get(list, i);
    const char *name = text_member(entry, "name");
    snprintf(path, sizeof path, "%sstates", at);
    ok = check_entry_name(x, list, i, path, "states") && ok;
    snprintf(member, sizeof member, "%s.%zu.name", path, i);
    if (strcmp(name, "initial") == 0)
      ok = proposal_add_problem(x, member,
                                "a state cannot be named initial (a reserved key of states): choose another name");
    if (i == 0)
      lua_table_add_text(&states, "initial", name);
    lua_table_init(&state, &x->c->memory, KIND_MAX_COLUMNS);
    snprintf(path, sizeof path, "%sstates.%zu.components", at, i);
    ok = add_components(x, json_object_get(entry, "components"), path, &state) && ok;
    lua_table_add_table(&states, name, &state);
    lua_table_fini(&state);
  }
  if (!lua_table_is_empty(&states))
    lua_table_add_table(out, "states", &states);
  lua_table_fini(&states);
  return ok;
}

// Adds the members of an assemblage or a child. `at`: path of the declaration in the request, ending with "." unless it
// is empty.
static bool add_declaration(proposal_t *x, const json_t *declaration, const char *at, int depth, lua_table_t *out) {
  const char *doc = text_member(declaration, "doc");
  char path[128];
  lua_table_t components;
  if (depth > MAX_DEPTH)
    return proposal_add_problem(x, at, "children are nested too deeply (at most %d levels)", MAX_DEPTH);
  if (doc[0])
    lua_table_add_text(out, "doc", doc);
  bool ok = add_bases(x, declaration, at, out);
  lua_table_init(&components, &x->c->memory, KIND_MAX_COLUMNS);
  snprintf(path, sizeof path, "%scomponents", at);
  ok = add_components(x, json_object_get(declaration, "components"), path, &components) && ok;
  if (!lua_table_is_empty(&components) || json_array_size(json_object_get(declaration, "is")) == 0)
    lua_table_add_table(out, "components", &components);
  lua_table_fini(&components);
  ok = add_children(x, declaration, at, depth, out) && ok;
  return add_states(x, declaration, at, out) && ok;
}

bool kind_propose_assemblage(proposal_t *x, error_info_t *error) {
  const char *name = text_member(x->request, "name");
  char file[FILE_CHANGES_NAME];
  lua_table_t table;
  json_writer_t value;
  world_o *w = kind_world(x, error);
  if (!w)
    return false;
  snprintf(x->title, sizeof x->title, "assemblage %.64s", name);
  bool ok = kind_check_name(x, "name", name);
  if (ok && is_declared(w, name))
    ok = proposal_add_problem(x, "name", "assemblage %s already exists: choose another name", name);
  lua_table_init(&table, &x->c->memory, KIND_MAX_COLUMNS);
  json_writer_init(&value, &x->c->memory);
  ok = add_declaration(x, x->request, "", 0, &table) && ok;
  lua_table_write(&table, &value);
  kind_choose_file(x, "assemblages", file, sizeof file);
  bool done = !ok || kind_insert(x, file, "", name, json_writer_text(&value), error);
  json_writer_fini(&value);
  lua_table_fini(&table);
  return done;
}
