// Answers to WebSocket handshakes (server/http.h), compared with those of RFC 6455 and OpenSSL.
#include "server/http.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

TEST(handshake_key_is_answered_as_in_rfc_6455) {
  static const char *const ANSWERS[][2] = {{"dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
                                           {"AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI="}};
  for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; ++i) {
    char out[HTTP_ACCEPT_BYTES];
    http_compute_accept_key(ANSWERS[i][0], strlen(ANSWERS[i][0]), out);
    assert_string_equal(out, ANSWERS[i][1]);
  }
}
