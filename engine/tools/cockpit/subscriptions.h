// Sends subscribed data to clients when it is due and has changed.
#ifndef SHOAL_COCKPIT_SUBSCRIPTIONS_H
#define SHOAL_COCKPIT_SUBSCRIPTIONS_H

typedef struct cockpit_o cockpit_o;

void subscriptions_send_due(cockpit_o *cockpit); // sends due subscriptions while credit is left

#endif
