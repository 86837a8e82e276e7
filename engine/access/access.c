// Declarations of a program, bound to its world, and the functions over single components and entities.
#include "access/access.h"

#include "access/changes.h"
#include "access/entities.h"
#include "access/match.h"
#include "access/why.h"
#include "base/assert.h"
#include "ecs/hint.h"

#include <string.h>

// --- life

void access_init(access_o *a, const access_desc_t *desc, world_o *w) {
  *a = (access_o){.shared = {desc->api}, .desc = *desc, .world = w};
}

static void free_bound(access_o *a, access_bound_t *b) {
  uint32_t n = b->component->column_count;
  scratch_free(&a->memory, &b->scratch);
  alloc_resize(&a->memory, b->columns, n * sizeof *b->columns, 0);
  alloc_resize(&a->memory, b->data, n * sizeof *b->data, 0);
  if (b->described)
    access_undescribe(&a->memory, b->described);
  alloc_resize(&a->memory, b, sizeof *b, 0);
}

void access_fini(access_o *a) {
  access_free_queries(a);
  for (uint32_t i = 0; i < a->bound.count; ++i)
    free_bound(a, a->bound.items[i]);
  array_free(&a->memory, &a->bound);
  array_free(&a->memory, &a->changes);
  a->world = NULL;
}

void access_use(access_o *a, world_o *w) {
  if (a->world == w)
    return;
  a->open.count = 0; // the world that had them is gone
  access_free_queries(a);
  for (uint32_t i = 0; i < a->bound.count; ++i)
    a->bound.items[i]->matched = false;
  a->world = w;
}

// --- declarations

static access_bound_t *make_bound(access_o *a, const shoal_component *c) {
  access_bound_t *b = alloc_resize(&a->memory, NULL, 0, sizeof *b);
  *b = (access_bound_t){.component = c};
  b->columns = alloc_resize(&a->memory, NULL, 0, c->column_count * sizeof *b->columns);
  b->data = alloc_resize(&a->memory, NULL, 0, c->column_count * sizeof *b->data);
  memset(b->data, 0, c->column_count * sizeof *b->data);
  array_push(&a->memory, &a->bound, b);
  return b;
}

static access_bound_t *find_bound(const access_o *a, const shoal_component *c) {
  for (uint32_t i = 0; i < a->bound.count; ++i)
    if (a->bound.items[i]->component == c)
      return a->bound.items[i];
  return NULL;
}

static bool match(access_o *a, access_bound_t *b) {
  char hint[HINT_BYTES];
  error_t error = {0};
  const char *name = b->component->name;
  access_find_owner(a->world, b->component, &b->manager, &b->event);
  const schema_t *s = b->manager ? &b->manager->schema : b->event ? &b->event->schema : NULL;
  if (!s)
    return access_fail("there is no %s %.64s%s", b->component->kind == SHOAL_KIND_EVENT ? "event" : "component", name,
                       hint_component(a->world, name, hint));
  b->matched = access_match(s, b->component, b->columns, &error) || access_fail("%s", error.text);
  b->heard = 0;
  return b->matched;
}

access_bound_t *access_bind(access_o *a, const shoal_component *component) {
  if (!component || !component->name)
    return access_fail("a component is missing: pass the address of its declaration"), NULL;
  access_bound_t *b = find_bound(a, component);
  b = b ? b : make_bound(a, component);
  return b->matched || match(a, b) ? b : NULL;
}

access_bound_t *access_bind_rows(access_o *a, const shoal_component *component) {
  access_bound_t *b = access_bind(a, component);
  return b && (b->manager || access_fail("%s is an event: it has no rows", component->name)) ? b : NULL;
}

bool world_access_declare(shoal_world *w, const shoal_component *component) {
  access_o *a = access_of(w);
  error_t error = {0};
  if (!component || !component->name)
    return access_fail("a component is missing: pass the address of its declaration");
  if (a->desc.declares && component->manager)
    return access_fail("%s has storage of its own, which only a plugin can have", component->name);
  if (a->desc.declares && a->open.count > 0)
    return access_fail("a query is open: declare %s before or after it", component->name);
  if (a->desc.declares &&
      !world_declare_desc(a->world, &(schema_desc_t){.component = component, .origin = "C"}, &error))
    return access_fail("%s", error.text);
  for (uint32_t i = 0; i < a->bound.count; ++i) // an earlier declaration may have had other columns
    a->bound.items[i]->matched = false;
  return access_bind(a, component) != NULL;
}

