// A world that contains only the hashes of the host's code.
#include "serve/echo_world.h"

#include "base/assert.h"

// Stores the record's hash, which is already folded (match_fold_hash): folding it again does not change it.
static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  (void)context;
  shoal_assert(mode != MATCH_RUN_HOST, "a host must simulate");
  *hash = record->hash;
  return mode == MATCH_RUN_CONFIRMED;
}

static void use_slot(void *context, uint32_t slot) {
  (void)context, (void)slot;
}

static void apply(void *context, const record_t *record) {
  (void)context, (void)record;
}

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  static const uint8_t empty[1];
  (void)context;
  *bytes = empty;
  return sizeof empty;
}

// Leaves the host's hash unchanged.
static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  (void)context, (void)bytes, (void)size, (void)hash, (void)error;
  return true;
}

// --- code

static uint64_t get_code(void *context) {
  return ((const echo_world_t *)context)->code;
}

static bool begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete, uint32_t proposer,
                        error_info_t *reason) {
  (void)context, (void)bytes, (void)size, (void)proposer;
  return is_complete || error_set(reason, "This machine does not accept changed code.\nit simulates nothing");
}

static match_trial_t poll_trial(void *context, uint64_t *hash, error_info_t *reason) {
  (void)reason;
  ((echo_world_t *)context)->tried_code = *hash;
  return MATCH_TRIAL_PASSED;
}

static void end_trial(void *context) {
  (void)context;
}

static bool replace(void *context, error_info_t *reason) {
  echo_world_t *w = context;
  (void)reason;
  w->code = w->tried_code;
  return true;
}

match_world_t echo_world_get(echo_world_t *w) {
  return (match_world_t){.context = w,
                         .run = run_tick,
                         .save = use_slot,
                         .restore = use_slot,
                         .apply = apply,
                         .write_snapshot = write_snapshot,
                         .read_snapshot = read_snapshot,
                         .code = {.context = w,
                                  .get_hash = get_code,
                                  .begin_trial = begin_trial,
                                  .poll_trial = poll_trial,
                                  .end_trial = end_trial,
                                  .replace = replace}};
}
