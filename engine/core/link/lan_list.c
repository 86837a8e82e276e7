// Caches the answers of a search until they time out.
#include "link/lan_list.h"

#include "base/alloc.h"

#include <stdlib.h>

struct lan_list_o {
  lan_search_o *search; // search for hosts; NULL while the list is closed
  lan_found_t hosts[LAN_LIST_MAX_HOSTS];
  int64_t answer_us[LAN_LIST_MAX_HOSTS]; // time of the latest answer
  uint32_t count;
};

lan_list_o *lan_list_create(void) {
  return alloc_object(sizeof(lan_list_o));
}

void lan_list_destroy(lan_list_o *list) {
  if (!list)
    return;
  lan_list_close(list);
  free(list);
}

// Returns the index of the host that has answered, or of a previous host at the same address; `count` for a new host.
static uint32_t find_host(const lan_list_o *list, const lan_found_t *found) {
  uint32_t i = 0, k = 0;
  while (i < list->count && list->hosts[i].host != found->host)
    ++i;
  while (k < list->count && !link_address_equals(&list->hosts[k].address, &found->address))
    ++k;
  return i < list->count ? i : k;
}

static void add_answer(lan_list_o *list, int64_t now_us, const lan_found_t *found) {
  uint32_t i = find_host(list, found);
  if (i == LAN_LIST_MAX_HOSTS)
    return;
  if (i == list->count || list->hosts[i].host != found->host)
    list->hosts[i] = *found;
  list->count += i == list->count;
  list->hosts[i].offer = found->offer;
  list->answer_us[i] = now_us;
}

static void remove_silent_hosts(lan_list_o *list, int64_t now_us) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count; ++i) {
    if (now_us - list->answer_us[i] > LAN_LIST_TIMEOUT_US)
      continue;
    list->hosts[kept] = list->hosts[i];
    list->answer_us[kept++] = list->answer_us[i];
  }
  list->count = kept;
}

bool lan_list_update(lan_list_o *list, int64_t now_us, error_info_t *error) {
  lan_found_t found = {0};
  if (!list->search && !(list->search = lan_search_create(error)))
    return false;
  while (lan_search_update(list->search, now_us, &found))
    add_answer(list, now_us, &found);
  remove_silent_hosts(list, now_us);
  return true;
}

void lan_list_close(lan_list_o *list) {
  lan_search_destroy(list->search);
  *list = (lan_list_o){0};
}

const lan_found_t *lan_list_get_hosts(const lan_list_o *list, uint32_t *count) {
  *count = list->count;
  return list->hosts;
}
