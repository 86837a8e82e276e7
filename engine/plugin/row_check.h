// Accesses to rows that do not exist, reported by plugins that are built with SHOAL_DEBUG (shoal/check.h).
#ifndef SHOAL_PLUGIN_ROW_CHECK_H
#define SHOAL_PLUGIN_ROW_CHECK_H

#include "base/error.h"

// Sets the library's callback. False if it was built without SHOAL_DEBUG.
bool plugin_listen_to_checks(void *library);
// Between begin and end the first report on this thread goes to `error`. Returns the outer one, for end.
error_t *plugin_begin_checks(error_t *error);
void plugin_end_checks(error_t *outer);

#endif
