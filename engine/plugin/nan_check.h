// Reports a NaN that a plugin's system writes to one of the fields in schema/nan_fields.h.
#ifndef SHOAL_PLUGIN_NAN_CHECK_H
#define SHOAL_PLUGIN_NAN_CHECK_H

#include "access/nan_watch.h"
#include "base/array.h"

struct plugin_t;
struct plugins_o;
struct run_t;

typedef ARRAY(nan_watch_t) nan_checks_t; // the columns that the system writes; empty if it writes none of the fields

void nan_checks_bind(struct plugins_o *p, struct run_t *r); // call after the query was created
// Call nan_checks_begin before the columns are gathered, and nan_checks_end after they are written back and before
// queued changes are applied. Each field is reported once. Main thread only.
void nan_checks_begin(struct run_t *r);
void nan_checks_end(struct run_t *r);
// Reports the fields that the plugin has set to NaN through functions such as shoal_set, shoal_query and shoal_rows_of
// since the last call, once each.
// `run`: the system or observer that has run; NULL: a function, command or panel.
void nan_report_set_fields(struct plugin_t *x, const struct run_t *run);

#endif
