// The DLL of libarchive has its own C library, whose locale this program cannot change: names that the code page of the
// system lacks are refused.
#include "addons/addon_locale.h"

addon_locale_t addon_locale_begin(void) {
  return (addon_locale_t){0};
}

void addon_locale_end(addon_locale_t begun) {
  (void)begun;
}
