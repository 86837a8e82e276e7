// Implements --check-rollback. A tick is determined by its initial world and its input. The world is hashed after every
// system, so that a difference can be attributed to a system. Only consecutive ticks are replayed. A load, a rewind, a
// newly parked system, or a paused frame that changes the world therefore discards the ticks before it. For a large
// world, only every fourth state is kept, to save time and memory. The check then starts at the oldest kept state, up
// to three ticks later. If a tick differs, the reported values come from the end of the next tick whose state is kept.
#include "session/rollback_check.h"

#include "base/assert.h"
#include "game/system_watch.h"
#include "start/options.h"
#include "snapshot/compare.h"
#include "ecs/world_hash.h"

#define MAX_REPORTED 3u
#define SNAPSHOT_INTERVAL 4u         // number of ticks between the snapshots of a large world
#define LARGE_WORLD_BYTES (1u << 20) // minimum column size of a large world

typedef struct tick_record_t {
  snapshot_o *start_snapshot;    // snapshot at the start of the tick; NULL if not kept
  system_hashes_t system_hashes; // world hash after each system
  uint64_t end_hash;             // world hash at the end of the tick
} tick_record_t;

struct rollback_check_o {
  allocator_t *allocator;
  log_o *log;
  tick_record_t *records; // ring buffer with `ticks` elements
  // Number of ticks to replay; ring index of the oldest record, which has a snapshot; number of records.
  uint32_t ticks, first_record, count;
  ARRAY(snapshot_o *) spare_snapshots;
  snapshot_o *end_snapshot; // snapshot at the end of the last recorded tick
  input_log_o *input;       // input of the recorded ticks, including external input
  uint32_t parked_count;    // number of parked functions before the last recorded tick
  // Valid while a tick runs, except that `game` remains set.
  game_o *game;
  tick_record_t *current; // record of the running tick
  bool is_rerun;          // true while a tick is re-run and its hashes are compared
  system_watch_t watch;
  bool has_difference; // true if a tick that was re-run differed or failed
  bool has_failed;     // true if a tick that was re-run failed
  // Index of the record of the first tick that differed or failed (see also `watch`). Valid if `has_difference` is
  // true.
  uint32_t differing_index;
  bool names_system; // true if `changed_table` names the system
  // Message that names the changed script table and the system that has changed it, or "(none)" while the system is
  // unknown; "" if no table has changed.
  char changed_table[768];
};

static tick_record_t *get_record(const rollback_check_o *rollback, uint32_t i) {
  shoal_assert(i < rollback->count && rollback->count <= rollback->ticks,
               "tick %u is out of range (%u kept, capacity %u)", i, rollback->count, rollback->ticks);
  return &rollback->records[(rollback->first_record + i) % rollback->ticks];
}

rollback_check_o *rollback_check_create(allocator_t *a, log_o *log, uint32_t ticks) {
  shoal_assert(ticks > 0 && ticks <= ROLLBACK_MAX_TICKS, "tick count %u is out of range [1, %u]", ticks,
               (unsigned)ROLLBACK_MAX_TICKS);
  rollback_check_o *rollback = alloc_resize(a, NULL, 0, sizeof *rollback);
  *rollback = (rollback_check_o){
      .allocator = a, .log = log, .ticks = ticks, .end_snapshot = snapshot_create(a), .input = input_log_create(a)};
  rollback->records = alloc_resize(a, NULL, 0, ticks * sizeof *rollback->records);
  for (uint32_t i = 0; i < ticks; ++i)
    rollback->records[i] = (tick_record_t){.start_snapshot = NULL};
  return rollback;
}

void rollback_check_destroy(rollback_check_o *rollback) {
  if (!rollback)
    return;
  for (uint32_t i = 0; i < rollback->ticks; ++i) {
    snapshot_release(rollback->records[i].start_snapshot);
    array_free(rollback->allocator, &rollback->records[i].system_hashes);
  }
  for (uint32_t i = 0; i < rollback->spare_snapshots.count; ++i)
    snapshot_release(rollback->spare_snapshots.items[i]);
  array_free(rollback->allocator, &rollback->spare_snapshots);
  snapshot_release(rollback->end_snapshot);
  input_log_destroy(rollback->input);
  alloc_resize(rollback->allocator, rollback->records, rollback->ticks * sizeof *rollback->records, 0);
  alloc_resize(rollback->allocator, rollback, sizeof *rollback, 0);
}

