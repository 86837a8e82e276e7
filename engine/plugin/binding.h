// Components, singletons and events that a plugin declares and uses: an access_binding_t with the storage of its
// manager.
#ifndef SHOAL_PLUGIN_BINDING_H
#define SHOAL_PLUGIN_BINDING_H

#include "access/access.h"
#include "plugin/context.h"

typedef struct bound_t {
  access_binding_t shared; // first
  plugin_t *plugin;
  bool own;   // declared by this plugin
  void *self; // storage of its manager
  uint32_t attached;
  size_t saved_bytes; // size from the manager's save_bytes
  scratch_t saved;    // buffer for the manager's save
  bool unreliable;    // its manager reported a wrong row count and is no longer called
} bound_t;

// Adds the components that the plugin declares, then those that it uses.
void plugin_make_binding(plugins_o *p, plugin_t *x);
void plugin_free_binding(plugins_o *p, plugin_t *x);
// Returns the i-th, in the order of their creation; NULL after the last.
bound_t *plugin_binding_at(const plugin_t *x, uint32_t i);

#endif
