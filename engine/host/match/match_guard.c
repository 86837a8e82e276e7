// Lists of fixed size. They are searched linearly, because requests are rare and the seal limits their rate.
#include "match/match_guard.h"

#include "base/hash.h"

#include <sodium.h>
#include <string.h>

#define NETWORK_BYTES 8u // size of the network prefix of an IPv6 address

// --- addresses

// Returns the number of bytes of the address that identify a machine or its network.
static size_t get_network_bytes(const link_address_t *address) {
  bool is_link_local = address->ip[0] == 0xfe && (address->ip[1] & 0xc0) == 0x80;
  return link_address_is_ipv4(address) || is_link_local ? sizeof address->ip : NETWORK_BYTES;
}

static bool is_same_network(const link_address_t *a, const link_address_t *b) {
  return get_network_bytes(a) == get_network_bytes(b) && memcmp(a->ip, b->ip, get_network_bytes(a)) == 0;
}

// Returns true if the address is known, and is not a loopback address.
static bool is_blockable(const link_address_t *address) {
  return !sodium_is_zero(address->ip, sizeof address->ip) && !link_address_is_local(address);
}

// --- blocks

static void remove_block(match_guard_t *g, uint32_t index) {
  memmove(&g->blocks[index], &g->blocks[index + 1], (--g->block_count - index) * sizeof *g->blocks);
}

// Removes the oldest block or, if `is_ban` is true, the oldest ban.
static void remove_oldest(match_guard_t *g, bool is_ban) {
  for (uint32_t i = 0; i < g->block_count; ++i) {
    if (is_ban && g->blocks[i].kind != MATCH_BLOCK_BANNED)
      continue;
    remove_block(g, i);
    return;
  }
}

void match_guard_block(match_guard_t *g, const match_block_t *block) {
  if (block->kind == MATCH_BLOCK_BANNED && match_guard_count_bans(g) >= MATCH_GUARD_MAX_BANS)
    remove_oldest(g, true);
  if (g->block_count == MATCH_GUARD_MAX_BLOCKS)
    remove_oldest(g, false);
  g->blocks[g->block_count++] = *block;
}

static bool is_blocked_by(const match_block_t *b, const uint8_t *account, const link_address_t *address) {
  bool has_account = !sodium_is_zero(b->account, sizeof b->account);
  if (has_account && sodium_memcmp(b->account, account, sizeof b->account) == 0)
    return true;
  return b->kind != MATCH_BLOCK_REMOVED && is_blockable(&b->address) && is_same_network(&b->address, address);
}

match_refusal_kind_t match_guard_find_block(const match_guard_t *g, const uint8_t *account,
                                            const link_address_t *address) {
  static const match_refusal_kind_t REFUSALS[] = {[MATCH_BLOCK_NONE] = MATCH_REFUSAL_NONE,
                                                  [MATCH_BLOCK_REMOVED] = MATCH_REFUSAL_REMOVED,
                                                  [MATCH_BLOCK_UNWANTED] = MATCH_REFUSAL_DECLINED,
                                                  [MATCH_BLOCK_BANNED] = MATCH_REFUSAL_BANNED};
  match_block_kind_t kind = MATCH_BLOCK_NONE;
  for (uint32_t i = 0; i < g->block_count; ++i)
    if (g->blocks[i].kind > kind && is_blocked_by(&g->blocks[i], account, address))
      kind = g->blocks[i].kind;
  return REFUSALS[kind];
}

uint32_t match_guard_count_bans(const match_guard_t *g) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->block_count; ++i)
    count += g->blocks[i].kind == MATCH_BLOCK_BANNED;
  return count;
}

void match_guard_lift_bans(match_guard_t *g) {
  for (uint32_t i = g->block_count; i-- > 0;)
    if (g->blocks[i].kind == MATCH_BLOCK_BANNED)
      remove_block(g, i);
}

// --- tries

// Returns the seconds until the next try is allowed if there were `max` tries within the period, otherwise 0.
static uint32_t get_delay(const match_tries_t *tries, int64_t now_us, int64_t period_us, uint32_t max) {
  int64_t end_us = tries->since_us + period_us;
  return tries->count >= max && now_us < end_us ? (uint32_t)((end_us - now_us + 999999) / 1000000) : 0;
}

static void count_try(match_tries_t *tries, int64_t now_us, int64_t period_us) {
  if (tries->count == 0 || now_us - tries->since_us >= period_us)
    *tries = (match_tries_t){.since_us = now_us};
  ++tries->count;
}

static uint64_t find_address(const link_address_t *address) {
  return hash_bytes(address->ip, get_network_bytes(address), 1) % MATCH_GUARD_TRIES;
}

uint32_t match_guard_get_password_delay(const match_guard_t *g, int64_t now_us, const link_address_t *address) {
  return get_delay(&g->passwords[find_address(address)], now_us, MATCH_GUARD_PASSWORD_US, MATCH_GUARD_MAX_PASSWORDS);
}

void match_guard_note_wrong_password(match_guard_t *g, int64_t now_us, const link_address_t *address) {
  count_try(&g->passwords[find_address(address)], now_us, MATCH_GUARD_PASSWORD_US);
}

uint32_t match_guard_take_question(match_guard_t *g, int64_t now_us, const uint8_t *account,
                                   const link_address_t *address) {
  match_tries_t *of_account = &g->account_questions[hash_bytes(account, MATCH_ACCOUNT_BYTES, 1) % MATCH_GUARD_TRIES];
  match_tries_t *of_address = is_blockable(address) ? &g->address_questions[find_address(address)] : NULL;
  uint32_t delay_s = get_delay(of_account, now_us, MATCH_GUARD_QUESTION_US, MATCH_GUARD_MAX_QUESTIONS);
  if (delay_s == 0 && of_address)
    delay_s = get_delay(of_address, now_us, MATCH_GUARD_QUESTION_US, MATCH_GUARD_MAX_QUESTIONS);
  if (delay_s > 0)
    return delay_s;
  count_try(of_account, now_us, MATCH_GUARD_QUESTION_US);
  if (of_address)
    count_try(of_address, now_us, MATCH_GUARD_QUESTION_US);
  return 0;
}
