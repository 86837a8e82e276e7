// Managers of plugins (shoal_manager), called through the hooks of their components.
#ifndef SHOAL_PLUGIN_MANAGER_H
#define SHOAL_PLUGIN_MANAGER_H

#include "plugin/binding.h"

bool plugin_create_managers(plugins_o *plugins, plugin_t *plugin, error_info_t *error);
void plugin_destroy_managers(plugin_t *plugin);
// Tests each manager: attaches a row, saves, loads, and detaches the row. Call in a forked process only.
void plugin_test_managers(plugin_t *plugin);

#endif