const shoal_component *world_access_component_named(shoal_world *w, const char *name) {
  access_o *a = access_of(w);
  char hint[HINT_BYTES];
  manager_o *m = name ? world_find_manager(a->world, name) : NULL;
  event_o *ev = name && !m ? world_find_event(a->world, name) : NULL;
  if (!m && !ev)
    return access_fail("there is no component %.64s%s", name ? name : "",
                       hint_component(a->world, name ? name : "", hint)),
           NULL;
  for (uint32_t i = 0; i < a->bound.count; ++i)
    if (a->bound.items[i]->described && strcmp(a->bound.items[i]->component->name, name) == 0)
      return a->bound.items[i]->component;
  shoal_component *c = access_describe(&a->memory, m ? &m->schema : &ev->schema);
  make_bound(a, c)->described = c;
  return c;
}

const char *world_access_why(shoal_world *w) {
  (void)w;
  return access_text();
}

// --- texts

const char *world_access_text(shoal_world *w, uint32_t id) {
  return strings_text(world_strings(access_of(w)->world), id);
}

uint32_t world_access_text_id(shoal_world *w, const char *text) {
  access_o *a = access_of(w);
  strings_o *strings = world_strings(a->world);
  uint32_t id = strings_find(strings, text ? text : "");
  if (id != 0 || !text || !text[0])
    return id;
  changes_note(a, CHANGE_TEXT, "t", text);
  return strings_intern(strings, text);
}

// --- entities

bool world_access_alive(shoal_world *w, shoal_entity e) {
  const world_o *world = access_of(w)->world;
  return world_alive(world, e) && !world_is_doomed(world, e);
}

shoal_entity world_access_find(shoal_world *w, const char *name) {
  return access_find(access_of(w)->world, name);
}

uint32_t world_access_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  access_o *a = access_of(w);
  uint32_t made = access_spawn_many(a->world, assemblage, count, out);
  if (made > 0)
    changes_note(a, CHANGE_SPAWN, "tn", assemblage, (double)count);
  return made;
}

shoal_entity world_access_spawn_with(shoal_world *w, const char *assemblage, const shoal_setting *settings,
                                     uint32_t count, shoal_entity *tree, uint32_t room) {
  access_o *a = access_of(w);
  const access_spawn_t spawn = {assemblage, settings, settings ? count : 0, tree, tree ? room : 0};
  shoal_entity e = access_spawn(a->world, &spawn);
  if (e)
    changes_note_spawn(a, &spawn);
  return e;
}

bool world_access_kill_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  access_o *a = access_of(w);
  bool fine = true;
  for (uint32_t i = 0; entities && i < count; ++i) {
    if (!world_destroy(a->world, entities[i]))
      fine = access_fail("entity %u is not alive", entities[i]);
    else
      changes_note(a, CHANGE_KILL, "n", (double)entities[i]);
  }
  return fine;
}

bool world_access_has(shoal_world *w, shoal_entity e, const shoal_component *component) {
  access_o *a = access_of(w);
  const access_bound_t *b = access_bind_rows(a, component);
  return b && world_has(a->world, e, b->manager->id);
}

// The id of an instance's name; 0 for other components. False after access_fail.
static bool instance_id(access_o *a, const access_bound_t *b, const char *instance, uint32_t *out) {
  *out = 0;
  if (b->component->kind == SHOAL_KIND_SINGLE)
    return access_fail("%s is a single, which no entity has", b->component->name);
  if (b->component->kind == SHOAL_KIND_MANY && instance)
    *out = strings_intern(world_strings(a->world), instance);
  return true;
}

bool world_access_add_named(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance) {
  access_o *a = access_of(w);
  const access_bound_t *b = access_bind_rows(a, component);
  uint32_t id;
  error_t error = {0};
  if (!b || !instance_id(a, b, instance, &id))
    return false;
  if (!world_alive(a->world, e))
    return access_fail("entity %u is not alive", e);
  if (!world_add(a->world, e, b->manager->id, id, &error))
    return access_fail("%s", error.text);
  changes_note(a, CHANGE_ADD, "ntt", (double)e, component->name, instance);
  return true;
}

bool world_access_remove_named(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance) {
  access_o *a = access_of(w);
  const access_bound_t *b = access_bind_rows(a, component);
  uint32_t id;
  if (!b || !instance_id(a, b, instance, &id))
    return false;
  if (!world_alive(a->world, e))
    return access_fail("entity %u is not alive", e);
  if (!world_remove(a->world, e, b->manager->id, id))
    return access_fail("entity %u has no %s", e, component->name);
  changes_note(a, CHANGE_REMOVE, "ntt", (double)e, component->name, instance);
  return true;
}

// --- values

