// Reads the name of the account from the system.
#include "base/user_name.h"

#include "base/assert.h"

#include <stdbool.h>
#include <stdio.h>
#include <windows.h>
#include <lmcons.h>

void user_name_find(char *out, size_t out_bytes) {
  wchar_t wide[UNLEN + 1];
  char name[3 * UNLEN + 1];
  DWORD units = UNLEN + 1;
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  bool is_found =
      GetUserNameW(wide, &units) && WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, sizeof name, NULL, NULL) > 0;
  snprintf(out, out_bytes, "%s", is_found ? name : "user");
}
