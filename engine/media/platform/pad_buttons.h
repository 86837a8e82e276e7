// Buttons of pads (indices of input_state_t.pad_buttons) that the engine uses, with the values of
// SDL_GameControllerButton.
#ifndef SHOAL_PLATFORM_PAD_BUTTONS_H
#define SHOAL_PLATFORM_PAD_BUTTONS_H

enum { PAD_A = 0, PAD_B = 1, PAD_X = 2, PAD_Y = 3, PAD_BACK = 4, PAD_LEFT_SHOULDER = 9, PAD_RIGHT_SHOULDER = 10 };

#endif
