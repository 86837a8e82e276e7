// Names of keys, gamepad buttons and axes in bindings.
#ifndef SHOAL_PLATFORM_INPUT_NAMES_H
#define SHOAL_PLATFORM_INPUT_NAMES_H

#include <stdint.h>

// Return the name of a control, or "" if the code has no name.
const char *input_key_name(int32_t scancode);
const char *input_button_name(int32_t button); // `button`: an SDL_GameControllerButton
const char *input_axis_name(int32_t axis);     // `axis`: an SDL_GameControllerAxis

// Return the code of the control with this name, ignoring case, or -1 if the name is unknown. If two keys have the same
// name, the lower code is returned.
int32_t input_find_key(const char *name);
int32_t input_find_button(const char *name);
int32_t input_find_axis(const char *name);

#endif
