// Plugin systems and observers as entries of the schedule.
#ifndef SHOAL_PLUGIN_SYSTEM_H
#define SHOAL_PLUGIN_SYSTEM_H

#include "plugin/system_binding.h"

void plugin_create_runs(plugins_o *plugins, plugin_t *plugin);
// Declares to the schedule the data that a system reads and writes, and how it can run in parallel with other systems.
void plugin_declare_parallel(const run_t *run, schedule_o *schedule);
void plugin_run_system(void *context, world_o *world, uint32_t number, float dt_s); // callback `run` of system_desc_t

// --- observers (shoal/observe.h), which are systems in the schedule

uint32_t plugin_count_observers(const shoal_plugin *def);
// Describes an observer as a system with a query, for the schedule.
void plugin_observer_to_system(const shoal_observer *observer, shoal_system *system);
bool plugin_observer_has_pending(const run_t *run); // returns true if the observer has unread changes

#endif
