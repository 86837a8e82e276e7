// Sockets (link/socket.h): UDP, TCP on this machine, and addresses.
#include "link/socket.h"

#include "base/now.h"
#include "process/child.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOCALHOST 0x7f000001u
#define WAIT_US 10000000 // more than a datagram needs on a busy machine

// Opens a UDP socket at 127.0.0.1. Returns the socket, and stores its address.
static wait_handle_t open_local(link_address_t *address) {
  wait_handle_t socket = socket_open_udp(&(socket_udp_desc_t){.address = link_address_from_ipv4(LOCALHOST, 0)});
  assert_true(socket != WAIT_NONE);
  assert_true(socket_get_address(socket, address));
  assert_true(address->port > 0);
  return socket;
}

TEST(batch_contains_datagrams_in_order_with_their_senders) {
  static uint8_t bytes[SOCKET_BATCH][9];
  socket_batch_t batch = {.bytes = bytes[0], .capacity = sizeof bytes[0]};
  link_address_t to, from;
  wait_handle_t receiver = open_local(&to), sender = open_local(&from);
  assert_int_equal(socket_receive_batch(receiver, &batch, SOCKET_BATCH), 0);
  for (uint32_t i = 0; i < SOCKET_BATCH + 3; ++i)
    assert_true(socket_send_to(sender, SOCKET_IPV4, &to, &i, sizeof i));
  assert_int_equal(wait_for(receiver, WAIT_READ, WAIT_US), WAIT_READ);
  assert_int_equal(socket_receive_batch(receiver, &batch, SOCKET_BATCH), SOCKET_BATCH);
  for (uint32_t i = 0, number; i < SOCKET_BATCH; ++i) {
    assert_int_equal(batch.sizes[i], sizeof number);
    memcpy(&number, bytes[i], sizeof number);
    assert_int_equal(number, i);
    assert_true(link_address_equals(&batch.senders[i], &from));
  }
  assert_int_equal(socket_receive_batch(receiver, &batch, 1), 1); // only as many as requested
  assert_int_equal(socket_receive_batch(receiver, &batch, SOCKET_BATCH), 2);
  socket_close(receiver);
  socket_close(sender);
  socket_close(WAIT_NONE);
}

TEST(long_datagram_is_truncated_to_the_buffer) {
  uint8_t bytes[2][4] = {{0}};
  socket_batch_t batch = {.bytes = bytes[0], .capacity = sizeof bytes[0]};
  link_address_t to, from;
  wait_handle_t receiver = open_local(&to), sender = open_local(&from);
  assert_true(socket_send_to(sender, SOCKET_IPV4, &to, "123456789", 9));
  assert_int_equal(wait_for(receiver, WAIT_READ, WAIT_US), WAIT_READ);
  assert_int_equal(socket_receive_batch(receiver, &batch, 2), 1);
  assert_int_equal(batch.sizes[0], 4);
  assert_memory_equal(bytes[0], "1234", 4);
  assert_int_equal(bytes[1][0], 0);
  socket_close(receiver);
  socket_close(sender);
}

TEST(socket_of_both_families_receives_ipv4_as_ipv4) {
  uint8_t byte;
  socket_batch_t batch = {.bytes = &byte, .capacity = 1};
  link_address_t own, from;
  wait_handle_t receiver = socket_open_udp(&(socket_udp_desc_t){.family = SOCKET_IPV6}), sender = open_local(&from);
  if (receiver == WAIT_NONE && errno == EAFNOSUPPORT) {
    socket_close(sender);
    return; // the machine has no IPv6
  }
  assert_true(socket_get_address(receiver, &own));
  link_address_t to = link_address_from_ipv4(LOCALHOST, own.port);
  assert_true(socket_send_to(sender, SOCKET_IPV4, &to, "x", 1));
  assert_int_equal(wait_for(receiver, WAIT_READ, WAIT_US), WAIT_READ);
  assert_int_equal(socket_receive_batch(receiver, &batch, 1), 1);
  assert_true(link_address_is_ipv4(&batch.senders[0]) && link_address_equals(&batch.senders[0], &from));
  socket_close(receiver);
  socket_close(sender);
}

TEST(port_is_shared_only_if_both_sockets_allow_it) {
  link_address_t address;
  wait_handle_t first = open_local(&address);
  assert_true(socket_open_udp(&(socket_udp_desc_t){.address = address}) == WAIT_NONE);
  assert_int_equal(errno, EADDRINUSE);
  assert_true(socket_error_text(errno)[0] != '\0');
  assert_true(socket_open_udp(&(socket_udp_desc_t){.address = address, .is_shared = true}) == WAIT_NONE);
  socket_set_shared(first, true);
  wait_handle_t second = socket_open_udp(&(socket_udp_desc_t){.address = address, .is_shared = true});
  if (second == WAIT_NONE && errno == EOPNOTSUPP) { // Windows
    socket_close(first);
    skip();
  }
  assert_true(second != WAIT_NONE);
  socket_close(second);
  socket_close(first);
}

TEST(ipv4_socket_refuses_ipv6_addresses) {
  link_address_t own, to;
  wait_handle_t socket = open_local(&own);
  assert_true(link_address_parse("[::1]:9", 0, &to, NULL));
  assert_false(socket_send_to(socket, SOCKET_IPV4, &to, "x", 1));
  assert_int_equal(errno, EAFNOSUPPORT);
  socket_close(socket);
}

