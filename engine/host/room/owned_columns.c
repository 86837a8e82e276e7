// Describes the columns of the item views.
#include "room/owned_columns.h"

#include "game/game.h"
#include "schema/bit_names.h"

#include <stdio.h>
#include <string.h>

_Static_assert(COMPONENT_NAME_MAX <= OWNED_VIEW_NAME_BYTES && FIELD_NAME_MAX <= OWNED_VIEW_NAME_BYTES,
               "a name must fit into a view");

static owned_type_t get_type(const field_t *field) {
  switch (field->type) {
  case FIELD_BOOL: return OWNED_BOOLEAN;
  case FIELD_F32:
  case FIELD_F64: return OWNED_REAL;
  case FIELD_STRING:
  case FIELD_ASSET:
  case FIELD_ENUM: return OWNED_TEXT;
  case FIELD_U32: return bit_names_exist(field) ? OWNED_TEXT : OWNED_INTEGER;
  default: return OWNED_INTEGER;
  }
}

// Sets the column's name. Prefixes a name that each view already uses with the component: "purse_name" for the field
// `name` of purse.
static void set_name(owned_column_t *column, const char *label) {
  static const char *const TAKEN[] = {"item", "account", "parent", "name", "assemblage"};
  bool is_taken = column->is_many && strcmp(label, "instance") == 0;
  for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; ++i)
    is_taken |= strcmp(label, TAKEN[i]) == 0;
  (void)snprintf(column->name, sizeof column->name, "%.30s%s%.32s", is_taken ? column->component : "",
                 is_taken ? "_" : "", label);
  for (char *c = column->name; *c; ++c)
    *c = *c == '.' ? '_' : *c;
}

static void add_field(const schema_t *schema, uint32_t index, int32_t element, owned_columns_list_t *out) {
  const field_t *field = &schema->fields[index];
  bool is_list = field->flags & FIELD_IS_COUNT;
  owned_column_t column = {
      .element = element, .type = is_list ? OWNED_TEXT : get_type(field), .is_many = schema->kind == SCHEMA_MANY};
  const char *dot = strrchr(field->name, '.');
  bool has_suffix = dot && (is_list || element >= 0);
  (void)snprintf(column.component, sizeof column.component, "%s", schema->name);
  (void)snprintf(column.field, sizeof column.field, "%.*s",
                 has_suffix ? (int)(dot - field->name) : (int)strlen(field->name), field->name);
  set_name(&column, is_list ? column.field : field->name);
  array_push(&out->memory, &out->list, column);
}

static void add_component(const schema_t *schema, owned_columns_list_t *out) {
  uint32_t before = out->list.count;
  int32_t element = -1;
  char base[FIELD_NAME_MAX] = "";
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const field_t *field = &schema->fields[i];
    bool is_parent = strcmp(schema->name, "transform") == 0 && strcmp(field->name, "parent") == 0;
    if (!field_is_settable(field) || is_parent || (field->flags & FIELD_IS_ELEMENT))
      continue;
    const char *dot = field->flags & FIELD_IS_AXIS ? strrchr(field->name, '.') : NULL;
    size_t bytes = dot ? (size_t)(dot - field->name) : 0;
    bool continues = dot && strlen(base) == bytes && memcmp(base, field->name, bytes) == 0;
    element = !dot ? -1 : continues ? element + 1 : 0;
    (void)snprintf(base, sizeof base, "%.*s", (int)bytes, field->name);
    add_field(schema, i, element, out);
  }
  if (out->list.count > before)
    return;
  owned_column_t tag = {.element = -1, .is_many = schema->kind == SCHEMA_MANY};
  (void)snprintf(tag.component, sizeof tag.component, "%s", schema->name);
  array_push(&out->memory, &out->list, tag);
}

void owned_columns_add(const game_o *g, owned_columns_list_t *out) {
  for (uint32_t id = 1; id <= world_manager_count(g->world); ++id) {
    const schema_t *schema = &world_manager(g->world, id)->schema;
    bool is_stored = strcmp(schema->name, "name") != 0 && strcmp(schema->name, "in_scene") != 0 &&
                     strcmp(schema->name, "owned") != 0;
    if ((schema->kind == SCHEMA_COMPONENT || schema->kind == SCHEMA_MANY) && is_stored &&
        strpbrk(schema->name, "\"'") == NULL)
      add_component(schema, out);
  }
}
