// Sorted add-on lists with fixed capacity.
#include "store/addon_list.h"

#include "base/assert.h"

#include <string.h>

bool addon_list_add(addon_list_t *list, const char *name, const char *version) {
  shoal_assert(name && version, "name and version must not be NULL");
  if (list->count == ADDON_LIST_MAX || strlen(name) >= sizeof list->items->name ||
      strlen(version) >= sizeof list->items->version)
    return false;
  uint32_t index = list->count++;
  for (; index > 0 && strcmp(list->items[index - 1].name, name) > 0; --index)
    list->items[index] = list->items[index - 1];
  addon_entry_t *entry = &list->items[index];
  memcpy(entry->name, name, strlen(name) + 1);
  memcpy(entry->version, version, strlen(version) + 1);
  return true;
}

const addon_entry_t *addon_list_find(const addon_list_t *list, const char *name) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (strcmp(list->items[i].name, name) == 0)
      return &list->items[i];
  return NULL;
}

const addon_entry_t *addon_list_find_owner(const addon_list_t *list, const char *full_name) {
  for (uint32_t i = 0; i < list->count; ++i) {
    size_t length = strlen(list->items[i].name);
    if (strncmp(list->items[i].name, full_name, length) == 0 && full_name[length] == '.')
      return &list->items[i];
  }
  return NULL;
}
