// Connects the overlay in the game's window to the cockpit.
#ifndef SHOAL_COCKPIT_COCKPIT_OVERLAY_H
#define SHOAL_COCKPIT_COCKPIT_OVERLAY_H

typedef struct cockpit_o cockpit_o;

void cockpit_overlay_begin(cockpit_o *c);
void cockpit_overlay_end(cockpit_o *c);
void cockpit_overlay_frame(cockpit_o *c);

#endif
