// Declares components, singletons, events and queries, for the first time or again after a reload, and stores former
// names of components (world_declare_renamed_field).
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/assemblage.h"
#include "ecs/event_internal.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/queued_entities.h"
#include "ecs/registry.h"
#include "ecs/requirements.h"
#include "ecs/spawn_batch.h"
#include "ecs/world_internal.h"
#include "schema/bit_names.h"

#include <stdio.h>
#include <string.h>

void world_rename_manager(world_o *w, uint32_t manager, const char *name) {
  snprintf(world_manager(w, manager)->schema.name, COMPONENT_NAME_MAX, "%s", name);
  hash_table_free(&w->manager_names, &w->allocator);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    hash_table_insert(&w->manager_names, &w->allocator, hash_text(w->managers.items[i]->schema.name), i + 1);
  requirements_update(w);
}

void world_set_hooks(world_o *w, uint32_t manager, const manager_hooks_t *hooks) {
  manager_o *m = world_manager(w, manager);
  shoal_assert(m, "unknown component number %u", manager);
  shoal_assert(!hooks || (!hooks->save == !hooks->load && !hooks->save == !hooks->save_bytes),
               "a component with its own storage must define save_bytes, save and load");
  if (m)
    m->hooks = hooks ? *hooks : (manager_hooks_t){0};
}

// --- collision layers

// Writes the layer names to `out`, which has BIT_NAMES_MAX elements. Returns the number of names.
static uint32_t list_layers(const world_o *w, const char **out) {
  uint32_t count = 0;
  for (uint32_t offset = 0; offset < w->layers.count; offset += (uint32_t)strlen(w->layers.items + offset) + 1)
    out[count++] = w->layers.items + offset;
  return count;
}

static void name_layer_bits(const world_o *w, schema_t *s, allocator_t *a) {
  const char *names[BIT_NAMES_MAX];
  uint32_t count = list_layers(w, names);
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (bit_names_apply_to(s, &s->fields[i]))
      field_set_choices(&s->fields[i], a, names, count);
}

void world_set_layers(world_o *w, const char *names, uint32_t count) {
  shoal_assert(count <= BIT_NAMES_MAX, "too many layer names: %u (at most %d, the bits of a category)", count,
               BIT_NAMES_MAX);
  w->layers.count = 0;
  for (const char *name = names; count > 0; name += strlen(name) + 1, --count)
    for (size_t i = 0, bytes = strlen(name) + 1; i < bytes; ++i)
      array_push(&w->allocator, &w->layers, name[i]);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    name_layer_bits(w, &w->managers.items[i]->schema, &w->allocator);
}

// --- components and events

static bool check_schema_change(world_o *w, const schema_t *old, const schema_t *schema, uint32_t rows,
                                uint32_t queries, error_info_t *error) {
  error_info_t difference;
  if (schema_has_same_layout(old, schema, &difference))
    return true;
  if (rows > 0)
    return error_set(error, "%.900s, but the component has %u row%s: restart the game to change it", difference.text,
                     rows, rows == 1 ? "" : "s");
  if (old->kind != schema->kind && queries > 0)
    return error_set(error, "%.900s, but queries use the component: restart the game to change it", difference.text);
  if (world_is_deferring(w) || w->blocks.count > 0)
    return error_set(error, "%.900s, but commands are still queued: change the component between ticks",
                     difference.text);
  return true;
}

bool world_check_schema(world_o *w, const schema_t *schema, error_info_t *error) {
  if (!schema->name[0])
    return error_set(error, "the name of a component must not be empty");
  if (schema->kind == SCHEMA_EVENT) {
    event_o *ev = world_find_event(w, schema->name);
    return !ev || check_schema_change(w, &ev->schema, schema, ev->columns.count, 0, error);
  }
  manager_o *m = world_find_manager(w, schema->name);
  return !m || check_schema_change(w, &m->schema, schema, m->count, m->query_count, error);
}

static uint32_t declare_event(world_o *w, const schema_t *schema) {
  event_o *ev = world_find_event(w, schema->name);
  if (ev) {
    event_redeclare(w, w->events.items[ev->id - 1], schema);
    return ev->id;
  }
  live_event_t *event = event_create(w, w->events.count + 1, schema);
  array_push(&w->allocator, &w->events, event);
  return event->shared.id;
}

// Finds a component with one row per entity and its column `field`. Sets `manager` to 0 if the component or column is
// missing, or if the column has a different type.
static void find_special_component(world_o *w, const char *name, const char *field, field_type_t type,
                                   uint32_t *manager, uint32_t *column) {
  const manager_o *m = world_find_manager(w, name);
  int32_t index = m && m->schema.kind == SCHEMA_COMPONENT ? manager_find_column(m, field) : -1;
  *manager = index >= 0 && m->schema.fields[index].type == type ? m->id : 0;
  *column = (uint32_t)index;
}

