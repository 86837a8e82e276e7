// Implements world_migrate. A migration first converts rows and values, then builds the new version's queries and
// groups, then runs the scripts' `migrate` functions, and finally merges assemblages. The merge comes last because it
// adds and removes components, which requires a complete world.
#include "migrate/world_migrate.h"

#include "base/assert.h"
#include "ecs/ranges.h"
#include "ecs/world_internal.h"
#include "migrate/reverse_renames.h"
#include "migrate/state_migrate.h"

#include <stdio.h>
#include <string.h>

typedef struct carry_t {
  world_o *from, *to;
  const world_migrate_desc_t *desc;
  world_migrate_counts_t counts;
  state_view_t *view; // view of the old world's state
  schema_migrate_report_t report;
} carry_t;

// If only the new world tracks overridden values, marks the values that differ from the old templates. Returns true.
static bool derive_marks(carry_t *c) {
  if (world_tracks_touched_fields(c->to) && !world_tracks_touched_fields(c->from))
    assemblage_merge_derive_marks(c->from, c->to);
  return true;
}

// Reports fields whose first `renamed_from` names a field that the old world no longer has, which means that an earlier
// reload dropped the values: the designer renamed a field, saved, and added `renamed_from` later.
static void report_late_renames(const carry_t *c, const schema_t *from, const schema_t *to) {
  char line[3 * FIELD_NAME_MAX + 300];
  schema_migrate_log_t log_line = c->desc->log_line;
  for (uint32_t k = 0; log_line && k < to->field_count; ++k) {
    const field_t *f = &to->fields[k];
    int32_t same = f->renamed_from[0] ? schema_find_field(from, f->name) : -1;
    if (same < 0 || from->fields[same].renamed_from[0] || schema_find_former_field(from, f) >= 0)
      continue;
    int bytes = (int)strcspn(f->renamed_from, " ");
    snprintf(line, sizeof line,
             "%s.%s: the former name %.*s has no effect on the running world, which has no field %.*s: if a reload has "
             "dropped its values, go back to a tick before that reload (F9, or world.restore)",
             to->name, f->name, bytes, f->renamed_from, bytes, f->renamed_from);
    log_line(c->desc->log_context, line);
  }
}

static void report_all_late_renames(const carry_t *c) {
  for (uint32_t id = 1; id <= c->from->managers.count; ++id) {
    const manager_o *old = c->from->managers.items[id - 1], *now = world_find_manager(c->to, old->schema.name);
    if (now && old->count > 0)
      report_late_renames(c, &old->schema, &now->schema);
  }
}

static bool migrate_contents(carry_t *c, error_info_t *error) {
  const world_migrate_desc_t *d = c->desc;
  schema_migrate_desc_t how = {.log_line = d->log_line, .log_context = d->log_context, .report = &c->report};
  state_install_desc_t put = {.regroup = true, .wake = true, .keep_marks = true};
  put.log_line = d->log_line;
  put.log_context = d->log_context;
  reverse_renames_declare(c->from, c->to);
  if (!state_migrate(c->view, c->to, &how, error) || !state_install(c->view, c->to, &put, error) || !derive_marks(c) ||
      !schema_migrate_run(&c->report, c->to, d->migrate, d->migrate_context, error))
    return false;
  world_clamp_all(c->to, d->log_line, d->log_context); // `migrate` functions write columns in place
  if (!assemblage_merge_run(c->from, c->to, d->log_line, d->log_context, &c->counts.merge, error))
    return false;
  world_add_all_required(c->to);
  report_all_late_renames(c);
  return true;
}

bool world_migrate(world_o *from, world_o *to, const world_migrate_desc_t *desc, world_migrate_counts_t *counts,
                   error_info_t *error) {
  static const world_migrate_desc_t nothing = {0};
  carry_t c = {.from = from, .to = to, .desc = desc ? desc : &nothing};
  shoal_assert(!world_is_deferring(from) && !world_is_deferring(to), "cannot migrate a world during a tick");
  shoal_assert(from != to, "from and to must be different worlds");
  snapshot_o *taken = c.desc->state ? NULL : snapshot_create(&to->allocator);
  if (!taken || snapshot_take(taken, from, error))
    c.view = state_open(taken ? taken : c.desc->state, &to->allocator, error);
  bool ok = c.view && migrate_contents(&c, error);
  state_close(c.view);
  snapshot_release(taken);
  c.counts.schemas = c.report.counts;
  if (counts)
    *counts = c.counts;
  schema_migrate_report_free(&c.report);
  return ok;
}
