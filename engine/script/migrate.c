// Rows of an older declaration as Lua sees them, and the call of the declaration's own function over them.
#include "script/abi.h"
#include "script/vm.h"

uint32_t migration_manager(const migration_t *m) {
  return m->manager;
}

uint32_t migration_count(const migration_t *m) {
  return m->old.count;
}

uint32_t migration_field_count(const migration_t *m) {
  return m->old_schema.field_count;
}

const char *migration_field(const migration_t *m, uint32_t field, field_type_id_t *type, uint32_t *flags,
                            const char **choices, uint32_t *choice_count) {
  const field_t *f = &m->old_schema.fields[field];
  *type = f->type;
  *flags = f->flags;
  *choices = f->choices;
  *choice_count = f->choice_count;
  return f->name;
}

void *migration_data(const migration_t *m, uint32_t field) {
  return m->old.data[field];
}

const uint32_t *migration_rows(const migration_t *m) {
  return m->row;
}

bool vm_migrate(void *vm, world_o *w, const migration_t *m, error_t *error) {
  vm_o *v = vm;
  (void)w;
  lua_pushnumber(v->L, (lua_Number)(uintptr_t)m);
  if (vm_run(v, "migrate", 1, 0, vm_long_budget(v)))
    return true;
  const script_report_t *r = &v->caught;
  if (!r->file[0])
    return error_set(error, "migrate of %s: %.900s", m->old_schema.name, r->message);
  return error_set(error, "%s:%d: migrate of %s: %.700s", r->file, r->line, m->old_schema.name, r->message);
}
