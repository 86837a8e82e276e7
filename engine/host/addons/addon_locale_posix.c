// Locales of threads on POSIX systems.
#include "addons/addon_locale.h"

#include <locale.h>

addon_locale_t addon_locale_begin(void) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  return (addon_locale_t){.utf8 = utf8, .previous = utf8 ? uselocale(utf8) : (locale_t)0};
}

void addon_locale_end(addon_locale_t begun) {
  if (begun.utf8) {
    uselocale(begun.previous);
    freelocale(begun.utf8);
  }
}
