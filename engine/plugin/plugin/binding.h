// Components, singletons and events that a plugin declares or uses. A binding is an access_binding_t with the state of
// the component's manager.
#ifndef SHOAL_PLUGIN_BINDING_H
#define SHOAL_PLUGIN_BINDING_H

#include "access/access.h"
#include "access/custom_manager.h"
#include "plugin/context.h"

typedef struct component_binding_t {
  access_binding_t shared; // must be first
  plugin_t *plugin;
  bool is_declared;                // true if the plugin declares the component, false if it only uses the component
  custom_manager_t custom_manager; // the component's manager; `self` is NULL if the component has no manager
  _Atomic bool is_opened_by_parts; // true if a part of a parallel system has opened the rows (part_check.h)
} component_binding_t;

// Adds bindings for the plugin's declared components, and then for the components that it uses.
void plugin_create_bindings(plugins_o *plugins, plugin_t *plugin);
void plugin_free_bindings(plugin_t *plugin);
// Returns the i-th binding, in order of creation, or NULL after the last binding.
component_binding_t *plugin_binding_at(const plugin_t *plugin, uint32_t i);

#endif
