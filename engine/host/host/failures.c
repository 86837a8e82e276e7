// Reports a failure to the log, on the error card, and in a player's report file.
#include "host/failures.h"

#include "base/assert.h"
#include "host/host_internal.h"
#include "host/player_reports.h"

#include <string.h>

// Shows a report. If an error of the running game replaces the card of refused changes, the new card lists them below.
static void show_on_card(host_o *h, error_card_kind_t kind, const script_report_t *report) {
  bool hides_refused = kind == ERROR_CARD_RUN && h->card.kind == ERROR_CARD_RELOAD;
  error_card_add(&h->card, kind, report, h->session.folder, h->session.paths.engine);
  if (hides_refused)
    refused_changes_append(&h->refused, &h->card);
}

void failures_report(host_o *h, error_card_kind_t kind, const script_report_t *report) {
  shoal_assert(report, "report is NULL");
  char line[1536];
  script_report_format_line(report, line, sizeof line);
  if (kind != ERROR_CARD_RUN) // "Reloaded" next to a rejected change would contradict it
    toast_remove_kind(&h->toasts, TOAST_RELOAD);
  bool lacks_plugin_name = strncmp(report->piece, "plugin ", 7) == 0 && !strstr(line, report->piece + 7);
  bool shows_piece = kind == ERROR_CARD_RUN || lacks_plugin_name;
  log_error(h->session.log, "%s%s%s: %s", error_card_describe(kind),
            kind == ERROR_CARD_RUN ? " "
            : shows_piece          ? ": "
                                   : "",
            shows_piece ? report->piece : "", line);
  if (report->entity[0] && !strstr(report->message, report->entity))
    log_error(h->session.log, "current entity: %s", report->entity);
  if (report->about[0])
    log_error(h->session.log, "%s", report->about);
  if (report->traceback[0])
    log_debug(h->session.log, "%s", report->traceback);
  if (h->session.options.failed)
    h->session.options.failed(h->session.options.failed_context, report);
  if (h->session.options.package)
    player_report_failure(h, kind, report, line);
  else
    show_on_card(h, kind, report);
  if (h->session.options.headless || h->session.options.strict || (!h->session.game && h->session.options.has_ticks))
    h->session.exit_code = 1;
  if (h->session.options.strict || (h->session.options.headless && !h->session.game))
    h->session.stopping = true;
}

uint32_t failures_report_new(host_o *h) {
  script_report_t reports[4];
  uint32_t total = 0;
  for (uint32_t popped = 1; popped > 0; total += popped) {
    popped = game_pop_reports(h->session.game, reports, sizeof reports / sizeof *reports);
    for (uint32_t i = 0; i < popped; ++i)
      failures_report(h, ERROR_CARD_RUN, &reports[i]);
  }
  return total;
}
