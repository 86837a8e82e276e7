// Reports of accesses to missing rows, from plugins built with SHOAL_DEBUG (shoal/check.h).
#ifndef SHOAL_PLUGIN_ROW_CHECK_H
#define SHOAL_PLUGIN_ROW_CHECK_H

#include "base/error.h"
#include "shoal/types.h"

// Sets the callback in the library. Returns true on success, or false if the library was built without SHOAL_DEBUG.
bool plugin_install_row_check(void *library);
// Implements access_desc_t.report_missing: stores the component, so that a report of a crash or of SHOAL_AT can name
// it.
void plugin_report_missing_columns(const shoal_view *v, const shoal_component *component, const char *file, int line);
// plugin_begin_checks makes `error` receive the first report of this thread, until plugin_end_checks. It returns the
// outer call's error, which must be passed to plugin_end_checks.
error_info_t *plugin_begin_checks(error_info_t *error);
void plugin_end_checks(error_info_t *outer_error);

#endif