// Finds the components with a special role: `disabled`, and the components that link and name an assemblage's children
// (`transform`, `name`).
static void find_special_components(world_o *w) {
  w->disabled = world_find_manager(w, "disabled");
  if (w->disabled && w->disabled->schema.kind != SCHEMA_MANY)
    w->disabled = NULL;
  find_special_component(w, "transform", "parent", FIELD_ENTITY, &w->parent_manager, &w->parent_column);
  find_special_component(w, "name", "value", FIELD_STRING, &w->name_manager, &w->name_column);
}

static uint32_t declare_manager(world_o *w, const schema_t *schema) {
  manager_o *m = world_find_manager(w, schema->name);
  if (m) {
    bool same = schema_has_same_layout(&m->schema, schema, NULL);
    if (!same)
      spawn_batch_free_spares(w, m);
    manager_redeclare(m, schema);
    queued_entities_redeclare(w, m->id, schema);
    if (!same)
      assemblage_reset_manager(w, m);
  } else {
    m = manager_create(w, w->managers.count + 1, schema);
    array_push(&w->allocator, &w->managers, m);
    hash_table_insert(&w->manager_names, &w->allocator, hash_text(m->schema.name), m->id);
    while (w->pending_added.count <= m->id) {
      pending_added_t none = {.first = ROW_NONE};
      array_push(&w->allocator, &w->pending_added, none);
    }
  }
  find_special_components(w);
  requirements_update(w);
  return m->id;
}

static uint32_t declare_schema(world_o *w, const schema_t *schema, error_info_t *error) {
  if (!world_check_schema(w, schema, error))
    return 0;
  w->plan_version++;
  return schema->kind == SCHEMA_EVENT ? declare_event(w, schema) : declare_manager(w, schema);
}

uint32_t world_declare_schema(world_o *w, const schema_t *schema, error_info_t *error) {
  schema_t named_schema;
  if (w->layers.count == 0)
    return declare_schema(w, schema, error);
  schema_copy(&named_schema, schema, &w->allocator);
  name_layer_bits(w, &named_schema, &w->allocator);
  uint32_t id = declare_schema(w, &named_schema, error);
  schema_fini(&named_schema, &w->allocator);
  return id;
}

uint32_t world_declare_schema_desc(world_o *w, const schema_desc_t *desc, error_info_t *error) {
  schema_t schema;
  if (!schema_build(&schema, desc, &w->allocator, NULL, error))
    return 0;
  uint32_t id = world_declare_schema(w, &schema, error);
  schema_fini(&schema, &w->allocator);
  return id;
}

// --- queries

bool query_check_desc(world_o *w, const query_desc_t *desc, error_info_t *error) {
  uint32_t driver = 0;
  bool has_positive_term = false;
  if (desc->term_count > QUERY_MAX_TERMS)
    return error_set(error, "too many components in a query: %u (at most %d)", desc->term_count, QUERY_MAX_TERMS);
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    const query_term_desc_t *t = &desc->terms[i];
    const manager_o *m = world_manager(w, t->manager);
    if (!m)
      return error_set(error, "unknown component number %u", t->manager);
    if (m->schema.kind == SCHEMA_SINGLE)
      return error_set(error, "%s is a singleton, which belongs to no entity: remove %s from the query", m->schema.name,
                       m->schema.name);
    has_positive_term |= t->role == QUERY_WITH || t->role == QUERY_ANY;
    if (t->role != QUERY_WITH || m->schema.kind != SCHEMA_MANY)
      continue;
    if (driver != 0 && driver != t->manager)
      return error_set(error, "%s and %s both have several instances per entity: name only one of them in the query",
                       world_manager(w, driver)->schema.name, m->schema.name);
    driver = t->manager;
  }
  if (!has_positive_term && desc->term_count > 0)
    return error_set(error,
                     "a query must not only exclude components (here %s): add a component that the entities must have",
                     world_manager(w, desc->terms[0].manager)->schema.name);
  return has_positive_term || error_set(error, "a query must name at least one component");
}

query_desc_t query_canonicalize(const query_desc_t *desc) {
  shoal_assert(desc->term_count <= QUERY_MAX_TERMS, "too many terms in a query: %u (at most %d)", desc->term_count,
               QUERY_MAX_TERMS);
  query_desc_t out = {.term_count = 0};
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    query_term_desc_t t = desc->terms[i];
    uint32_t index = 0;
    while (index < out.term_count && (out.terms[index].manager < t.manager ||
                                      (out.terms[index].manager == t.manager && out.terms[index].role < t.role)))
      index++;
    if (index < out.term_count && out.terms[index].manager == t.manager && out.terms[index].role == t.role)
      continue;
    memmove(&out.terms[index + 1], &out.terms[index], (out.term_count - index) * sizeof t);
    out.terms[index] = t;
    out.term_count++;
  }
  return out;
}