TEST(interfaces_include_the_loopback_interface) {
  link_address_t list[64];
  bool has_loopback = false;
  uint32_t count = socket_list_interfaces(list, 64);
  for (uint32_t i = 0; i < count; ++i) {
    assert_true(link_address_is_ipv4(&list[i]));
    assert_int_equal(list[i].port, 0);
    has_loopback |= link_address_is_local(&list[i]);
  }
  assert_true(has_loopback);
  assert_int_equal(socket_list_interfaces(list, 1), 1);
}

TEST(host_and_interface_names_are_resolved) {
  link_address_t address = {.port = 5};
  error_info_t error = {0};
  assert_true(socket_resolve("localhost", &address, &error));
  assert_true(link_address_is_local(&address));
  assert_false(socket_resolve("no-host.invalid", &address, &error));
  assert_non_null(strstr(error.text, "no-host.invalid: "));
  assert_true(socket_find_interface("lo") > 0);
  assert_int_equal(socket_find_interface("no interface"), 0);
}

// --- TCP

typedef struct connection_t {
  wait_handle_t listener, client, server;
} connection_t;

static connection_t connect_pair(uint32_t timeout_ms) {
  connection_t c = {.listener = WAIT_NONE};
  uint16_t port = 46000;
  while (c.listener == WAIT_NONE && ++port < 47000)
    c.listener = socket_listen_local(port);
  assert_true(c.listener != WAIT_NONE);
  assert_true(socket_accept(c.listener) == WAIT_NONE); // does not wait
  c.client = socket_connect_local(port, timeout_ms);
  assert_true(c.client != WAIT_NONE);
  assert_int_equal(wait_for(c.listener, WAIT_READ, WAIT_US), WAIT_READ);
  c.server = socket_accept(c.listener);
  assert_true(c.server != WAIT_NONE);
  assert_true(socket_listen_local(port) == WAIT_NONE); // the port is in use
  return c;
}

static void close_pair(const connection_t *c) {
  socket_close(c->client);
  socket_close(c->server);
  socket_close(c->listener);
}

TEST(receiving_distinguishes_silence_from_a_closed_connection) {
  char text[16] = "";
  connection_t c = connect_pair(10000);
  assert_int_equal(socket_receive(c.server, text, sizeof text), 0); // nothing has arrived
  assert_int_equal(socket_send(c.client, "hello", 5), 5);
  assert_int_equal(wait_for(c.server, WAIT_READ, WAIT_US), WAIT_READ);
  assert_int_equal(socket_receive(c.server, text, sizeof text), 5);
  assert_string_equal(text, "hello");
  socket_end_sending(c.client);
  assert_true(wait_for(c.server, WAIT_READ, WAIT_US) & WAIT_READ);
  assert_int_equal(socket_receive(c.server, text, sizeof text), -1);
  assert_int_equal(socket_send(c.server, "answer", 6), 6); // the other direction is still open
  assert_int_equal(socket_receive(c.client, text, sizeof text), 6);
  close_pair(&c);
}

TEST(sending_fails_if_the_peer_is_closed_but_not_if_the_buffer_is_full) {
  static const char block[65536];
  ptrdiff_t sent = 1;
  connection_t c = connect_pair(10000);
  for (int i = 0; i < 10000 && sent > 0; ++i)
    sent = socket_send(c.server, block, sizeof block);
  assert_int_equal(sent, 0);
  assert_int_equal(wait_for(c.server, WAIT_WRITE, 0), 0);
  socket_close(c.client); // unread data resets the connection
  c.client = WAIT_NONE;
  assert_true(wait_for(c.server, WAIT_WRITE, WAIT_US) & (WAIT_END | WAIT_FAILURE));
  assert_int_equal(socket_send(c.server, block, sizeof block), -1); // raises no SIGPIPE
  assert_int_equal(socket_send(c.server, block, sizeof block), -1);
  close_pair(&c);
}

TEST(blocking_receive_ends_after_its_time_limit) {
  char byte;
  connection_t c = connect_pair(50);
  int64_t start_ns = now_ns();
  assert_int_equal(socket_receive(c.client, &byte, 1), 0);
  assert_true(now_ns() - start_ns >= 40 * NS_PER_MS);
  close_pair(&c);
}

TEST(connection_to_an_unused_port_fails) {
  connection_t c = connect_pair(1000);
  link_address_t address;
  assert_true(socket_get_address(c.listener, &address));
  close_pair(&c);
  assert_true(socket_connect_local(address.port, 1000) == WAIT_NONE);
  assert_int_equal(errno, ECONNREFUSED);
}

TEST(programs_do_not_inherit_sockets) {
  connection_t c = connect_pair(1000);
  char command[200];
  int code = -1, number = 0;
  if (!child_can_fork()) { // Windows has no /proc
    close_pair(&c);
    skip();
  }
  snprintf(command, sizeof command, "for f in %d %d %d; do ! test -e /proc/self/fd/$f || exit 1; done", (int)c.listener,
           (int)c.client, (int)c.server);
  assert_true(child_run_command((const char *const[]){"sh", "-c", command, NULL}, &code, &number));
  assert_int_equal(code, 0);
  close_pair(&c);
}
