// Threads declared by plugins (shoal/external_resources.h). The host starts them, and stops them before the process is
// forked.
#ifndef SHOAL_PLUGIN_THREAD_H
#define SHOAL_PLUGIN_THREAD_H

#include "plugin/context.h"
#include "shoal/external_resources.h"

#include <pthread.h>

typedef struct thread_t {
  plugin_t *plugin;
  const shoal_thread *def;
  shoal_stop_token stop;
  pthread_t id;
  bool running, reported;
  bool stuck;                        // true if the thread did not stop in time, so that the plugin cannot be closed
  _Atomic bool returned, has_thrown; // true if `run` returned without a request to stop, or threw an exception
  char message[512];                 // message of the exception
} thread_t;

void plugin_create_threads(plugins_o *plugins, plugin_t *plugin);
// Stops the plugin's threads and jobs. Returns true on success, or false with a message if a thread or a job does not
// stop in time.
bool plugin_stop_threads(plugin_t *plugin, error_info_t *error);
bool plugin_are_threads_stopped(const plugin_t *plugin); // returns true if no thread is running
// plugins_register adds this object to the list of all plugins_o in the process, which plugins_stop_threads uses.
// plugins_unregister removes it from the list.
void plugins_register(plugins_o *plugins);
void plugins_unregister(const plugins_o *plugins);

#endif