void rollback_check_attach(rollback_check_o *rollback, journal_o *j) {
  journal_attach(j, rollback->input);
}

static void drop_first_record(rollback_check_o *rollback) {
  tick_record_t *record = get_record(rollback, 0);
  if (record->start_snapshot)
    array_push(rollback->allocator, &rollback->spare_snapshots, record->start_snapshot);
  record->start_snapshot = NULL;
  rollback->first_record = (rollback->first_record + 1) % rollback->ticks;
  --rollback->count;
}

void rollback_check_clear(rollback_check_o *rollback) {
  while (rollback && rollback->count > 0)
    drop_first_record(rollback);
}

// Returns the world's tick at the start of the record's tick.
static uint64_t get_start_tick(const rollback_check_o *rollback, uint32_t index) {
  return snapshot_tick(get_record(rollback, 0)->start_snapshot) + index;
}

// Returns the state at the end of the record's tick, or NULL if the state was not kept.
static const snapshot_o *get_end_snapshot(const rollback_check_o *rollback, uint32_t index) {
  return index + 1 < rollback->count ? get_record(rollback, index + 1)->start_snapshot : rollback->end_snapshot;
}

// --- after a system

// If a script table has changed, stores a message in `changed_table`. `system`: the system that has just run; NULL at
// the end of the tick.
static void check_tables(rollback_check_o *rollback, game_o *g, const char *system) {
  script_report_t report;
  if (!vm_find_changed_table(g->vm, &report))
    return;
  snprintf(rollback->changed_table, sizeof rollback->changed_table, "after system %s: %.640s",
           system ? system : "(none)", report.message);
  rollback->names_system = system != NULL;
}

// Called after each system while a tick is re-run with the previous content of a table that has changed. Attributes the
// change to the system that has just run.
static void find_change_of_table(void *context, world_o *w, const char *system) {
  rollback_check_o *rollback = context;
  (void)w;
  if (rollback->changed_table[0] && !rollback->names_system)
    check_tables(rollback, rollback->game, system);
}

// Hashes the world after each system of the tick to be run. `record`: the tick's record. NULL ends the watch.
static void watch_systems(rollback_check_o *rollback, game_o *g, tick_record_t *record, bool is_rerun) {
  bool compares = is_rerun && !rollback->changed_table[0];
  rollback->game = g;
  rollback->current = record;
  rollback->is_rerun = is_rerun;
  if (!record) {
    system_watch_end(g);
    return;
  }
  rollback->watch.allocator = rollback->allocator;
  rollback->watch.stored = is_rerun ? NULL : &record->system_hashes;
  rollback->watch.expected = compares ? &record->system_hashes : NULL;
  rollback->watch.after_system = is_rerun ? find_change_of_table : NULL;
  rollback->watch.context = rollback;
  system_watch_begin(&rollback->watch, g);
}

// --- recording a tick

// Appends and returns a record. If the ring is full, drops the oldest records until the first record has a snapshot.
static tick_record_t *add_record(rollback_check_o *rollback) {
  if (rollback->count == rollback->ticks)
    do
      drop_first_record(rollback);
    while (rollback->count > 0 && !get_record(rollback, 0)->start_snapshot);
  ++rollback->count;
  return get_record(rollback, rollback->count - 1);
}

// Returns true if the last record needs a snapshot: always in a small world or for few ticks, otherwise every
// SNAPSHOT_INTERVAL ticks.
static bool is_snapshot_due(const rollback_check_o *rollback, world_o *w) {
  bool keeps_all = rollback->ticks < 2 * SNAPSHOT_INTERVAL || world_column_bytes(w) < LARGE_WORLD_BYTES;
  for (uint32_t i = 2; i <= SNAPSHOT_INTERVAL && i <= rollback->count && !keeps_all; ++i)
    if (get_record(rollback, rollback->count - i)->start_snapshot)
      return false;
  return true;
}

