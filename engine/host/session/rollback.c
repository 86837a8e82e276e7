// Implements --check-rollback. A tick is determined by its initial world and its input. The world is hashed after every
// system, so that a difference can be attributed to a system. Only consecutive ticks are replayed: a load, a rewind, a
// newly parked system, or a paused frame that changes the world discards the ticks before it.
#include "session/rollback.h"

#include "base/assert.h"
#include "game/resimulate.h"
#include "start/options.h"
#include "snapshot/compare.h"
#include "ecs/world_hash.h"
#include "time/input_log.h"

#define MAX_REPORTED 3u

typedef struct tick_record_t {
  snapshot_o *start_snapshot;
  ARRAY(uint64_t) system_hashes; // world hash after each system
  uint64_t end_hash;             // world hash at the end of the tick
} tick_record_t;

struct rollback_o {
  allocator_t *allocator;
  log_o *log;
  tick_record_t *records; // ring buffer with `ticks` elements
  uint32_t ticks, first_record, count;
  snapshot_o *end_snapshot; // taken at the end of the last recorded tick
  input_log_o *input;       // input of the ticks, and external input that they read
  uint32_t parked_count;    // number of parked systems at the end of the last tick
  // Valid while a tick runs.
  game_o *game;
  tick_record_t *current;    // record of the running tick
  bool is_rerun;             // true while a tick is run again and its hashes are compared
  bool has_difference;       // the last tick that was run again differed or failed
  uint32_t system_count;     // number of systems that have run in this tick
  char differing_system[96]; // first system after which the hash differs; "" if none
  bool names_system;         // `changed_table` names the system
  // description of the script table that has changed and of the system that ran before the change; "" if no table
  // changed
  char changed_table[768];
};

static tick_record_t *get_record(const rollback_o *r, uint32_t i) {
  shoal_assert(i < r->count && r->count <= r->ticks, "tick %u is out of range (%u kept, capacity %u)", i, r->count,
               r->ticks);
  return &r->records[(r->first_record + i) % r->ticks];
}

rollback_o *rollback_create(allocator_t *a, log_o *log, uint32_t ticks) {
  shoal_assert(ticks > 0 && ticks <= ROLLBACK_MAX_TICKS, "tick count %u is out of range [1, %u]", ticks,
               (unsigned)ROLLBACK_MAX_TICKS);
  rollback_o *r = alloc_resize(a, NULL, 0, sizeof *r);
  *r = (rollback_o){
      .allocator = a, .log = log, .ticks = ticks, .end_snapshot = snapshot_create(a), .input = input_log_create(a)};
  r->records = alloc_resize(a, NULL, 0, ticks * sizeof *r->records);
  for (uint32_t i = 0; i < ticks; ++i)
    r->records[i] = (tick_record_t){.start_snapshot = snapshot_create(a)};
  return r;
}

void rollback_destroy(rollback_o *r) {
  if (!r)
    return;
  for (uint32_t i = 0; i < r->ticks; ++i) {
    snapshot_release(r->records[i].start_snapshot);
    array_free(r->allocator, &r->records[i].system_hashes);
  }
  snapshot_release(r->end_snapshot);
  input_log_destroy(r->input);
  alloc_resize(r->allocator, r->records, r->ticks * sizeof *r->records, 0);
  alloc_resize(r->allocator, r, sizeof *r, 0);
}

void rollback_clear(rollback_o *r) {
  if (r)
    r->count = 0;
}

// --- after a system

// If a script table has changed, stores a message in `changed_table`. `system`: the system that has just run; NULL at
// the end of the tick.
static void check_tables(rollback_o *r, game_o *g, const char *system) {
  script_report_t report;
  if (!vm_find_changed_table(g->vm, &report))
    return;
  snprintf(r->changed_table, sizeof r->changed_table, "after system %s: %.640s", system ? system : "(none)",
           report.message);
  r->names_system = system != NULL;
}

