// Parsing and formatting of internet addresses.
#include "link/link_address.h"

#include "link/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t IPV4_PREFIX[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool link_address_is_ipv4(const link_address_t *address) {
  return memcmp(address->ip, IPV4_PREFIX, sizeof IPV4_PREFIX) == 0;
}

bool link_address_is_local(const link_address_t *address) {
  static const uint8_t LOOPBACK[16] = {[15] = 1};
  return link_address_is_ipv4(address) ? address->ip[12] == 127 : memcmp(address->ip, LOOPBACK, 16) == 0;
}

bool link_address_equals(const link_address_t *a, const link_address_t *b) {
  return a->port == b->port && a->scope == b->scope && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

link_address_t link_address_from_ipv4(uint32_t ip, uint16_t port) {
  link_address_t address = {.port = port};
  memcpy(address.ip, IPV4_PREFIX, sizeof IPV4_PREFIX);
  for (uint32_t i = 0; i < 4; ++i)
    address.ip[12 + i] = (uint8_t)(ip >> (24 - 8 * i));
  return address;
}

// Parses a decimal number in [1, max]. Returns the number, or 0 if the text is malformed.
static uint32_t parse_number(const char *text, uint32_t max) {
  uint32_t number = 0;
  for (; *text >= '0' && *text <= '9' && number <= max; ++text)
    number = number * 10 + (uint32_t)(*text - '0');
  return *text == '\0' && number <= max ? number : 0;
}

static bool parse_ip(char *text, link_address_t *out) {
  char *scope = strchr(text, '%');
  if (socket_parse_ipv4(text, out->ip + 12)) {
    memcpy(out->ip, IPV4_PREFIX, sizeof IPV4_PREFIX);
    return true;
  }
  if (scope) {
    *scope++ = '\0';
    out->scope = parse_number(scope, INT32_MAX);
    if (out->scope == 0)
      out->scope = socket_find_interface(scope);
    if (out->scope == 0)
      return false;
  }
  return socket_parse_ipv6(text, out->ip);
}

bool link_address_parse(const char *text, uint16_t default_port, link_address_t *out, error_info_t *error) {
  char copy[LINK_ADDRESS_TEXT_BYTES], *ip = copy, *port = NULL;
  *out = (link_address_t){.port = default_port};
  if (strlen(text) >= sizeof copy)
    return error_set(error, "address \"%.40s…\" is too long", text);
  snprintf(copy, sizeof copy, "%s", text);
  char *bracket = copy[0] == '[' ? strchr(copy, ']') : NULL, *colon = strchr(copy, ':');
  if (bracket) { // an IPv6 address, optionally followed by a port
    *bracket = '\0';
    ++ip;
    port = bracket[1] == ':' ? bracket + 2 : NULL;
    if (bracket[1] != '\0' && !port)
      return error_set(error, "address \"%s\": expected :PORT after ]", text);
  } else if (colon && !strchr(colon + 1, ':')) {
    *colon = '\0';
    port = colon + 1;
  }
  if (port && !(out->port = (uint16_t)parse_number(port, UINT16_MAX)))
    return error_set(error, "address \"%s\": port must be a number in [1, 65535]", text);
  if (out->port == 0)
    return error_set(error, "address \"%s\": port is missing: append :PORT", text);
  if (!parse_ip(ip, out))
    return error_set(error, "address \"%s\": expected an IPv4 address such as 192.168.1.5 or an IPv6 address in []",
                     text);
  return true;
}

char *link_address_format(const link_address_t *address, char out[LINK_ADDRESS_TEXT_BYTES]) {
  char ip[SOCKET_IP_BYTES], scope[16] = "";
  socket_format_ip(address, ip);
  if (link_address_is_ipv4(address)) {
    snprintf(out, LINK_ADDRESS_TEXT_BYTES, "%s:%u", ip, address->port);
    return out;
  }
  if (address->scope > 0)
    snprintf(scope, sizeof scope, "%%%u", address->scope);
  snprintf(out, LINK_ADDRESS_TEXT_BYTES, "[%s%s]:%u", ip, scope, address->port);
  return out;
}
