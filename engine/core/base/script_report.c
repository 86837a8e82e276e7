// Formats errors of scripts.
#include "base/script_report.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void script_report_clear(script_report_t *report) {
  char *const texts[] = {report->piece,     report->message, report->file,  report->path,
                         report->traceback, report->about,   report->entity};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    texts[i][0] = '\0';
  report->line = 0;
  report->stopped = false;
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

void script_report_parse_line(script_report_t *report, const char *line) {
  static const char EXTENSION[] = ".lua:";
  const char *extension = strstr(line, EXTENSION), *separator = strstr(line, ": ");
  const char *digits = extension ? extension + strlen(EXTENSION) : NULL;
  char *end = NULL;
  long number = digits && digits < separator ? strtol(digits, &end, 10) : 0;
  report->file[0] = '\0';
  report->line = 0;
  if (number > 0 && end == separator && (size_t)(digits - line) < sizeof report->file) {
    snprintf(report->file, sizeof report->file, "%.*s", (int)(digits - 1 - line), line);
    report->line = (int)number;
    line = separator + 2;
  }
  snprintf(report->message, sizeof report->message, "%s", line);
}
