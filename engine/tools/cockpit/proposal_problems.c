// Collects the invalid members of a request as JSON.
#include "cockpit/proposal_problems.h"

#include "cockpit/proposals.h"

#include <stdarg.h>
#include <stdio.h>

bool proposal_add_problem(proposal_t *proposal, const char *path, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_strip_controls(text);
  json_write_begin(&proposal->problems, '{');
  json_write_pair(&proposal->problems, "at", path);
  json_write_pair(&proposal->problems, "text", text);
  json_write_end(&proposal->problems, '}');
  if (proposal->problem_count++ == 0)
    snprintf(proposal->first_problem, sizeof proposal->first_problem, "%s: %s", path, text);
  return false;
}
