// The overlay in the game's window.
#ifndef SHOAL_COCKPIT_FACE_H
#define SHOAL_COCKPIT_FACE_H

#include "cockpit/cockpit.h"

void face_begin(cockpit_o *c);
void face_end(cockpit_o *c);
void face_frame(cockpit_o *c);

#endif
