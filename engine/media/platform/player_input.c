// Defines the default colours of players, which people with colour blindness can distinguish (Okabe and Ito, 2008).
#include "platform/player_input.h"

const uint32_t player_colours[PLAYER_COLOURS] = {0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7,
                                                 0xf0e442, 0x0072b2, 0xd55e00, 0x999999};
