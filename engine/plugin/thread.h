// Threads that plugins declare (shoal/outside.h). The host starts them, and stops them before the process is forked.
#ifndef SHOAL_PLUGIN_THREAD_H
#define SHOAL_PLUGIN_THREAD_H

#include "plugin/context.h"
#include "shoal/outside.h"

#include <pthread.h>

typedef struct thread_t {
  plugin_t *plugin;
  const shoal_thread *def;
  shoal_stop stop;
  pthread_t id;
  bool runs, reported;
  bool lost;                // does not stop: the plugin cannot be closed
  _Atomic bool over, threw; // `over`: `run` returned on its own; `threw`: with an exception
  char what[512];           // text of the exception
} thread_t;

void plugin_make_threads(plugins_o *p, plugin_t *x);
bool plugin_stop_threads(plugin_t *x,
                         error_t *error);       // and jobs; returns false with a message on failure
bool plugin_threads_stopped(const plugin_t *x); // true if no thread runs
// Add to and remove from the list of all plugins_o in the process, which plugins_stop_threads uses.
void plugins_join(plugins_o *p);
void plugins_leave(const plugins_o *p);

#endif
