// The chat: checks and limits of lines, and the queue for match_pop_chat. A machine limits its own lines and reports
// excess lines to its user. The host also drops excess lines, in case a peer runs a modified program. The host allows
// twice the burst, because lines may arrive in less time than they were sent.
#include "match/match_chat.h"

#include "base/utf8.h"
#include "match/match_message.h"

#include <string.h>

#define LINES_PER_SECOND 5u
#define BURST 5u

static bool is_printable(const char *text, size_t size) {
  uint32_t length;
  for (size_t at = 0; at < size; at += length)
    if (utf8_character_length_n(text + at, size - at) == 0 ||
        utf8_is_control(utf8_decode(text + at, size - at, &length)))
      return false;
  return true;
}

// Adds a line (player, text) to the queue of unread lines. Discards the oldest unread line if the queue is full.
static void add_line(match_o *m, const uint8_t *bytes, size_t size) {
  match_chat_t *line = &m->chat[m->chat_end++ % MATCH_CHAT_LINES];
  *line = (match_chat_t){.player = bytes[0]};
  memcpy(line->text, bytes + 1, size - 1);
  if (m->chat_end - m->chat_begin > MATCH_CHAT_LINES)
    m->chat_begin = m->chat_end - MATCH_CHAT_LINES;
}

// Sends a chat line. Returns true on success, or false if the peer is not connected, or the remaining space of its
// stream is reserved for other messages of the match.
static bool push(connection_t *c, const uint8_t *bytes, size_t size) {
  return c->stream && stream_get_free_bytes(c->stream) >= STREAM_MESSAGE_BYTES &&
         match_push(c, MATCH_MESSAGE_CHAT, bytes, size);
}

// Host: adds the line, and sends it to all peers. Peers whose stream is full do not receive it.
static void pass_on(match_o *m, const uint8_t *bytes, size_t size) {
  add_line(m, bytes, size);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].state >= CONNECTION_BEHIND)
      push(&m->connections[i], bytes, size);
}

static bool is_line(const uint8_t *bytes, size_t size) {
  return size >= 2 && size <= 1 + MATCH_CHAT_BYTES && bytes[0] <= MATCH_CHAT_SERVER &&
         is_printable((const char *)bytes + 1, size - 1);
}

bool match_chat_read_host(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size) {
  if (!is_line(bytes, size) || bytes[0] == MATCH_CHAT_SERVER || (c->players != 0 && !(c->players >> bytes[0] & 1)))
    return false;
  if ((c->players & m->inputs.present & ~m->muted) >> bytes[0] & 1 &&
      rate_limit_take(&c->chat_limit, now_us, LINES_PER_SECOND, 2 * BURST))
    pass_on(m, bytes, size);
  return true;
}

bool match_chat_read_peer(match_o *m, const uint8_t *bytes, size_t size) {
  if (!is_line(bytes, size))
    return false;
  add_line(m, bytes, size);
  return true;
}

void match_mute(match_o *m, player_mask_t players) {
  m->muted = players;
}

// Returns MATCH_CHAT_SENT if the text can be sent as a line, otherwise the reason why it cannot.
static match_chat_result_t check_text(const char *text, size_t size) {
  if (size > MATCH_CHAT_BYTES)
    return MATCH_CHAT_TOO_LONG;
  return size > 0 && is_printable(text, size) ? MATCH_CHAT_SENT : MATCH_CHAT_INVALID;
}

match_chat_result_t match_announce(match_o *m, const char *text) {
  uint8_t bytes[1 + MATCH_CHAT_BYTES] = {MATCH_CHAT_SERVER};
  size_t size = strlen(text);
  match_chat_result_t result = check_text(text, size);
  if (result != MATCH_CHAT_SENT)
    return result;
  memcpy(bytes + 1, text, size);
  pass_on(m, bytes, 1 + size);
  return MATCH_CHAT_SENT;
}

match_chat_result_t match_say(match_o *m, int64_t now_us, uint32_t local_player, const char *text) {
  uint8_t bytes[1 + MATCH_CHAT_BYTES];
  uint32_t player = match_find_local_player(m, local_player);
  size_t size = strlen(text);
  match_chat_result_t result = check_text(text, size);
  if (result != MATCH_CHAT_SENT)
    return result;
  bool is_connected = m->role == MATCH_HOST || (m->connections[0].stream && !m->is_lost);
  if (player == PLAYER_MAX || !is_connected || !rate_limit_take(&m->chat_limit, now_us, LINES_PER_SECOND, BURST))
    return MATCH_CHAT_TOO_FAST;
  bytes[0] = (uint8_t)player;
  memcpy(bytes + 1, text, size);
  if (m->role != MATCH_HOST)
    return push(&m->connections[0], bytes, 1 + size) ? MATCH_CHAT_SENT : MATCH_CHAT_TOO_FAST;
  pass_on(m, bytes, 1 + size);
  return MATCH_CHAT_SENT;
}

bool match_pop_chat(match_o *m, match_chat_t *out) {
  if (m->chat_begin == m->chat_end)
    return false;
  *out = m->chat[m->chat_begin++ % MATCH_CHAT_LINES];
  return true;
}
