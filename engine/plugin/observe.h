// Observers of plugins (shoal/observe.h) as systems of the schedule.
#ifndef SHOAL_PLUGIN_OBSERVE_H
#define SHOAL_PLUGIN_OBSERVE_H

#include "plugin/run.h"

uint32_t plugin_count_observers(const shoal_plugin *def);
// The system that stands for it in the schedule and makes its query.
void plugin_observer_as_system(const shoal_observer *o, shoal_system *out);
bool plugin_observer_waits(const run_t *r); // has it unread changes?
bool plugin_tell_observer(run_t *r, float dt_s, error_t *error);
// The observer has reached OBSERVER_MAX_ROUNDS. Always false, with a message.
bool plugin_refuse_observer(const run_t *r, error_t *error);

#endif
