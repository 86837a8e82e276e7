// Queries that a plugin makes while it runs (shoal/world.h).
#ifndef SHOAL_PLUGIN_QUERY_H
#define SHOAL_PLUGIN_QUERY_H

#include "plugin/context.h"

typedef struct open_query_t {
  run_t *run;
  bool defers; // the world defers commands because of it
} open_query_t;

bool plugin_query_begin(plugin_t *x, const shoal_system *as, shoal_view *out, error_t *error);
// Also ends those that were opened after it. False if it is not open.
bool plugin_query_end(plugin_t *x, const shoal_view *v);
const run_t *plugin_query_of(const plugin_t *x, const shoal_view *v); // NULL if it is not open
void plugin_end_queries(plugin_t *x, uint32_t first);                 // all but the first `first`
void plugin_free_queries(plugins_o *p, plugin_t *x);

#endif
