// Runs a function in a forked child and reports failures as errors.
#include "reload/dry_run.h"

#include "base/assert.h"
#include "process/child.h"
#include "process/signals.h"

#include <string.h>

typedef struct dry_run_t {
  bool (*function)(void *context, error_info_t *error);
  void *context;
} dry_run_t;

typedef struct dry_run_result_t {
  bool ok;
  error_info_t error;
} dry_run_result_t;

static void run_in_child(void *context, int pipe) {
  const dry_run_t *dry_run = context;
  dry_run_result_t result;
  memset(&result, 0, sizeof result);
  result.ok = dry_run->function(dry_run->context, &result.error);
  child_write(pipe, &result, sizeof result);
}

bool dry_run_set_lost_error(const child_t *child, const char *action, error_info_t *error) {
  int signal_number = 0;
  if (child->interrupted)
    return error_set(error, "the program is exiting");
  if (child->late)
    return error_set(error, "%s did not finish within %u ms: look for an endless loop", action, child->limit_ms);
  if (child_has_crashed(child, &signal_number))
    return error_set(error, "%s crashed: %s (%s)%s%s", action, signals_description(signal_number),
                     signals_name(signal_number), child->crash_location[0] ? " in " : "", child->crash_location);
  return error_set(error, "%s exited the program (exit code %d): do not call exit()", action, child_exit_code(child));
}

bool dry_run_in_child(bool (*function)(void *context, error_info_t *error), void *context, uint32_t limit_ms,
                      const char *action, error_info_t *error) {
  shoal_assert(limit_ms > 0, "%s: limit_ms must not be 0", action);
  dry_run_t dry_run = {.function = function, .context = context};
  child_t child;
  dry_run_result_t result;
  if (!child_begin(&child, limit_ms, run_in_child, &dry_run))
    return true;
  bool has_result = child_read(&child, &result, sizeof result);
  child_end(&child);
  if (has_result)
    return result.ok || error_set(error, "%s", result.error.text);
  return dry_run_set_lost_error(&child, action, error);
}