static void on_system_end(void *context, world_o *w, const char *system) {
  rollback_o *r = context;
  shoal_assert(r->current, "no tick is running");
  uint64_t hash = world_hash(w);
  if (!r->is_rerun) {
    array_push(r->allocator, &r->current->system_hashes, hash);
  } else if (r->changed_table[0] && !r->names_system) {
    check_tables(r, r->game, system);
  } else if (!r->differing_system[0] && (r->system_count >= r->current->system_hashes.count ||
                                         r->current->system_hashes.items[r->system_count] != hash)) {
    snprintf(r->differing_system, sizeof r->differing_system, "%s", system);
  }
  ++r->system_count;
}

static void watch_systems(rollback_o *r, game_o *g, tick_record_t *record, bool is_rerun) {
  r->game = g;
  r->current = record;
  r->is_rerun = is_rerun;
  r->system_count = 0;
  schedule_set_callback(g->schedule, record ? on_system_end : NULL, r);
}

// --- recording a tick

void rollback_begin(rollback_o *r, game_o *g) {
  shoal_assert(!r->current, "a tick is already running");
  error_info_t error = {0};
  shoal_assert(r->ticks > 0 && r->count <= r->ticks, "%u ticks exceed the capacity %u", r->count, r->ticks);
  if (r->count > 0 && (g != r->game || world_hash(g->world) != get_record(r, r->count - 1)->end_hash))
    rollback_clear(r);
  if (r->count == r->ticks)
    r->first_record = (r->first_record + 1) % r->ticks;
  else
    ++r->count;
  tick_record_t *record = get_record(r, r->count - 1);
  record->system_hashes.count = 0;
  if (!snapshot_take(record->start_snapshot, g->world, &error))
    log_error(r->log, "check-rollback: %s", error.text);
  r->parked_count = g->parked.items.count;
  input_log_add_tick(r->input, world_tick(g->world) + 1, &g->input_before, &g->input);
  input_log_discard_before(r->input, snapshot_tick(get_record(r, 0)->start_snapshot) + 1);
  watch_systems(r, g, record, false);
}

void rollback_end(rollback_o *r, game_o *g) {
  shoal_assert(r->current && !r->is_rerun && g == r->game, "no tick of this game is running, or it is being replayed");
  shoal_assert(r->system_count == r->current->system_hashes.count, "%u systems ran but %u hashes were stored",
               r->system_count, r->current->system_hashes.count);
  error_info_t error = {0};
  r->current->end_hash = world_hash(g->world);
  watch_systems(r, g, NULL, false);
  if (!r->changed_table[0])
    check_tables(r, g, NULL);
  if (!snapshot_take(r->end_snapshot, g->world, &error))
    log_error(r->log, "check-rollback: %s", error.text);
}

void rollback_add_result(rollback_o *r, uint64_t tick, external_result_t *result) {
  input_log_add_result(r->input, tick, result);
}

static void run_tick(rollback_o *r, game_o *g, tick_record_t *record, const input_log_item_t *item) {
  watch_systems(r, g, record, true);
  game_run_again(g, r->input, item);
  watch_systems(r, g, NULL, false);
}

// --- differences

static void log_differing_values(const rollback_o *r, game_o *g, const snapshot_o *expected, const char *prefix) {
  compare_item_t items[MAX_REPORTED];
  char line[COMPARE_LINE_MAX];
  error_info_t error = {0};
  uint64_t total = snapshot_compare_world(expected, g->world, items, MAX_REPORTED, &error);
  if (total == 0 || total == UINT64_MAX)
    log_error(r->log, "%s%s", prefix, total ? error.text : "data other than fields");
  for (uint32_t i = 0; i < MAX_REPORTED && i < total && total != UINT64_MAX; ++i)
    log_error(r->log, "%s%s", prefix, compare_format_line(&items[i], line));
}

