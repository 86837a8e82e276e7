// Rows that are not there, as plugins that are built with SHOAL_DEBUG tell of them (shoal/check.h).
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "shoal/check.h"

#include <dlfcn.h>
#include <stdio.h>

static _Thread_local error_t *listening; // of the call that is going on; NULL on threads of a plugin's own

static void tell(const shoal_missing_row *m) {
  error_t here = {0}, *error = listening ? listening : &here;
  if (error->text[0])
    return; // the first one is the cause
  if (m->count == 0 && !m->component)
    error_set(error, "%s:%d: row %u of %s, which is no column here: the query does not name it, or it has no rows",
              m->file, m->line, m->row, m->column);
  else
    error_set(error, "%s:%d: row %u of %s%s%s, which has %u rows", m->file, m->line, m->row,
              m->component ? m->component : "", m->component ? "." : "", m->column, m->count);
  if (!listening)
    fprintf(stderr, "plugin: %s\n", here.text);
}

bool plugin_listen_to_checks(void *library) {
  shoal_assert(library, "a library that is not open");
  shoal_tell_missing **there = dlsym(library, "shoal_missing_here");
  if (there)
    *there = tell;
  return there != NULL;
}

error_t *plugin_begin_checks(error_t *error) {
  error_t *outer = listening;
  error->text[0] = '\0';
  listening = error;
  return outer;
}

void plugin_end_checks(error_t *outer) {
  listening = outer;
}
