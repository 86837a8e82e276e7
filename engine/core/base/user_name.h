// Name of the user who runs the program.
#ifndef SHOAL_BASE_USER_NAME_H
#define SHOAL_BASE_USER_NAME_H

#include <stddef.h>

// Writes the name of the user's account on this machine to `out`, truncated to `out_bytes`. If the account has no name,
// writes its id, such as "user 1000". Main thread only.
void user_name_find(char *out, size_t out_bytes);

#endif