static bool has_same_terms(const query_o *q, const query_desc_t *desc) {
  if (q->term_count != desc->term_count)
    return false;
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id != desc->terms[i].manager || q->terms[i].role != desc->terms[i].role)
      return false;
  return true;
}

query_o *query_find(world_o *w, const query_desc_t *desc) {
  uint32_t awake = w->queries.count;
  for (uint32_t i = 0; i < awake + w->sleeping.count; ++i) {
    query_o *q = i < awake ? w->queries.items[i] : w->sleeping.items[i - awake];
    if (has_same_terms(q, desc))
      return q;
  }
  return NULL;
}

query_o *world_find_or_create_query(world_o *w, const query_desc_t *desc, error_info_t *error) {
  if (!query_check_desc(w, desc, error))
    return NULL;
  query_desc_t key = query_canonicalize(desc);
  query_o *found = query_find(w, &key), *q = found ? found : query_create(w, &key);
  query_wake(q);
  return q;
}

query_o *world_find_query(world_o *w, const query_desc_t *desc) {
  query_desc_t key = query_canonicalize(desc);
  query_o *found = query_find(w, &key);
  return found && !((live_query_t *)found)->asleep ? found : NULL;
}

query_o *world_find_or_create_inspection(world_o *w, const query_desc_t *desc, error_info_t *error) {
  if (!query_check_desc(w, desc, error))
    return NULL;
  query_desc_t key = query_canonicalize(desc);
  query_o *q = NULL;
  for (uint32_t i = 0; i < w->inspections.count && !q; ++i)
    if (has_same_terms(w->inspections.items[i], &key))
      q = w->inspections.items[i];
  if (!q)
    q = query_create_inspection(w, &key);
  query_wake(q);
  return q;
}

uint32_t world_watch_query(world_o *w, uint32_t system_name, query_o *q) {
  uint32_t number = query_observer_find_watcher(w, system_name, q);
  if (number != 0)
    return number;
  shoal_assert(!((live_query_t *)q)->is_inspection, "an inspection query has no watchers");
  query_wake(q);
  return query_observer_add_watcher(w, system_name, q);
}

// --- groups

bool world_group_query(world_o *w, query_o *q, error_info_t *error) {
  shoal_assert(!world_is_deferring(w), "cannot reorder rows while commands are queued");
  uint32_t plain_count = 0;
  shoal_assert(!((live_query_t *)q)->is_inspection, "an inspection query cannot be a group");
  (void)w;
  query_wake(q);
  if (q->grouped)
    return true;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const query_term_t *t = &q->terms[i];
    if (t->role != QUERY_WITH || t->manager->schema.kind != SCHEMA_COMPONENT)
      continue;
    if (t->manager->group)
      return error_set(error, "%s already belongs to a group", t->manager->schema.name);
    plain_count++;
  }
  if (plain_count == 0 || ((live_query_t *)q)->driver >= 0)
    return error_set(error, "a group must contain only components with one row per entity");
  query_group(q);
  return true;
}

void world_ungroup_query(world_o *w, query_o *q) {
  shoal_assert(!world_is_deferring(w), "cannot remove a group while commands are queued");
  (void)w;
  if (q->grouped)
    query_ungroup(q);
}

// --- renames

void world_clear_renames(world_o *w) {
  w->renames.count = w->system_renames.count = w->removed_components.count = 0;
}

void world_declare_removed_component(world_o *w, const char *name) {
  component_name_t removed = {{0}};
  snprintf(removed.text, sizeof removed.text, "%s", name);
  array_push(&w->allocator, &w->removed_components, removed);
}

bool world_is_component_removed(const world_o *w, const char *name) {
  for (uint32_t i = 0; i < w->removed_components.count; ++i)
    if (strcmp(w->removed_components.items[i].text, name) == 0)
      return true;
  return false;
}

void world_declare_renamed_system(world_o *w, const char *from, const char *to) {
  system_rename_t rename = {{0}, {0}};
  snprintf(rename.from, sizeof rename.from, "%s", from);
  snprintf(rename.to, sizeof rename.to, "%s", to);
  array_push(&w->allocator, &w->system_renames, rename);
}

