// Reads the user's name from the system's account database.
#include "base/user_name.h"

#include "base/assert.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

void user_name_find(char *out, size_t out_bytes) {
  const struct passwd *user = getpwuid(getuid());
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  if (user)
    snprintf(out, out_bytes, "%s", user->pw_name);
  else
    snprintf(out, out_bytes, "user %u", (unsigned)getuid());
}
