// The order of things: rows and values come over, then whatever the new version asks of them (queries, groups), then what scripts
// migrate, then the merge of assemblages, which changes the structure of a world that is whole by then.
#include "ecs/carry.h"

#include "ecs/manager_internal.h"
#include "ecs/merge.h"
#include "ecs/regroup.h"
#include "ecs/world_internal.h"

typedef struct carry_t {
  world_o *from, *to;
  const carry_desc_t *desc;
  carry_counts_t counts;
  snapshot_o *snapshot;
  convert_report_t report;
  allocator_t memory; // of the snapshot
} carry_t;

// The query of `to` that asks what q asks in `from`; NULL when there is none.
static query_o *same_query(const carry_t *c, const query_o *q) {
  query_desc_t desc = {.term_count = q->term_count};
  for (uint32_t i = 0; i < q->term_count; i++) {
    const manager_o *m = world_find_manager(c->to, q->terms[i].manager->schema.name);
    if (!m)
      return NULL;
    query_term_desc_t t = {m->id, q->terms[i].role};
    uint32_t at = i;
    for (; at > 0 && (desc.terms[at - 1].manager > t.manager ||
                      (desc.terms[at - 1].manager == t.manager && desc.terms[at - 1].role > t.role));
         at--)
      desc.terms[at] = desc.terms[at - 1];
    desc.terms[at] = t;
  }
  return query_find(c->to, &desc);
}

// Queries whose components are of another kind now were built anew. Their systems have heard of everybody in them already.
static bool restore_watchers(carry_t *c) {
  for (uint32_t i = 0; i < c->from->watchers.count; i++) {
    const watcher_t *x = &c->from->watchers.items[i];
    query_o *q = same_query(c, x->query);
    if (q && !((live_query_t *)q)->asleep)
      watch_resume(c->to, x->system, q, x->pending.items, x->pending.count);
  }
  return true;
}

// Nobody has kept any until now: what differs from the old templates was overridden.
static bool restore_marks(carry_t *c) {
  if (!world_tracks_touched(c->to) || world_tracks_touched(c->from))
    return true;
  world_track_touched(c->to, false);
  world_track_touched(c->to, true);
  merge_derive_marks(c->from, c->to);
  return true;
}

static bool carry(carry_t *c, error_t *error) {
  return snapshot_take(c->snapshot, c->from, error) &&
         snapshot_convert(c->snapshot, c->to, c->desc->say, c->desc->say_context, &c->report, error) &&
         snapshot_restore_regrouped(c->snapshot, c->to, true, error) && restore_watchers(c) && restore_marks(c) &&
         convert_migrate(&c->report, c->to, c->desc->migrate, c->desc->migrate_context, error) &&
         merge_assemblages(c->from, c->to, c->desc, &c->counts, error);
}

bool carry_world(world_o *from, world_o *to, const carry_desc_t *desc, carry_counts_t *counts, error_t *error) {
  static const carry_desc_t nothing = {0};
  carry_t c = {.from = from, .to = to, .desc = desc ? desc : &nothing};
  c.snapshot = snapshot_create(&c.memory);
  bool fine = carry(&c, error);
  c.counts.schemas = c.report.counts;
  if (counts)
    *counts = c.counts;
  snapshot_release(c.snapshot);
  convert_report_free(&c.report);
  return fine;
}
