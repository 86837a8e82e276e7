// Internet addresses with a port. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (::ffff:a.b.c.d), so that
// two addresses are equal if and only if all their fields are equal.
#ifndef SHOAL_LINK_LINK_ADDRESS_H
#define SHOAL_LINK_LINK_ADDRESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define LINK_ADDRESS_TEXT_BYTES 72u // size of a text with "[", IPv6 address, "%", scope, "]:", port and '\0'

typedef struct link_address_t {
  uint8_t ip[16];
  uint32_t scope; // index of the network interface of a link-local IPv6 address; otherwise 0
  uint16_t port;
} link_address_t;

// Parses "192.168.1.5:4711", "192.168.1.5", "[fe80::1%eth0]:4711" or "::1". `default_port` applies if the text has no
// port; 0: the text must have one. Does not look up names. Returns true on success, or false with a message if the text
// is malformed, or its interface is unknown. Any thread.
bool link_address_parse(const char *text, uint16_t default_port, link_address_t *out, error_info_t *error);
// Writes the address in the form that link_address_parse reads, with a numeric scope. Returns `out`. Any thread.
char *link_address_format(const link_address_t *address, char out[LINK_ADDRESS_TEXT_BYTES]);
// Returns true if both addresses, ports and scopes are equal.
bool link_address_equals(const link_address_t *a, const link_address_t *b);
// Returns the IPv4 address a.b.c.d, in host byte order, with a port.
link_address_t link_address_from_ipv4(uint32_t ip, uint16_t port);
// Returns true for an address of this machine's loopback interface.
bool link_address_is_local(const link_address_t *address);
// Returns true for an IPv4 address.
bool link_address_is_ipv4(const link_address_t *address);

#endif
