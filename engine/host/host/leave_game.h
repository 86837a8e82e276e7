// Returns to the menu when Escape, or Back on a pad, is pressed twice. This serves games without a button that returns
// to the menu, such as most examples. A game that uses the control in its input.lua must call world.quit instead.
#ifndef SHOAL_HOST_LEAVE_GAME_H
#define SHOAL_HOST_LEAVE_GAME_H

#include <stdbool.h>

typedef struct host_o host_o;

typedef struct leave_game_t {
  bool was_pressed;
  double asked_s; // time of the first press; 0: not pressed
} leave_game_t;

// Reads the input of the running game. Call after each tick with live input: a short press lasts for one tick only.
void leave_game_read_input(host_o *h);

#endif