static void take_start_snapshot(rollback_check_o *rollback, tick_record_t *record, world_o *w) {
  error_info_t error = {0};
  record->start_snapshot = rollback->spare_snapshots.count > 0
                               ? rollback->spare_snapshots.items[--rollback->spare_snapshots.count]
                               : snapshot_create(rollback->allocator);
  if (!snapshot_take(record->start_snapshot, w, &error))
    log_error(rollback->log, "check-rollback: %s", error.text);
}

void rollback_check_begin(rollback_check_o *rollback, game_o *g) {
  shoal_assert(!rollback->current, "a tick is already running");
  shoal_assert(rollback->ticks > 0 && rollback->count <= rollback->ticks, "%u ticks exceed the capacity %u",
               rollback->count, rollback->ticks);
  if (rollback->count > 0 &&
      (g != rollback->game || world_hash(g->world) != get_record(rollback, rollback->count - 1)->end_hash))
    rollback_check_clear(rollback);
  tick_record_t *record = add_record(rollback);
  record->system_hashes.count = 0;
  if (is_snapshot_due(rollback, g->world))
    take_start_snapshot(rollback, record, g->world);
  rollback->parked_count = g->parked.items.count;
  if (input_log_last_tick(rollback->input) > world_tick(g->world))
    input_log_discard_from(rollback->input, world_tick(g->world) + 1);
  input_log_discard_before(rollback->input, get_start_tick(rollback, 0) + 1);
  watch_systems(rollback, g, record, false);
}

void rollback_check_end(rollback_check_o *rollback, game_o *g) {
  shoal_assert(rollback->current && !rollback->is_rerun && g == rollback->game,
               "no tick of this game is running, or it is being replayed");
  shoal_assert(rollback->watch.count == rollback->current->system_hashes.count,
               "%u systems ran but %u hashes were stored", rollback->watch.count,
               rollback->current->system_hashes.count);
  error_info_t error = {0};
  rollback->current->end_hash = world_hash(g->world);
  watch_systems(rollback, g, NULL, false);
  if (!rollback->changed_table[0])
    check_tables(rollback, g, NULL);
  if (!snapshot_take(rollback->end_snapshot, g->world, &error))
    log_error(rollback->log, "check-rollback: %s", error.text);
}

void rollback_check_add_result(rollback_check_o *rollback, uint64_t tick, external_result_t *result) {
  input_log_add_result(rollback->input, tick, result);
}

// Runs the next tick again. Skips the frames of a pause before it: if such a frame had changed the world, the ticks
// before it would have been dropped. Returns true, or false if the log lacks the tick.
static bool run_tick(rollback_check_o *rollback, game_o *g, tick_record_t *record) {
  logged_input_t item;
  if (!input_log_get_tick(rollback->input, world_tick(g->world) + 1, &item))
    return false;
  watch_systems(rollback, g, record, true);
  game_run_again(g, rollback->input, &item);
  watch_systems(rollback, g, NULL, false);
  return true;
}

// --- differences

static void log_differing_values(const rollback_check_o *rollback, game_o *g, const snapshot_o *expected,
                                 const char *prefix) {
  compare_item_t items[MAX_REPORTED];
  char line[COMPARE_LINE_MAX];
  error_info_t error = {0};
  uint64_t total = snapshot_compare_world(expected, g->world, items, MAX_REPORTED, &error);
  if (total == 0 || total == UINT64_MAX)
    log_error(rollback->log, "%s%s", prefix, total ? error.text : "data other than fields");
  for (uint32_t i = 0; i < MAX_REPORTED && i < total && total != UINT64_MAX; ++i)
    log_error(rollback->log, "%s%s", prefix, compare_format_line(&items[i], line));
}

