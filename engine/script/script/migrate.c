// Gives Lua access to rows of an older declaration, and calls the declaration's own `migrate`.
#include "script/migrate.h"

#include "base/assert.h"
#include "script/guarded_call.h"
#include "script/script.h"
#include "script/vm.h"

uint32_t migration_manager(const migration_t *m) {
  return m->manager;
}

uint32_t migration_count(const migration_t *m) {
  return m->old.count;
}

const schema_t *migration_schema(const migration_t *m) {
  return &m->old_schema;
}

void *migration_data(const migration_t *m, uint32_t field) {
  shoal_assert(field < m->old.column_count, "%s: old field %u is out of range (count %u)", m->old_schema.name, field,
               m->old.column_count);
  return m->old.data[field];
}

const uint32_t *migration_rows(const migration_t *m) {
  return m->row;
}

bool vm_run_migration(void *vm, world_o *w, const migration_t *m, error_info_t *error) {
  vm_o *v = vm;
  (void)w;
  lua_pushnumber(v->L, (lua_Number)(uintptr_t)m);
  if (vm_call_with_budget(v, "migrate", 1, 0, SCRIPT_BUDGET_LOAD))
    return true;
  const script_report_t *r = &v->caught;
  if (!r->file[0])
    return error_set(error, "migrate of %s: %.900s", m->old_schema.name, r->message);
  return error_set_at(error, r->file, (uint32_t)r->line, "migrate of %s: %.700s", m->old_schema.name, r->message);
}
