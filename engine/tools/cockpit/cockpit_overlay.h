// Connects the overlay in the game's window to the cockpit.
#ifndef SHOAL_COCKPIT_COCKPIT_OVERLAY_H
#define SHOAL_COCKPIT_COCKPIT_OVERLAY_H

typedef struct cockpit_o cockpit_o;

// Creates the overlay. Does nothing in headless games.
void cockpit_overlay_begin(cockpit_o *cockpit);
// Destroys the overlay, if any, and stops capturing input.
void cockpit_overlay_end(cockpit_o *cockpit);
// Applies the requests of the overlay and updates its panels. Must be called once per frame.
void cockpit_overlay_frame(cockpit_o *cockpit);

#endif