static void log_difference(rollback_o *r, game_o *g, uint32_t index, bool failed) {
  char prefix[256];
  unsigned long long tick = snapshot_tick(get_record(r, index)->start_snapshot);
  snprintf(prefix, sizeof prefix, "check-rollback: tick %llu, replayed from tick %llu, differs after system %s: ", tick,
           (unsigned long long)snapshot_tick(get_record(r, 0)->start_snapshot),
           r->differing_system[0] ? r->differing_system : "(none)");
  log_differing_values(r, g, index + 1 < r->count ? get_record(r, index + 1)->start_snapshot : r->end_snapshot, prefix);
  if (failed)
    log_error(r->log, "check-rollback: code that succeeded the first time failed when replayed");
  log_error(r->log, "check-rollback: this system depends on state outside the world: a table or closure kept between "
                    "ticks, a file, or a clock");
}

static bool report_replay_failures(rollback_o *r, game_o *g) {
  script_report_t report;
  bool failed = false;
  while (game_pop_reports(g, &report, 1)) {
    log_error(r->log, "check-rollback: %s fails when replayed: %s", report.piece, report.message);
    failed = true;
  }
  return failed;
}

// Runs a kept tick again, and compares it. Returns false after the first tick that differs or in which a script or
// plugin fails.
static bool run_kept_tick(void *context, const input_log_o *log, const input_log_item_t *item) {
  rollback_o *r = context;
  game_o *g = r->game;
  uint32_t index = (uint32_t)(world_tick(g->world) - snapshot_tick(get_record(r, 0)->start_snapshot));
  (void)log; // equals r->input
  shoal_assert(!item->paused, "the log must contain only ticks, because a paused frame discards the kept ticks");
  r->differing_system[0] = '\0';
  run_tick(r, g, get_record(r, index), item);
  bool failed = report_replay_failures(r, g);
  r->has_difference = failed || world_hash(g->world) != get_record(r, index)->end_hash;
  if (r->has_difference)
    log_difference(r, g, index, failed);
  return !r->has_difference;
}

// Re-runs all kept ticks. Returns false if the first snapshot cannot be restored, or if a tick differs or fails; the
// world is then left at the end of that tick.
static bool rerun_kept_ticks(rollback_o *r, game_o *g) {
  error_info_t error = {0};
  r->has_difference = false;
  bool restored = resimulate(&(resimulate_desc_t){.world = g->world,
                                                  .start = get_record(r, 0)->start_snapshot,
                                                  .log = r->input,
                                                  .end_tick = world_tick(g->world),
                                                  .run = run_kept_tick,
                                                  .context = r},
                             &error);
  if (!restored)
    log_error(r->log, "check-rollback: %s", error.text);
  return restored && !r->has_difference;
}

static bool run_last_tick(void *context, const input_log_o *log, const input_log_item_t *item) {
  rollback_o *r = context;
  (void)log;
  run_tick(r, r->game, get_record(r, r->count - 1), item);
  return false;
}

// Finds the system that changed a table in the last tick: runs the tick again with the table's previous content.
static void find_system_that_changed_table(rollback_o *r, game_o *g) {
  error_info_t error = {0};
  vm_restore_tables(g->vm);
  resimulate(&(resimulate_desc_t){.world = g->world,
                                  .start = get_record(r, r->count - 1)->start_snapshot,
                                  .log = r->input,
                                  .end_tick = world_tick(g->world),
                                  .run = run_last_tick,
                                  .context = r},
             &error);
}

bool rollback_check(rollback_o *r, game_o *g) {
  shoal_assert(!r->current, "a tick cannot be replayed while it runs");
  if (r->changed_table[0]) {
    if (r->count > 0 && g == r->game)
      find_system_that_changed_table(r, g);
    log_error(r->log, "check-rollback: %s", r->changed_table);
    return false;
  }
  bool is_consecutive = r->count > 0 && g == r->game && g->parked.items.count == r->parked_count &&
                        world_hash(g->world) == get_record(r, r->count - 1)->end_hash;
  if (!is_consecutive) {
    rollback_clear(r);
    return true;
  }
  return rerun_kept_ticks(r, g);
}
