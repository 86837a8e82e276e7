// Threads that plugins declare (shoal/outside.h): the host starts them, and stops them before the process is forked.
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
  bool runs, told;
  bool lost;                // it did not stop in time
  _Atomic bool over, threw; // it ended without being stopped
  char what[512];           // text of the exception
} thread_t;

void plugin_make_threads(plugins_o *p, plugin_t *x);
bool plugin_stop_threads(plugin_t *x, error_t *error); // and jobs; false with a message if one does not stop
bool plugin_threads_rest(const plugin_t *x);           // whether none runs
// Adds to and removes from the list of all plugins_o in the process, for plugins_stop_threads.
void plugins_join(plugins_o *p);
void plugins_leave(const plugins_o *p);

#endif
