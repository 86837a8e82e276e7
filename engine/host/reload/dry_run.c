// Runs a function in a forked child and reports failures as errors.
#include "reload/dry_run.h"

#include "base/assert.h"
#include "process/child.h"

#include <string.h>

typedef struct rehearsal_t {
  bool (*act)(void *context, error_info_t *error);
  void *context;
} rehearsal_t;

typedef struct answer_t {
  bool ok;
  error_info_t error;
} answer_t;

static void run_in_child(void *context, int to) {
  const rehearsal_t *r = context;
  answer_t answer;
  memset(&answer, 0, sizeof answer);
  answer.ok = r->act(r->context, &answer.error);
  child_write(to, &answer, sizeof answer);
}

bool dry_run_set_lost_error(const child_t *child, const char *what, error_info_t *error) {
  int number = 0;
  if (child->interrupted)
    return error_set(error, "the program is exiting");
  if (child->late)
    return error_set(error, "%s did not finish within %u ms: look for an endless loop", what, child->limit_ms);
  if (child_has_crashed(child, &number))
    return error_set(error, "%s crashed: %s (signal %d)%s%s", what, strsignal(number), number,
                     child->where[0] ? " in " : "", child->where);
  return error_set(error, "%s exited the program (exit code %d): do not call exit()", what, child_exit_code(child));
}

bool dry_run_in_child(bool (*try)(void *context, error_info_t *error), void *context, uint32_t limit_ms,
                      const char *what, error_info_t *error) {
  shoal_assert(limit_ms > 0, "%s: limit_ms must not be 0", what);
  rehearsal_t r = {.act = try, .context = context};
  child_t child;
  answer_t answer;
  if (!child_begin(&child, limit_ms, run_in_child, &r))
    return true;
  bool answered = child_read(&child, &answer, sizeof answer);
  child_end(&child);
  if (answered)
    return answer.ok || error_set(error, "%s", answer.error.text);
  return dry_run_set_lost_error(&child, what, error);
}
