// Implements shoal_observe_changes with the observer lists of ecs/changes.h.
#ifndef SHOAL_ACCESS_OBSERVE_H
#define SHOAL_ACCESS_OBSERVE_H

#include "access/access.h"

// Stores the changes since the previous call with this name in `out`. Creates the observer if necessary.
void access_observe(world_o *w, const char *name, query_o *query, bool compare_values, shoal_observed *out);

#endif
