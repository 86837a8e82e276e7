// The locale of the thread that reads an archive. libarchive converts the names of entries to this locale.
#ifndef SHOAL_ADDONS_ADDON_LOCALE_H
#define SHOAL_ADDONS_ADDON_LOCALE_H

typedef struct addon_locale_t {
  void *utf8, *previous; // locales of the system; `utf8` is NULL if the locale of the thread was not changed
} addon_locale_t;

// Changes the locale of this thread to UTF-8, if the system has such a locale. Pass the result to addon_locale_end on
// the same thread.
addon_locale_t addon_locale_begin(void);
void addon_locale_end(addon_locale_t begun); // restores the previous locale

#endif
