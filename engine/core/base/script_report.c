// Formats errors of scripts.
#include "base/script_report.h"

#include "base/assert.h"

#include <stdio.h>

void script_report_clear(script_report_t *report) {
  char *const texts[] = {report->piece,     report->message, report->file,  report->path,
                         report->traceback, report->about,   report->entity};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    texts[i][0] = '\0';
  report->line = 0;
  report->stopped = report->may_be_unfinished = false;
  report->tick = 0;
}

void script_report_format_line(const script_report_t *report, char *out, size_t out_bytes) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  if (report->file[0] && report->line > 0)
    snprintf(out, out_bytes, "%s:%d: %s", report->file, report->line, report->message);
  else if (report->file[0])
    snprintf(out, out_bytes, "%s: %s", report->file, report->message);
  else
    snprintf(out, out_bytes, "%s", report->message);
}
