// Gives Lua access to rows of an older declaration, and calls the declaration's own `migrate`.
#include "script/migrate.h"

#include "base/assert.h"
#include "script/guarded_call.h"
#include "script/script.h"
#include "script/vm.h"

uint32_t migration_manager(const migration_t *migration) {
  return migration->manager;
}

uint32_t migration_count(const migration_t *migration) {
  return migration->old.count;
}

const schema_t *migration_schema(const migration_t *migration) {
  return &migration->old_schema;
}

void *migration_data(const migration_t *migration, uint32_t field) {
  shoal_assert(field < migration->old.column_count, "%s: old field %u is out of range (count %u)",
               migration->old_schema.name, field, migration->old.column_count);
  return migration->old.data[field];
}

const uint32_t *migration_rows(const migration_t *migration) {
  return migration->row;
}

bool vm_run_migration(void *vm, world_o *w, const migration_t *migration, error_info_t *error) {
  vm_o *state = vm;
  (void)w;
  lua_pushnumber(state->L, (lua_Number)(uintptr_t)migration);
  if (vm_call_with_budget(state, "migrate", 1, 0, SCRIPT_BUDGET_LOAD))
    return true;
  const script_report_t *caught = &state->caught;
  if (!caught->file[0])
    return error_set(error, "migrate of %s: %.900s", migration->old_schema.name, caught->message);
  return error_set_at(error, caught->file, (uint32_t)caught->line, "migrate of %s: %.700s", migration->old_schema.name,
                      caught->message);
}