// Logs the first tick that differs. `index`: record of the last tick that has run, whose end state is kept and
// compared.
static void log_difference(rollback_check_o *rollback, game_o *g, uint32_t index) {
  char prefix[288], later_tick[48] = "";
  if (index > rollback->differing_index)
    snprintf(later_tick, sizeof later_tick, "at the end of tick %llu, ",
             (unsigned long long)get_start_tick(rollback, index));
  snprintf(prefix, sizeof prefix, "check-rollback: tick %llu, replayed from tick %llu, differs after system %s: %s",
           (unsigned long long)get_start_tick(rollback, rollback->differing_index),
           (unsigned long long)get_start_tick(rollback, 0),
           rollback->watch.differing_system[0] ? rollback->watch.differing_system : "(none)", later_tick);
  log_differing_values(rollback, g, get_end_snapshot(rollback, index), prefix);
  if (rollback->has_failed)
    log_error(rollback->log, "check-rollback: code that succeeded the first time failed when replayed");
  log_error(rollback->log,
            "check-rollback: this system depends on state outside the world: a table or closure kept between "
            "ticks, a file, or a clock");
}

static bool report_replay_failures(rollback_check_o *rollback, game_o *g) {
  script_report_t report;
  bool failed = false;
  while (game_pop_reports(g, &report, 1)) {
    log_error(rollback->log, "check-rollback: %s fails when replayed: %s", report.piece, report.message);
    failed = true;
  }
  return failed;
}

// Runs a recorded tick again, and compares its result with the record. Returns true if the re-run can continue. After a
// tick that differs, or in which a script or plugin fails, continues to the first tick whose end state is kept, then
// logs the difference and returns false.
static bool run_recorded_tick(rollback_check_o *rollback, game_o *g) {
  uint32_t index = (uint32_t)(world_tick(g->world) - get_start_tick(rollback, 0));
  if (!rollback->has_difference)
    rollback->watch = (system_watch_t){0};
  if (!run_tick(rollback, g, get_record(rollback, index)))
    return false;
  rollback->has_failed |= report_replay_failures(rollback, g);
  if (!rollback->has_difference &&
      (rollback->has_failed || world_hash(g->world) != get_record(rollback, index)->end_hash)) {
    rollback->has_difference = true;
    rollback->differing_index = index;
  }
  if (!rollback->has_difference || !get_end_snapshot(rollback, index))
    return true;
  log_difference(rollback, g, index);
  return false;
}

// Re-runs the recorded ticks, up to the first tick that the log lacks. Returns true if no tick differs or fails.
// Returns false if the first snapshot cannot be restored. Also returns false if a tick differs or fails. The world then
// remains at the end of that tick or a later tick.
static bool rerun_recorded_ticks(rollback_check_o *rollback, game_o *g) {
  error_info_t error = {0};
  uint64_t end_tick = world_tick(g->world);
  rollback->has_difference = rollback->has_failed = false;
  bool restored = snapshot_restore(get_record(rollback, 0)->start_snapshot, g->world, &error);
  if (!restored)
    log_error(rollback->log, "check-rollback: %s", error.text);
  while (restored && world_tick(g->world) < end_tick && run_recorded_tick(rollback, g)) {
  }
  return restored && !rollback->has_difference;
}

// Finds the system that changed a table in the last tick: restores the table's previous content, and re-runs the ticks
// since the last kept state.
static void find_system_that_changed_table(rollback_check_o *rollback, game_o *g) {
  error_info_t error = {0};
  uint64_t end_tick = world_tick(g->world);
  uint32_t last = rollback->count - 1, index = last;
  while (!get_record(rollback, index)->start_snapshot)
    --index;
  vm_restore_tables(g->vm);
  bool restored = snapshot_restore(get_record(rollback, index)->start_snapshot, g->world, &error);
  while (restored && world_tick(g->world) < end_tick && run_tick(rollback, g, get_record(rollback, last))) {
  }
}

bool rollback_check_run(rollback_check_o *rollback, game_o *g) {
  shoal_assert(!rollback->current, "a tick cannot be replayed while it runs");
  if (rollback->changed_table[0]) {
    if (rollback->count > 0 && g == rollback->game)
      find_system_that_changed_table(rollback, g);
    log_error(rollback->log, "check-rollback: %s", rollback->changed_table);
    return false;
  }
  bool is_consecutive = rollback->count > 0 && g == rollback->game && g->parked.items.count == rollback->parked_count &&
                        world_hash(g->world) == get_record(rollback, rollback->count - 1)->end_hash;
  if (!is_consecutive) {
    rollback_check_clear(rollback);
    return true;
  }
  return rerun_recorded_ticks(rollback, g);
}
