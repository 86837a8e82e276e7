// Observers of plugins (shoal/observe.h) as systems in the schedule.
#ifndef SHOAL_PLUGIN_OBSERVERS_H
#define SHOAL_PLUGIN_OBSERVERS_H

#include "plugin/system_binding.h"

uint32_t plugin_count_observers(const shoal_plugin *def);
// Describes an observer as a system with a query, for the schedule.
void plugin_observer_to_system(const shoal_observer *o, shoal_system *out);
bool plugin_observer_has_pending(const run_t *r); // returns true if the observer has unread changes
bool plugin_run_observer(run_t *r, float dt_s, error_info_t *error);
// Reports an observer that has reached OBSERVER_MAX_ROUNDS. Always returns false with a message.
bool plugin_fail_endless_observer(const run_t *r, error_info_t *error);

#endif
