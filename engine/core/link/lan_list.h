// Hosts in the local network, for a list on the screen: hosts that have answered recently, in the order in which they
// were found. Main thread only.
#ifndef SHOAL_LINK_LAN_LIST_H
#define SHOAL_LINK_LAN_LIST_H

#include "base/error.h"
#include "link/lan_search.h"

#define LAN_LIST_MAX_HOSTS 32u
#define LAN_LIST_TIMEOUT_US 2000000 // time without an answer after which a host is removed

typedef struct lan_list_o lan_list_o;

lan_list_o *lan_list_create(void);
void lan_list_destroy(lan_list_o *list); // accepts NULL
// Sends a question to the network every half second, and reads the received answers. Opens the socket in the first
// call, and again after lan_list_close. Call at least once per second while the list is shown. `now_us`: a monotonic
// time. Returns true on success, or false with a message if the system provides no socket.
bool lan_list_update(lan_list_o *list, int64_t now_us, error_info_t *error);
// Closes the socket, and removes all hosts.
void lan_list_close(lan_list_o *list);

// Returns the hosts, with the address of the first answer and the latest offer of each. Valid until the next update.
const lan_found_t *lan_list_get_hosts(const lan_list_o *list, uint32_t *count);

#endif
