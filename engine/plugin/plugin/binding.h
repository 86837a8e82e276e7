// Components, singletons and events that a plugin declares or uses: an access_binding_t with the state of its manager.
#ifndef SHOAL_PLUGIN_BINDING_H
#define SHOAL_PLUGIN_BINDING_H

#include "access/access.h"
#include "plugin/context.h"

typedef struct component_binding_t {
  access_binding_t shared; // must be first
  plugin_t *plugin;
  bool is_declared; // true: the plugin declares the component; false: the plugin only uses the component
  void *self;       // state of the manager, returned by its `create`
  uint32_t attached;
  size_t saved_bytes;              // most recent result of the manager's save_bytes
  scratch_t saved;                 // buffer for the manager's `save`
  _Atomic bool is_opened_by_parts; // true if a part of a parallel system has opened the rows (part_check.h)
  // True if the manager must not be called: it has failed, or its plugin is inactive in a forked process.
  bool unreliable;
} component_binding_t;

// Adds bindings for the plugin's declared components, and then for the components that it uses.
void plugin_create_bindings(plugins_o *plugins, plugin_t *plugin);
void plugin_free_bindings(plugins_o *plugins, plugin_t *plugin);
// Returns the i-th binding, in order of creation; NULL after the last.
component_binding_t *plugin_binding_at(const plugin_t *plugin, uint32_t i);

#endif
