// Describes the crash of the previous run, and the point from which the game continues.
#include "host/after_crash.h"

#include "base/assert.h"
#include "base/files.h"
#include "host/host_internal.h"
#include "saves/resume.h"

#include <stdio.h>
#include <string.h>

// Sets the position in the report. The compiler may have stored a different path of the source file. Therefore a file
// with the same name next to the library takes precedence: the plugin template places the source there.
static void find_source(const crash_summary_t *crash, script_report_t *report) {
  char path[PATH_MAX_BYTES + sizeof report->file];
  const char *slash = strrchr(crash->library, '/');
  report->line = crash_summary_find_source(crash, report->file, sizeof report->file);
  const char *last_slash = strrchr(report->file, '/'), *name = last_slash ? last_slash + 1 : report->file;
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - crash->library) + 1 : 0, crash->library, name);
  if (!name[0] || strlen(path) >= sizeof report->path || !file_exists(path))
    return;
  memcpy(report->path, path, strlen(path) + 1);
  memmove(report->file, name, strlen(name) + 1);
}

// Describes the point from which the game continues, for example "The game continues from tick 89. …".
static void describe_source(const session_t *s, const resume_result_t *result, char *out, size_t bytes) {
  unsigned long long tick = world_tick(s->game->world);
  const char *slash = strrchr(result->save, '/'), *name = slash ? slash + 1 : result->save;
  if (result->source == RESUME_STATE)
    snprintf(out, bytes, "The game continues from tick %llu. The plugin's components keep their values.", tick);
  else if (result->source == RESUME_SAVE)
    snprintf(out, bytes, "The game continues from the save %.100s (tick %llu), because %.250s.", name, tick,
             result->no_state.text);
  else
    snprintf(out, bytes, "The game starts again, because %.250s, and it has no save.", result->no_state.text);
}

static script_report_t build_report(const session_t *s, const resume_result_t *result) {
  const crash_summary_t *crash = &s->crash;
  char source[480];
  script_report_t report = {.tick = crash->tick};
  describe_source(s, result, source, sizeof source);
  snprintf(report.piece, sizeof report.piece, crash->plugin[0] ? "plugin %s" : "the game", crash->plugin);
  if (crash->plugin[0])
    snprintf(report.message, sizeof report.message, "Crashed in tick %llu: %s, in %.240s. %s",
             (unsigned long long)crash->tick, crash->reason, crash->code, source);
  else
    snprintf(report.message, sizeof report.message,
             "Crashed in tick %llu: %s. Run make sanitize in the folder of each plugin of the report. %s",
             (unsigned long long)crash->tick, crash->reason, source);
  snprintf(report.about, sizeof report.about, "Report: %.500s", crash->report);
  find_source(crash, &report);
  return report;
}

bool after_crash_is_pending(const host_o *h) {
  return h->session.crash.report[0] && !h->after_crash.is_done;
}

bool after_crash_resume(host_o *h, game_o *fresh) {
  session_t *s = &h->session;
  resume_result_t result;
  if (!after_crash_is_pending(h))
    return false;
  shoal_assert(!s->game, "only the first game of a run can continue another run");
  s->game = fresh;
  resume_run(s, &result);
  h->after_crash.report = build_report(s, &result);
  h->after_crash.is_done = true;
  s->game = NULL;
  log_error(s->log, "%s: %s", h->after_crash.report.piece, h->after_crash.report.message);
  return result.source != RESUME_START;
}

void after_crash_show_card(host_o *h) {
  if (h->after_crash.is_done && h->session.game)
    error_card_add(&h->card, ERROR_CARD_CRASH, &h->after_crash.report, h->session.folder, h->session.paths.engine);
}