static bool row_of(access_o *a, const shoal_component *component, shoal_entity e, const char *instance,
                   access_row_t *out) {
  const access_bound_t *b = access_bind_rows(a, component);
  if (b)
    *out = (access_row_t){a->world, component, b->manager, b->columns, e, instance};
  return b != NULL;
}

static bool has_column(const shoal_component *c, uint32_t column) {
  return column < c->column_count ||
         access_fail("%s has %u columns, and none with number %u", c->name, c->column_count, column);
}

typedef struct note_t {
  access_o *access;
  const access_row_t *row;
} note_t;

static bool note_value(void *context, uint32_t column, double value) {
  const note_t *n = context;
  const access_row_t *r = n->row;
  if (r->columns[column] < r->manager->schema.field_count)
    changes_note(n->access, CHANGE_SET, "ntttn", (double)r->entity, r->component->name, r->instance,
                 r->manager->schema.fields[r->columns[column]].name, value);
  return true;
}

bool world_access_set_named(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                            uint32_t column, double value) {
  access_o *a = access_of(w);
  access_row_t row;
  if (!row_of(a, component, e, instance, &row) || !has_column(component, column) ||
      !access_set_value(&row, column, value))
    return false;
  return note_value(&(note_t){a, &row}, column, value);
}

bool world_access_get_named(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                            uint32_t column, double *value) {
  access_row_t row;
  return row_of(access_of(w), component, e, instance, &row) && has_column(component, column) &&
         (value || access_fail("the value has no place")) && access_get_value(&row, column, value);
}

bool world_access_set_struct(shoal_world *w, shoal_entity e, const shoal_component *component, const void *values,
                             size_t size) {
  access_o *a = access_of(w);
  access_row_t row;
  if (!row_of(a, component, e, NULL, &row) || !access_set_values(&row, values, size))
    return false;
  return access_each_value(component, values, size, note_value, &(note_t){a, &row});
}

bool world_access_get_struct(shoal_world *w, shoal_entity e, const shoal_component *component, void *values,
                             size_t size) {
  access_row_t row;
  return row_of(access_of(w), component, e, NULL, &row) && access_get_values(&row, values, size);
}

// --- states, children

bool world_access_enter(shoal_world *w, shoal_entity e, const char *state) {
  access_o *a = access_of(w);
  if (!access_enter(a->world, e, state))
    return false;
  changes_note(a, CHANGE_ENTER, "nt", (double)e, state);
  return true;
}

const char *world_access_state_of(shoal_world *w, shoal_entity e) {
  return access_state_of(access_of(w)->world, e);
}

uint32_t world_access_children(shoal_world *w, shoal_entity e, shoal_entity *out, uint32_t room) {
  access_o *a = access_of(w);
  bool can = a->desc.children && world_alive(a->world, e) && world_find_manager(a->world, "transform");
  return can ? a->desc.children(a->world, e, out, out ? room : 0) : 0;
}

// --- rows

shoal_table world_access_rows_of(shoal_world *w, const shoal_component *component) {
  access_o *a = access_of(w);
  access_bound_t *b = access_bind_rows(a, component);
  if (!b)
    return (shoal_table){0};
  const manager_o *m = b->manager;
  for (uint32_t i = 0; i < component->column_count; ++i) {
    uint32_t real = b->columns[i];
    b->data[i] = real < m->schema.field_count ? m->data[real] : NULL;
    if (!b->data[i] && m->count > 0 && real >= m->schema.field_count) {
      size_t bytes = (size_t)m->count * field_size(m->schema.fields[real].type);
      b->data[i] = scratch_room(&a->memory, &b->scratch, i, component->column_count, bytes);
      manager_derive(m, real, NULL, 0, m->count, b->data[i]);
    }
  }
  return (shoal_table){.count = m->count,
                       .owners = m->schema.kind == SCHEMA_SINGLE ? NULL : m->owner,
                       .instances = m->instance,
                       .columns = b->data};
}

bool world_access_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities, uint32_t count,
                       uint32_t *rows) {
  const access_bound_t *b = access_bind_rows(access_of(w), component);
  for (uint32_t i = 0; rows && i < count; ++i)
    rows[i] = b && entities ? manager_row(b->manager, entities[i]) : SHOAL_NO_ROW;
  return b != NULL;
}

uint32_t world_access_row_named(shoal_world *w, const shoal_component *component, shoal_entity e,
                                const char *instance) {
  access_o *a = access_of(w);
  const access_bound_t *b = access_bind_rows(a, component);
  bool unnamed = !instance || !instance[0];
  uint32_t id = unnamed ? 0 : strings_find(world_strings(a->world), instance);
  return b && world_alive(a->world, e) && (unnamed || id != 0) ? manager_instance_row(b->manager, e, id) : SHOAL_NO_ROW;
}
