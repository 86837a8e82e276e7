// Components, singletons and events that a plugin declares and uses.
#include "plugin/binding.h"

#include "plugin/plugin.h"
#include "plugin/row_check.h"
#include "transform/transform.h"

#include <string.h>

static void add_bindings(plugin_t *plugin, const shoal_component *const *components, bool is_declared) {
  for (const shoal_component *const *component = components; component && *component;
       ++component, ++plugin->bound_count) {
    component_binding_t *binding = (component_binding_t *)(void *)access_add_binding(&plugin->access, *component);
    binding->plugin = plugin;
    binding->is_declared = is_declared;
  }
}

void plugin_create_bindings(plugins_o *plugins, plugin_t *plugin) {
  access_init(&plugin->access,
              &(access_desc_t){.api = plugins->desc.world_api,
                               .name = plugin->name,
                               .closed = true,
                               .exact = plugin->checks,
                               .bound_bytes = sizeof(component_binding_t),
                               .children = transform_list_children,
                               .report_missing = plugin_report_missing_columns},
              plugins->world);
  add_bindings(plugin, plugin->def->components, true);
  add_bindings(plugin, plugin->def->uses, false);
  plugin->uses_bodies = false;
  for (const shoal_component *const *component = plugin->def->uses; component && *component; ++component)
    plugin->uses_bodies |= strcmp((*component)->name, "body") == 0;
}

component_binding_t *plugin_binding_at(const plugin_t *plugin, uint32_t i) {
  return i < plugin->bound_count ? (component_binding_t *)(void *)plugin->access.bound.items[i] : NULL;
}

void plugin_free_bindings(plugin_t *plugin) {
  plugin->bound_count = 0;
  access_fini(&plugin->access);
}
