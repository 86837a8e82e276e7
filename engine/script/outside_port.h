// How what scripts ask of the world's outside reaches whoever keeps the answers: the host, which scripts may not know
// (time/outside.h).
#ifndef SHOAL_SCRIPT_OUTSIDE_PORT_H
#define SHOAL_SCRIPT_OUTSIDE_PORT_H

#include "base/error.h"

#include <stdbool.h>

typedef struct outside_port_t {
  void *context;
  // Is there an asset of that name? The same answer as long as the code runs, also when a file comes or goes. Any
  // thread.
  bool (*asset_exists)(void *context, const char *name);
  // Can the save of that name be read? Else a sentence. Part of the recording. Main thread.
  bool (*save_exists)(void *context, const char *name, error_t *error);
} outside_port_t;

#endif