void world_declare_renamed_field(world_o *w, const char *from, uint32_t manager, uint32_t column, const char *field) {
  shoal_assert(world_manager(w, manager), "cannot rename %s to component %u: unknown component number", from, manager);
  rename_t rename = {.manager = manager, .column = column};
  snprintf(rename.from, sizeof rename.from, "%s", from);
  snprintf(rename.field, sizeof rename.field, "%s", field);
  array_push(&w->allocator, &w->renames, rename);
}

bool world_is_component_renamed_to(const world_o *w, const char *from, uint32_t manager) {
  for (uint32_t i = 0; i < w->renames.count; ++i)
    if (strcmp(w->renames.items[i].from, from) == 0 && (manager == 0 || w->renames.items[i].manager == manager))
      return true;
  return false;
}

// Returns true if a column's former name is the field's name, or the name of the first column of a list or vector that
// had this name.
static bool is_former_name_of(const char *former, const char *field) {
  size_t bytes = strlen(field);
  const char *suffix = former + bytes;
  return strncmp(former, field, bytes) == 0 &&
         (!suffix[0] || strcmp(suffix, ".count") == 0 || strcmp(suffix, ".x") == 0);
}

bool world_is_field_moved(const world_o *w, const char *from, const char *field, uint32_t manager) {
  for (uint32_t i = 0; i < w->renames.count; ++i) {
    const rename_t *rename = &w->renames.items[i];
    if (rename->field[0] && strcmp(rename->from, from) == 0 && is_former_name_of(rename->field, field) &&
        (manager == 0 || rename->manager == manager))
      return true;
  }
  return false;
}

// Returns true if `old_schema` has the field and `new_schema`, a later version of the component, lacks it. A field
// whose type has changed is not lost.
static bool has_lost_field(const schema_t *old_schema, const schema_t *new_schema, const char *field) {
  if (schema_find_field(old_schema, field) >= 0)
    return schema_find_field(new_schema, field) < 0;
  return schema_find_field_of_any_type(old_schema, field) >= 0 && schema_find_field_of_any_type(new_schema, field) < 0;
}

bool world_is_row_source(world_o *w, const schema_t *from, uint32_t manager) {
  const manager_o *current = world_find_manager(w, from->name);
  if (!current)
    return world_is_component_renamed_to(w, from->name, manager);
  for (uint32_t i = 0; i < w->renames.count; ++i) {
    const rename_t *rename = &w->renames.items[i];
    if (rename->field[0] && strcmp(rename->from, from->name) == 0 && rename->manager != current->id &&
        (manager == 0 || rename->manager == manager) && has_lost_field(from, &current->schema, rename->field))
      return true;
  }
  return false;
}

// Returns the column of the former component `from` whose values belong to `column` of `manager`; -1 if no renamed
// field fills `column`.
static int32_t find_moved_field(const world_o *w, const schema_t *from, uint32_t manager, uint32_t column) {
  int32_t source = -1;
  for (uint32_t i = 0; i < w->renames.count && source < 0; ++i) {
    const rename_t *rename = &w->renames.items[i];
    if (rename->manager == manager && rename->column == column && strcmp(rename->from, from->name) == 0)
      source = schema_find_field(from, rename->field);
  }
  return source;
}

int32_t world_find_old_field(const world_o *w, const schema_t *from, const schema_t *to, uint32_t manager,
                             uint32_t column, bool moved) {
  const field_t *f = &to->fields[column];
  int32_t source = moved ? find_moved_field(w, from, manager, column) : schema_find_field(from, f->name);
  uint32_t list_mismatch = source >= 0 ? (from->fields[source].flags ^ f->flags) & FIELD_IS_OF_LIST : 0;
  if (list_mismatch && !moved) // a list does not match a record whose fields have the same names
    source = -1;
  source = source < 0 && !moved ? schema_find_former_field(from, f) : source;
  bool is_of_list = source >= 0 && from->fields[source].flags & FIELD_IS_OF_LIST;
  return f->flags & FIELD_IS_OF_LIST && !is_of_list ? -1 : source;
}

int32_t world_find_retyped_field(const world_o *w, const schema_t *from, const schema_t *to, uint32_t manager,
                                 uint32_t column, bool moved) {
  char name[FIELD_FORMER_NAMES_MAX];
  int32_t source = -1;
  for (const char *former = to->fields[column].renamed_from; !moved && former[0] && source < 0;
       former += strspn(former, " ")) {
    size_t length = strcspn(former, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, former);
    source = schema_find_field_of_any_type(from, name);
    former += length;
  }
  for (uint32_t i = 0; moved && i < w->renames.count && source < 0; ++i) {
    const rename_t *rename = &w->renames.items[i];
    if (rename->field[0] && rename->manager == manager && rename->column == column &&
        strcmp(rename->from, from->name) == 0)
      source = schema_find_field_of_any_type(from, rename->field);
  }
  return source;
}
