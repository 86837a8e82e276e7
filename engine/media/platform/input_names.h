// Names of keys, gamepad buttons and axes in bindings.
#ifndef SHOAL_PLATFORM_INPUT_NAMES_H
#define SHOAL_PLATFORM_INPUT_NAMES_H

#include <stdint.h>

// These functions return "" for a code without a name.
const char *input_key_name(int32_t scancode);
const char *input_button_name(int32_t button); // `button`: an SDL_GameControllerButton
const char *input_axis_name(int32_t axis);     // `axis`: an SDL_GameControllerAxis

// These functions ignore case, and return -1 if the name is unknown. If two keys have the same name, the lower code is
// returned.
int32_t input_find_key(const char *name);
int32_t input_find_button(const char *name);
int32_t input_find_axis(const char *name);

#endif
