// Collects the invalid members of a request as JSON.
#include "cockpit/proposal_problems.h"

#include "cockpit/proposals.h"

#include <stdarg.h>
#include <stdio.h>

bool proposal_add_problem(proposal_t *x, const char *at, const char *format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  error_strip_controls(text);
  json_write_begin(&x->problems, '{');
  json_write_pair(&x->problems, "at", at);
  json_write_pair(&x->problems, "text", text);
  json_write_end(&x->problems, '}');
  if (x->problem_count++ == 0)
    snprintf(x->first_problem, sizeof x->first_problem, "%s: %s", at, text);
  return false;
}
