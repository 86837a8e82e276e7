// How what scripts ask of the world's outside reaches whoever keeps the answers: the host, which scripts may not know
// (time/outside.h).
#ifndef SHOAL_SCRIPT_OUTSIDE_PORT_H
#define SHOAL_SCRIPT_OUTSIDE_PORT_H

#include "base/error.h"

#include <stddef.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct outside_port_t {
  void *context;
  // Is there an asset of that name? The same answer as long as the code runs, also when a file comes or goes. Any
  // thread.
  bool (*asset_exists)(void *context, const char *name);
  // Can the save of that name be read? Else a sentence. Part of the recording. Main thread.
  bool (*save_exists)(void *context, const char *name, error_t *error);
  // The game's saves as JSON (store/save_list.h), of `bytes`; NULL when they cannot be listed. Part of the recording;
  // good until the tick ends. Main thread.
  const char *(*saves)(void *context, size_t *bytes);
  // Asks for an asset ahead; `first` of a list. Nothing of the world may depend on it. Main thread.
  void (*preload)(void *context, const char *name, bool first);
  // How many of those that were asked for are there, or have failed, of how many. For the simulation the answer is part
  // of the recording; else it is that of this moment. Main thread.
  void (*preloaded)(void *context, bool simulation, uint32_t *there, uint32_t *asked);
} outside_port_t;

#endif
