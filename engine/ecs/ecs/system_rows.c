// State of systems (started, enabled or disabled) as rows of the singleton shoal.systems.
#include "ecs/system_rows.h"

#include "base/assert.h"
#include "ecs/manager_internal.h"

static const char COMPONENT[] = "shoal.systems";
enum { NAME, STARTED, SWITCHED };

bool system_rows_declare(world_o *w, error_info_t *error) {
  schema_buffer_t s;
  schema_init(&s, COMPONENT, SCHEMA_SINGLE, "shoal");
  schema_add_field(&s.schema, "name", FIELD_STRING, 0)->flags = FIELD_READ_ONLY;
  schema_add_field(&s.schema, "started", FIELD_BOOL, 0)->flags = FIELD_READ_ONLY;
  schema_add_field(&s.schema, "switched", FIELD_U8, SWITCH_NONE)->flags = FIELD_READ_ONLY;
  return world_declare_schema(w, &s.schema, error) != 0;
}

static uint32_t read_field(world_o *w, uint32_t system, uint32_t field) {
  const manager_o *m = world_find_manager(w, COMPONENT);
  uint32_t row = m && system != 0 ? manager_find_row_with_text(m, NAME, system) : ROW_NONE;
  return row == ROW_NONE ? 0 : ((const uint8_t *)manager_column(m, field))[row];
}

static void write_field(world_o *w, uint32_t system, uint32_t field, uint32_t value) {
  manager_o *m = world_find_manager(w, COMPONENT);
  shoal_assert(m && system != 0, "component %s, which stores systems, is missing, or the system has no name",
               COMPONENT);
  uint32_t row = manager_find_row_with_text(m, NAME, system);
  if (row == ROW_NONE) {
    row = manager_add_unowned_row(m);
    columns_set(&m->columns, row, NAME, system);
  }
  columns_set(&m->columns, row, field, value);
}

bool system_has_started(world_o *w, uint32_t system) {
  return world_is_drawing(w) ? world_reader_position(w, system, 0) != 0 : read_field(w, system, STARTED) != 0;
}

void system_set_started(world_o *w, uint32_t system) {
  if (world_is_drawing(w))
    world_set_reader_position(w, system, 0, 1);
  else
    write_field(w, system, STARTED, 1);
}

uint32_t system_get_switch(world_o *w, uint32_t system) {
  return read_field(w, system, SWITCHED);
}

void system_set_switch(world_o *w, uint32_t system, bool enabled) {
  write_field(w, system, SWITCHED, enabled ? SWITCH_ON : SWITCH_OFF);
}

void system_move_switch(world_o *w, uint32_t from, const uint32_t *to, uint32_t count) {
  uint32_t state = system_get_switch(w, from);
  for (uint32_t i = 0; i < count && state != SWITCH_NONE; ++i)
    if (system_get_switch(w, to[i]) == SWITCH_NONE)
      write_field(w, to[i], SWITCHED, state);
  if (state != SWITCH_NONE)
    write_field(w, from, SWITCHED, SWITCH_NONE);
}
