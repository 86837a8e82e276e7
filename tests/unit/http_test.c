// Answers to WebSocket handshakes (server/http.h), compared with those of RFC 6455 and OpenSSL.
#include "server/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void handshake_key_is_answered_as_in_rfc_6455(void **state) {
  (void)state;
  static const char *const ANSWERS[][2] = {{"dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
                                           {"AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI="}};
  for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; ++i) {
    char out[HTTP_ACCEPT_BYTES];
    http_compute_accept_key(ANSWERS[i][0], strlen(ANSWERS[i][0]), out);
    assert_string_equal(out, ANSWERS[i][1]);
  }
}

int http_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(handshake_key_is_answered_as_in_rfc_6455),
  };
  return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
